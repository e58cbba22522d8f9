// The request as it is sent, but for the key, and the same for other clients.

import type { JSX } from "preact";
import type { CallInput, CallRequest } from "../../mcp/call-request.ts";
import { CopyButton } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Card } from "../../parts/surface.tsx";
import { toCurl, toTypeScript } from "./snippets.ts";

export function RequestCard({ input, request }: { input: CallInput; request: CallRequest }): JSX.Element {
  return (
    <Card
      title="Request"
      actions={
        <span class="row">
          <CopyButton text={toCurl(request)} what="Copy as curl" />
          <CopyButton text={toTypeScript(input)} what="Copy as TypeScript" />
        </span>
      }
    >
      <div class="stack">
        <p class="soft small">
          Exactly what is sent, but for the key. Copied code reads the key from <code>TOOLGATE_KEY</code>.
        </p>
        <Code text={toText(request)} label="Request" />
      </div>
    </Card>
  );
}

const toText = ({ url, headers, body }: CallRequest): string =>
  [
    `POST ${url}`,
    "authorization: Bearer tg_…",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    JSON.stringify(body, undefined, 2),
  ].join("\n");
