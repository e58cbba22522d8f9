import type { ComponentChildren, JSX } from "preact";
import { CopyButton } from "./button.tsx";

const TOKENS = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Colouring more than that would cost more than it shows. */
const COLOURED_CHARS = 100_000;

/** Text in a fixed width, to be read and copied. */
export const Code = ({ text, json = false, label }: { text: string; json?: boolean; label?: string }): JSX.Element => (
  <div class="code-block">
    <pre tabIndex={0} role="region" aria-label={label ?? "Text"}>
      {json && text.length <= COLOURED_CHARS ? colour(text) : text}
    </pre>
    <CopyButton text={text} />
  </div>
);

/** A value as JSON. */
export const JsonBlock = ({ value, label }: { value: unknown; label?: string }): JSX.Element => (
  <Code json text={JSON.stringify(value, undefined, 2) ?? "undefined"} {...(label !== undefined && { label })} />
);

/** A sentence of the server's, in which what stands between backticks is code. */
export function Sentence({ text }: { text: string }): JSX.Element {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

function colour(text: string): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [token, string, colon, word] = match;
    shown.push(text.slice(end, match.index));
    end = match.index + token.length;
    if (string !== undefined) {
      shown.push(<span class={colon === undefined ? "json-string" : "json-name"}>{string}</span>, colon);
    } else shown.push(<span class={word === undefined ? "json-number" : "json-word"}>{token}</span>);
  }
  shown.push(text.slice(end));
  return shown;
}
