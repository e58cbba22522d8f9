// What a call asks of its user: forms to fill in, pages to visit. The call goes on with the answers.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FormRequest, InputRequest, UrlRequest } from "../../../tools/input-request.ts";
import type { CallInput } from "../../mcp/call-request.ts";
import type { CallEnd } from "../../mcp/send-call.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/surface.tsx";
import { asSchema } from "../../schema/json-schema.ts";
import { sampleOf } from "../../schema/sample.ts";
import { SchemaForm } from "../../schema/schema-form.tsx";

type Asked = Extract<CallEnd, { kind: "input" }>;
type Answers = NonNullable<CallInput["answers"]>;

interface AnswerDialogProps {
  end: Asked;
  onAnswers: (answers: Answers) => void;
  /** Leaves the call where it is. */
  onClose: () => void;
}

/** One question after another; the last answer sends them all. */
export function AnswerDialog({ end: { requests, requestState }, onAnswers, onClose }: AnswerDialogProps): JSX.Element {
  const names = Object.keys(requests);
  const [given, setGiven] = useState<Record<string, unknown>>({});
  const name = names.find((each) => !(each in given)) ?? "";
  const answer = (response: unknown): void => {
    const inputResponses = { ...given, [name]: response };
    if (names.every((each) => each in inputResponses)) {
      onAnswers({ inputResponses, ...(requestState !== undefined && { requestState }) });
    } else setGiven(inputResponses);
  };
  const request = requests[name];
  const place = names.length > 1 ? ` (${Object.keys(given).length + 1} of ${names.length})` : "";
  return <Question key={name} place={place} request={request} onAnswer={answer} onClose={onClose} />;
}

interface QuestionProps {
  place: string;
  request: InputRequest | undefined;
  onAnswer: (response: unknown) => void;
  onClose: () => void;
}

function Question({ place, request, onAnswer, onClose }: QuestionProps): JSX.Element {
  if (request?.method !== "elicitation/create") {
    return (
      <Dialog
        title="The call asks for something"
        onClose={onClose}
        actions={<Button onPress={onClose}>Leave it</Button>}
      >
        <Notice tone="warn">
          It asks for <code>{request?.method}</code>, which the console can't do.
        </Notice>
      </Dialog>
    );
  }
  return isUrl(request) ? (
    <UrlQuestion place={place} request={request} onAnswer={onAnswer} onClose={onClose} />
  ) : (
    <FormQuestion place={place} request={request} onAnswer={onAnswer} onClose={onClose} />
  );
}

const isUrl = (request: FormRequest | UrlRequest): request is UrlRequest => request.params.mode === "url";

function FormQuestion({
  place,
  request: { params },
  onAnswer,
  onClose,
}: QuestionProps & { request: FormRequest }): JSX.Element {
  const schema = asSchema(params.requestedSchema);
  const [value, setValue] = useState(() => sampleOf(schema, schema));
  return (
    <Dialog
      title={`The tool asks${place}`}
      onClose={onClose}
      onSubmit={() => onAnswer({ action: "accept", content: value })}
      actions={
        <>
          <Button look="plain" onPress={() => onAnswer({ action: "cancel" })}>
            Cancel
          </Button>
          <Button onPress={() => onAnswer({ action: "decline" })}>Decline</Button>
          <Button type="submit" look="primary">
            Answer
          </Button>
        </>
      }
    >
      <p class="prose">{params.message}</p>
      <SchemaForm schema={schema} value={value} onValue={setValue} />
      <p class="soft small">The tool's own words. Don't give it passwords or keys here.</p>
    </Dialog>
  );
}

function UrlQuestion({
  place,
  request: { params },
  onAnswer,
  onClose,
}: QuestionProps & { request: UrlRequest }): JSX.Element {
  const url = URL.parse(params.url);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  return (
    <Dialog
      title={`The tool sends you to a page${place}`}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onPress={() => onAnswer({ action: "cancel" })}>
            Cancel
          </Button>
          <Button onPress={() => onAnswer({ action: "decline" })}>Decline</Button>
          <Button look="primary" onPress={() => onAnswer({ action: "accept" })}>
            Done
          </Button>
        </>
      }
    >
      <p class="prose">{params.message}</p>
      <Notice tone="warn">
        <span>
          The page is at <strong>{url?.host ?? "no address that can be read"}</strong>. Go there only if you know it.
        </span>
        <code>{params.url}</code>
      </Notice>
      {isWeb && (
        <p>
          <a href={params.url} target="_blank" rel="noopener noreferrer">
            Open it in a new tab
          </a>
        </p>
      )}
    </Dialog>
  );
}
