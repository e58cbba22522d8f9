import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { JsonBlock } from "../../parts/code.tsx";
import { Badge, Card, Notice, type Tone } from "../../parts/surface.tsx";
import { countOfProgress, progressOf } from "./call-news.ts";
import type { Call, Ending } from "./call-state.ts";
import { NewsList } from "./news-list.tsx";
import { ResultView } from "./result-view.tsx";

const TICK_MS = 100;

/** A call that runs: how far it is, what it says, and the way to stop it. */
export function Running({ call: { startedAt = 0, news, cancel } }: { call: Call }): JSX.Element {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const progress = progressOf(news);
  const total = progress?.total;
  const seconds = Math.max(0, (now - startedAt) / 1000);
  return (
    <Card
      title="Running"
      actions={
        <Button slim look="danger" icon="stop" onPress={cancel}>
          Cancel
        </Button>
      }
    >
      <div class="stack">
        <div class="row apart small soft">
          <span>{progress?.message ?? "Waiting for the answer"}</span>
          <span class="number">
            {progress && `${countOfProgress(progress)} · `}
            {seconds.toFixed(1)} s
          </span>
        </div>
        <progress
          class="progress"
          aria-label="Progress"
          max={total ?? 1}
          value={total === undefined ? undefined : progress?.progress}
        />
        <NewsList news={news} />
      </div>
    </Card>
  );
}

/** What came of a call, once it has ended. */
export function CallOutcome({ call: { end, news, durationMs = 0 } }: { call: Call }): JSX.Element | null {
  if (!end || end.kind === "input") return null;
  const [tone, words] = verdictOf(end);
  return (
    <Card
      title="Result"
      actions={
        <span class="row" role="status">
          <Badge tone={tone}>{words}</Badge>
          <span class="soft small number">{Math.round(durationMs)} ms</span>
        </span>
      }
    >
      <div class="stack">
        <EndView end={end} />
        <NewsList news={news} />
      </div>
    </Card>
  );
}

function verdictOf(end: Ending): [Tone, string] {
  switch (end.kind) {
    case "result":
      return end.result.isError ? ["warn", "Tool error"] : ["ok", "Success"];
    case "error":
      return ["danger", "Protocol error"];
    case "cancelled":
      return ["info", "Cancelled"];
    case "timeout":
      return ["danger", "Timed out"];
    default:
      return ["danger", "No answer"];
  }
}

function EndView({ end }: { end: Ending }): JSX.Element | null {
  switch (end.kind) {
    case "result":
      return <ResultView result={end.result} answer={end.answer} />;
    case "error":
      return (
        <>
          <Notice tone="danger">
            <strong>The request was refused, or failed: no tool's answer</strong>
            <span>{end.message}</span>
            <span class="soft small">
              JSON-RPC error <code>{end.code}</code>, HTTP status <code>{end.status}</code>
            </span>
          </Notice>
          <JsonBlock value={end.answer} label="The answer as it came" />
        </>
      );
    case "broken":
      return (
        <Notice tone="danger">
          <strong>There is no answer to show</strong>
          <span>{end.message}</span>
          {end.status > 0 && <span class="soft small">HTTP status {end.status}</span>}
        </Notice>
      );
    case "cancelled":
      return (
        <Notice>
          You cancelled the call. The server was told by the connection that ended; the tool may have done a part.
        </Notice>
      );
    case "timeout":
      return (
        <Notice tone="danger">
          There was no result within {end.afterSeconds} s, and the call was ended. Give it more time if it needs it.
        </Notice>
      );
    default:
      return null;
  }
}
