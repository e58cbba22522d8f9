// The key that this tab makes calls with and listens by. An admin key need not open the endpoint, so there is one to choose.

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { toProblem, type Problem } from "./api/problem.ts";
import { useFeed, type FeedStatus } from "./feed.ts";
import { requestMeta, REVISION } from "./mcp/request-meta.ts";
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/field.tsx";
import { Notice, ProblemNotice } from "./parts/surface.tsx";
import { say } from "./parts/toasts.tsx";
import { mintCallKey, useSession, type CallKey } from "./session.ts";

const STATUS: Record<FeedStatus, { tone: string; text: string }> = {
  off: { tone: "", text: "No key for calls" },
  connecting: { tone: "warn", text: "Connecting …" },
  listening: { tone: "ok", text: "Hears changes" },
  lost: { tone: "danger", text: "Reconnecting …" },
};

/** Whether changes are heard, and the way to the key by which they are. */
export function CallKeyStatus(): JSX.Element {
  const { status } = useFeed();
  const [isOpen, setOpen] = useState(false);
  const { tone, text } = STATUS[status];
  return (
    <>
      <button type="button" class="button slim plain" onClick={() => setOpen(true)}>
        <span class={`dot ${tone}`} />
        {text}
      </button>
      {isOpen && <CallKeyDialog onClose={() => setOpen(false)} />}
    </>
  );
}

/**
 * Has one choose the key: minted for the tab, or pasted. `onKey` gets the chosen one, in place of `onClose`, unless the dialog was
 * closed before the server had answered.
 */
export function CallKeyDialog({
  onClose,
  onKey = onClose,
}: {
  onClose: () => void;
  onKey?: (key: string) => void;
}): JSX.Element {
  const { api, canWrite, callKey, setCallKey } = useSession();
  const [pasted, setPasted] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const isOpen = useRef(true);
  useLayoutEffect(() => () => void (isOpen.current = false), []);
  const attempt = async (work: () => Promise<CallKey>): Promise<void> => {
    try {
      const chosen = await work();
      setCallKey(chosen);
      if (isOpen.current) onKey(chosen.key);
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  const mint = (): Promise<void> =>
    attempt(async () => {
      const minted = await mintCallKey(api);
      say("A key was minted for this tab. Signing out revokes it.");
      return minted;
    });
  const take = (): Promise<void> =>
    attempt(async () => {
      await tryKey(pasted.trim());
      return { key: pasted.trim() };
    });
  return (
    <Dialog
      title="Key for calls"
      onClose={onClose}
      onSubmit={() => void (pasted.trim() !== "" && take())}
      actions={
        <>
          <Button look="plain" onPress={onClose}>
            Close
          </Button>
          <Button type="submit" look={canWrite ? undefined : "primary"} disabled={pasted.trim() === ""}>
            Use this key
          </Button>
          {canWrite && (
            <Button look="primary" icon="keys" onPress={mint}>
              Mint one for this tab
            </Button>
          )}
        </>
      }
    >
      <p class="soft">
        Tools are called, and changes heard of, with a key of the scope <code>mcp</code>: its rules, limits and quota
        count. It is kept in this tab alone.
      </p>
      {callKey && <Notice tone="ok">{describe(callKey.mintedId)}</Notice>}
      <TextField label="An API key" type="password" code value={pasted} onInput={setPasted} placeholder="tg_…" />
      {canWrite && (
        <p class="soft small">
          A minted one may make 120 calls a minute, ends after 12 hours, and is revoked when you sign out.
        </p>
      )}
      {problem && <ProblemNotice problem={problem} />}
    </Dialog>
  );
}

const describe = (mintedId: string | undefined): string =>
  mintedId === undefined
    ? "This tab has a key for calls."
    : `This tab has a key for calls, ${mintedId}, minted for it.`;

/** Throws when the endpoint does not take the key. */
async function tryKey(key: string): Promise<void> {
  const response = await fetch("/mcp", {
    method: "POST",
    credentials: "omit",
    headers: {
      authorization: `Bearer ${key}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": REVISION,
      "mcp-method": "server/discover",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: requestMeta() } }),
  });
  const answer = (await response.json()) as { error?: { message?: string } };
  if (!response.ok) throw new Error(answer.error?.message ?? `status ${response.status}`);
}
