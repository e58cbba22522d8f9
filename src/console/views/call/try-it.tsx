// Trying a tool: its arguments, the request that they make, and what came of it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ToolView } from "../../api/tools-api.ts";
import { CallKeyDialog } from "../../call-key.tsx";
import { toCallRequest, type CallInput } from "../../mcp/call-request.ts";
import { Button } from "../../parts/button.tsx";
import { Field, SelectField, TextField } from "../../parts/field.tsx";
import { Name } from "../../parts/name.tsx";
import { Card, Notice } from "../../parts/surface.tsx";
import { asSchema } from "../../schema/json-schema.ts";
import { sampleOf } from "../../schema/sample.ts";
import { SchemaForm } from "../../schema/schema-form.tsx";
import { useSession } from "../../session.ts";
import { riskOf } from "../tools/tool-badges.tsx";
import { AnswerDialog } from "./answer-dialog.tsx";
import { CallOutcome, Running } from "./call-outcome.tsx";
import { useCall } from "./call-state.ts";
import { ConfirmCall } from "./confirm-call.tsx";
import { RequestCard } from "./request-card.tsx";

const LOG_LEVELS = ["debug", "info", "notice", "warning", "error"];
const DEFAULT_TIMEOUT_SECONDS = 60;
const LONGEST_TIMEOUT_SECONDS = 900;

export function TryIt({ tool }: { tool: ToolView }): JSX.Element {
  const { callKey } = useSession();
  const schema = asSchema(tool.inputSchema);
  const [text, setText] = useState(() => JSON.stringify(sampleOf(schema, schema), undefined, 2));
  const [options, setOptions] = useState({ timeout: String(DEFAULT_TIMEOUT_SECONDS), logLevel: "info" });
  const [step, setStep] = useState<"none" | "key" | "confirm">("none");
  /** Of the next request, so that what is shown of it is what will be sent. */
  const [id, setId] = useState(() => crypto.randomUUID());
  const call = useCall();
  const args = parse(text);
  const { timeout, logLevel } = options;
  const input: CallInput = { name: tool.name, arguments: args, inputSchema: tool.inputSchema, logLevel };
  const seconds = Math.min(Math.max(Number(timeout) || DEFAULT_TIMEOUT_SECONDS, 1), LONGEST_TIMEOUT_SECONDS);
  const send = (key = callKey?.key, answers?: CallInput["answers"]): void => {
    setStep("none");
    if (key === undefined) return;
    void call.send(toCallRequest({ ...input, ...(answers && { answers }) }, id), key, seconds);
    setId(crypto.randomUUID());
  };
  const { destroys, isOpen } = riskOf(tool);
  const start = (key = callKey?.key): void => {
    if (key === undefined) setStep("key");
    else if (destroys || isOpen) setStep("confirm");
    else send(key);
  };
  return (
    <div class="stack">
      {!tool.enabled && (
        <Notice tone="warn">The tool is disabled: a call is answered as if there were none of this name.</Notice>
      )}
      <Arguments tool={tool} text={text} onText={setText} />
      <div class="call-bar">
        <Button look="primary" icon="play" disabled={args === undefined} busy={call.isRunning} onPress={() => start()}>
          <span>
            Call <Name text={tool.name} />
          </span>
        </Button>
        <SelectField
          label="Logs"
          value={logLevel}
          options={[
            { value: "", label: "none" },
            ...LOG_LEVELS.map((level) => ({ value: level, label: `${level} and above` })),
          ]}
          onInput={(level) => setOptions({ ...options, logLevel: level })}
        />
        <TextField
          label="Time-out, s"
          type="number"
          value={timeout}
          onInput={(value) => setOptions({ ...options, timeout: value })}
        />
      </div>
      {(call.isRunning || call.end?.kind === "input") && <Running call={call} />}
      <CallOutcome call={call} />
      {args !== undefined && <RequestCard input={input} request={toCallRequest(input, id)} />}
      {step === "key" && <CallKeyDialog onClose={() => setStep("none")} onKey={start} />}
      {step === "confirm" && (
        <ConfirmCall tool={tool} input={input} onClose={() => setStep("none")} onConfirm={() => send()} />
      )}
      {call.end?.kind === "input" && (
        <AnswerDialog end={call.end} onAnswers={(answers) => send(undefined, answers)} onClose={call.clear} />
      )}
    </div>
  );
}

/** The arguments as a form and as JSON, beside each other: what is changed in one changes in the other. */
function Arguments({
  tool,
  text,
  onText,
}: {
  tool: ToolView;
  text: string;
  onText: (text: string) => void;
}): JSX.Element {
  const schema = asSchema(tool.inputSchema);
  const value = parse(text);
  const fault = value === undefined ? "This is not JSON yet: the form waits until it is." : undefined;
  return (
    <Card title="Arguments">
      <div class="columns">
        <div>
          {value === undefined ? (
            <p class="soft">Mend the JSON to go on here.</p>
          ) : (
            <SchemaForm schema={schema} value={value} onValue={(next) => onText(JSON.stringify(next, undefined, 2))} />
          )}
        </div>
        <Field label="As JSON" fault={fault}>
          {(control) => (
            <textarea
              {...control}
              class="input code"
              rows={Math.min(Math.max(text.split("\n").length + 1, 6), 24)}
              spellcheck={false}
              value={text}
              onInput={(event) => onText(event.currentTarget.value)}
            />
          )}
        </Field>
      </div>
    </Card>
  );
}

/** `undefined` for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
