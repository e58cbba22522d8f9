import type { JSX } from "preact";
import type { Level, Verdict } from "../../../lint/verdict.ts";
import { lintTool, type ToolView } from "../../api/tools-api.ts";
import { Sentence } from "../../parts/code.tsx";
import { Badge, Card, Empty, Loaded, type Tone } from "../../parts/surface.tsx";
import { useResource } from "../../resource.ts";
import { useSession } from "../../session.ts";

const TONES: Record<Level, Tone> = { error: "danger", warning: "warn", info: "info" };

/** By whom a verdict is meant, as people call it. */
export const CLIENTS: Record<string, string> = {
  all: "Every client",
  claude: "Claude",
  openai: "OpenAI",
  gemini: "Gemini",
  cursor: "Cursor",
  vscode: "VS Code",
};

/** What clients make of the tool, one after the other. Asked for with a write's price, hence not for readers. */
export function LintPanel({ tool }: { tool: ToolView & { version: number } }): JSX.Element {
  const { api, canWrite } = useSession();
  if (!canWrite) {
    return (
      <Empty title="Not with this key">Lint is asked for by a POST, which a key that only reads may not send.</Empty>
    );
  }
  return <Verdicts key={tool.version} load={() => lintTool(api, tool.name)} />;
}

function Verdicts({ load }: { load: () => Promise<Verdict[]> }): JSX.Element {
  const resource = useResource(load, []);
  return <Loaded resource={resource}>{(verdicts) => <VerdictGroups verdicts={verdicts} />}</Loaded>;
}

/** Verdicts by client, every client among them. */
export function VerdictGroups({ verdicts }: { verdicts: readonly Verdict[] }): JSX.Element {
  const groups = Object.entries(CLIENTS).map(([client, name]) => ({
    name,
    told: verdicts.filter((verdict) => verdict.client === client),
  }));
  return (
    <div class="stack">
      {groups.map(({ name, told }) => (
        <Card key={name} title={name} actions={<Summary verdicts={told} />} flush>
          {told.length > 0 && <VerdictList verdicts={told} />}
        </Card>
      ))}
    </div>
  );
}

export const VerdictList = ({
  verdicts,
  namesTool = false,
}: {
  verdicts: readonly Verdict[];
  /** Whether they are of several tools. */
  namesTool?: boolean;
}): JSX.Element => (
  <ul class="verdicts">
    {verdicts.map((verdict) => (
      <li key={`${verdict.tool} ${verdict.client} ${verdict.rule} ${verdict.path} ${verdict.message}`}>
        <Badge tone={TONES[verdict.level]}>{NAMES[verdict.level][0]}</Badge>
        <div>
          <p>
            <Sentence text={verdict.message} />
          </p>
          <p class="soft small">
            {namesTool && (
              <>
                <code>{verdict.tool}</code>
                {" · "}
              </>
            )}
            {CLIENTS[verdict.client]}: <code>{verdict.rule}</code>
            {verdict.path !== "" && (
              <>
                {" at "}
                <code>{verdict.path}</code>
              </>
            )}
          </p>
        </div>
      </li>
    ))}
  </ul>
);

/** How many there are of each level. */
export function Summary({ verdicts }: { verdicts: readonly Verdict[] }): JSX.Element {
  if (verdicts.length === 0) return <Badge tone="ok">Fine</Badge>;
  const levels = (["error", "warning", "info"] as const).map((level) => ({
    level,
    count: verdicts.filter((verdict) => verdict.level === level).length,
  }));
  return (
    <span class="row">
      {levels.map(
        ({ level, count }) =>
          count > 0 && (
            <Badge key={level} tone={TONES[level]}>
              {count} {NAMES[level][count === 1 ? 0 : 1]}
            </Badge>
          ),
      )}
    </span>
  );
}

const NAMES: Record<Level, [one: string, many: string]> = {
  error: ["error", "errors"],
  warning: ["warning", "warnings"],
  info: ["note", "notes"],
};
