// The table: what each revision sees over each transport, cell by cell. The words are those that `observations.ts`
// answers with. A cell that begins with a dash can't exist; the reason stands in `REASONS` under its word.

import { REVISIONS, TRANSPORTS, type Place } from "./cells.ts";

/** Why there is no such cell. */
export const REASONS: Readonly<Record<string, string>> = {
  "no /sse": "HTTP+SSE went with the legacy era: a 2026-07-28 client never opens it",
  "no header": "a message on a socket, or to /messages, has no header that could name a version",
  proxy: "a modern client cancels over HTTP by hanging up, and the proxy before a local Worker does not tell it",
  "no id": "a socket is its session and carries no id of one",
};

export const EXPECTATIONS = {
  // The fields of serverInfo, or how many versions discover names.
  "initialize or discover": `
    revision   | json               | sse                | websocket          | http+sse
    2024-11-05 | name version       | name version       | name version       | name version
    2025-03-26 | name version       | name version       | name version       | name version
    2025-06-18 | name title version | name title version | name title version | name title version
    2025-11-25 | name title version | name title version | name title version | name title version
    2026-07-28 | 5 versions         | 5 versions         | 5 versions         | – no /sse
  `,
  // What is told of a tool that has every field: bare is name, description and inputSchema; hints adds annotations;
  // typed adds title and outputSchema; icons adds icons.
  list: `
    revision   | json  | sse   | websocket | http+sse
    2024-11-05 | bare  | bare  | bare      | bare
    2025-03-26 | hints | hints | hints     | hints
    2025-06-18 | typed | typed | typed     | typed
    2025-11-25 | icons | icons | icons     | icons
    2026-07-28 | icons | icons | icons     | – no /sse
  `,
  // Tools on each page, of 1,001.
  paginate: `
    revision   | json     | sse      | websocket | http+sse
    2024-11-05 | 1000 + 1 | 1000 + 1 | 1000 + 1  | 1000 + 1
    2025-03-26 | 1000 + 1 | 1000 + 1 | 1000 + 1  | 1000 + 1
    2025-06-18 | 1000 + 1 | 1000 + 1 | 1000 + 1  | 1000 + 1
    2025-11-25 | 1000 + 1 | 1000 + 1 | 1000 + 1  | 1000 + 1
    2026-07-28 | 1000 + 1 | 1000 + 1 | 1000 + 1  | – no /sse
  `,
  "a cursor that is none": `
    revision   | json       | sse        | websocket | http+sse
    2024-11-05 | 200 −32602 | 200 −32602 | −32602    | −32602
    2025-03-26 | 200 −32602 | 200 −32602 | −32602    | −32602
    2025-06-18 | 200 −32602 | 200 −32602 | −32602    | −32602
    2025-11-25 | 200 −32602 | 200 −32602 | −32602    | −32602
    2026-07-28 | 200 −32602 | 200 −32602 | −32602    | – no /sse
  `,
  // What becomes of text, image, audio, an embedded resource and a link: basic makes a resource of audio and text of a
  // link; audio makes text of a link; links has all five, and the structure; icons has the link's icons, too.
  "call with every type of content": `
    revision   | json  | sse   | websocket | http+sse
    2024-11-05 | basic | basic | basic     | basic
    2025-03-26 | audio | audio | audio     | audio
    2025-06-18 | links | links | links     | links
    2025-11-25 | icons | icons | icons     | icons
    2026-07-28 | icons | icons | icons     | – no /sse
  `,
  "call with a structure that is an array": `
    revision   | json      | sse       | websocket | http+sse
    2024-11-05 | text      | text      | text      | text
    2025-03-26 | text      | text      | text      | text
    2025-06-18 | text      | text      | text      | text
    2025-11-25 | text      | text      | text      | text
    2026-07-28 | structure | structure | structure | – no /sse
  `,
  "tool error": `
    revision   | json    | sse     | websocket | http+sse
    2024-11-05 | isError | isError | isError   | isError
    2025-03-26 | isError | isError | isError   | isError
    2025-06-18 | isError | isError | isError   | isError
    2025-11-25 | isError | isError | isError   | isError
    2026-07-28 | isError | isError | isError   | – no /sse
  `,
  // Told by a reference, and nothing of what was thrown.
  "tool that throws": `
    revision   | json      | sse       | websocket | http+sse
    2024-11-05 | reference | reference | reference | reference
    2025-03-26 | reference | reference | reference | reference
    2025-06-18 | reference | reference | reference | reference
    2025-11-25 | reference | reference | reference | reference
    2026-07-28 | reference | reference | reference | – no /sse
  `,
  "bad arguments": `
    revision   | json    | sse     | websocket | http+sse
    2024-11-05 | isError | isError | isError   | isError
    2025-03-26 | isError | isError | isError   | isError
    2025-06-18 | isError | isError | isError   | isError
    2025-11-25 | isError | isError | isError   | isError
    2026-07-28 | isError | isError | isError   | – no /sse
  `,
  "unknown tool": `
    revision   | json       | sse        | websocket | http+sse
    2024-11-05 | 200 −32602 | 200 −32602 | −32602    | −32602
    2025-03-26 | 200 −32602 | 200 −32602 | −32602    | −32602
    2025-06-18 | 200 −32602 | 200 −32602 | −32602    | −32602
    2025-11-25 | 200 −32602 | 200 −32602 | −32602    | −32602
    2026-07-28 | 200 −32602 | 200 −32602 | −32602    | – no /sse
  `,
  "unknown method": `
    revision   | json       | sse        | websocket | http+sse
    2024-11-05 | 200 −32601 | 200 −32601 | −32601    | −32601
    2025-03-26 | 200 −32601 | 200 −32601 | −32601    | −32601
    2025-06-18 | 200 −32601 | 200 −32601 | −32601    | −32601
    2025-11-25 | 200 −32601 | 200 −32601 | −32601    | −32601
    2026-07-28 | 404 −32601 | 404 −32601 | −32601    | – no /sse
  `,
  // Whether numbers alone or messages with them precede the result. Who reads JSON alone hears of the result only.
  progress: `
    revision   | json   | sse      | websocket | http+sse
    2024-11-05 | silent | numbers  | numbers   | numbers
    2025-03-26 | silent | messages | messages  | messages
    2025-06-18 | silent | messages | messages  | messages
    2025-11-25 | silent | messages | messages  | messages
    2026-07-28 | silent | messages | messages  | – no /sse
  `,
  // The levels heard of debug, info and error, before and after the client asked for errors.
  "log message": `
    revision   | json   | sse                | websocket          | http+sse
    2024-11-05 | silent | info error → error | info error → error | info error → error
    2025-03-26 | silent | info error → error | info error → error | info error → error
    2025-06-18 | silent | info error → error | info error → error | info error → error
    2025-11-25 | silent | info error → error | info error → error | info error → error
    2026-07-28 | silent | none → error       | none → error       | – no /sse
  `,
  // A legacy call whose client reads JSON alone hears of its cancellation once it takes longer than a moment.
  cancel: `
    revision   | json    | sse     | websocket | http+sse
    2024-11-05 | ended   | ended   | ended     | ended
    2025-03-26 | ended   | ended   | ended     | ended
    2025-06-18 | ended   | ended   | ended     | ended
    2025-11-25 | ended   | ended   | ended     | ended
    2026-07-28 | – proxy | – proxy | ended     | – no /sse
  `,
  list_changed: `
    revision   | json       | sse    | websocket | http+sse
    2024-11-05 | 406 −32600 | told   | told      | told
    2025-03-26 | 406 −32600 | told   | told      | told
    2025-06-18 | 406 −32600 | told   | told      | told
    2025-11-25 | 406 −32600 | told   | told      | told
    2026-07-28 | 406 −32600 | tagged | tagged    | – no /sse
  `,
  // The end of a stream of changes whose key is revoked: the stream's, a closing code, or the subscription's result.
  "end of a listener": `
    revision   | json       | sse    | websocket | http+sse
    2024-11-05 | 406 −32600 | end    | 1008      | end
    2025-03-26 | 406 −32600 | end    | 1008      | end
    2025-06-18 | 406 −32600 | end    | 1008      | end
    2025-11-25 | 406 −32600 | end    | 1008      | end
    2026-07-28 | 406 −32600 | result | 1008      | – no /sse
  `,
  // asked: a request of the server's, answered; rounds: input_required, answered with the next call; told: an error for
  // the model, where the revision has no such question or the transport no way for it.
  "question: a form": `
    revision   | json   | sse    | websocket | http+sse
    2024-11-05 | told   | told   | told      | told
    2025-03-26 | told   | told   | told      | told
    2025-06-18 | told   | asked  | asked     | asked
    2025-11-25 | told   | asked  | asked     | asked
    2026-07-28 | rounds | rounds | rounds    | – no /sse
  `,
  // A form's field that is a list: since 2025-11-25.
  "question: some of several": `
    revision   | json   | sse    | websocket | http+sse
    2024-11-05 | told   | told   | told      | told
    2025-03-26 | told   | told   | told      | told
    2025-06-18 | told   | told   | told      | told
    2025-11-25 | told   | asked  | asked     | asked
    2026-07-28 | rounds | rounds | rounds    | – no /sse
  `,
  // Since 2025-11-25.
  "question: a page to visit": `
    revision   | json   | sse    | websocket | http+sse
    2024-11-05 | told   | told   | told      | told
    2025-03-26 | told   | told   | told      | told
    2025-06-18 | told   | told   | told      | told
    2025-11-25 | told   | asked  | asked     | asked
    2026-07-28 | rounds | rounds | rounds    | – no /sse
  `,
  "question: the model": `
    revision   | json   | sse    | websocket | http+sse
    2024-11-05 | told   | asked  | asked     | asked
    2025-03-26 | told   | asked  | asked     | asked
    2025-06-18 | told   | asked  | asked     | asked
    2025-11-25 | told   | asked  | asked     | asked
    2026-07-28 | rounds | rounds | rounds    | – no /sse
  `,
  // Sound is content since 2025-03-26.
  "question: the model, about a sound": `
    revision   | json   | sse    | websocket | http+sse
    2024-11-05 | told   | told   | told      | told
    2025-03-26 | told   | asked  | asked     | asked
    2025-06-18 | told   | asked  | asked     | asked
    2025-11-25 | told   | asked  | asked     | asked
    2026-07-28 | rounds | rounds | rounds    | – no /sse
  `,
  "question: roots": `
    revision   | json   | sse    | websocket | http+sse
    2024-11-05 | told   | asked  | asked     | asked
    2025-03-26 | told   | asked  | asked     | asked
    2025-06-18 | told   | asked  | asked     | asked
    2025-11-25 | told   | asked  | asked     | asked
    2026-07-28 | rounds | rounds | rounds    | – no /sse
  `,
  "question to a client that can't answer": `
    revision   | json       | sse        | websocket | http+sse
    2024-11-05 | told       | told       | told      | told
    2025-03-26 | told       | told       | told      | told
    2025-06-18 | told       | told       | told      | told
    2025-11-25 | told       | told       | told      | told
    2026-07-28 | 400 −32021 | 400 −32021 | −32021    | – no /sse
  `,
  // The version agreed on, or the refusal.
  "unknown version asked for": `
    revision   | json       | sse        | websocket  | http+sse
    2024-11-05 | 2025-11-25 | 2025-11-25 | 2025-11-25 | 2025-11-25
    2025-03-26 | 2025-11-25 | 2025-11-25 | 2025-11-25 | 2025-11-25
    2025-06-18 | 2025-11-25 | 2025-11-25 | 2025-11-25 | 2025-11-25
    2025-11-25 | 2025-11-25 | 2025-11-25 | 2025-11-25 | 2025-11-25
    2026-07-28 | 400 −32022 | 400 −32022 | −32022     | – no /sse
  `,
  // Afterwards. A modern request is refused because its header is not what its body says.
  "unknown version in the header": `
    revision   | json       | sse        | websocket   | http+sse
    2024-11-05 | 400 −32022 | 400 −32022 | – no header | – no header
    2025-03-26 | 400 −32022 | 400 −32022 | – no header | – no header
    2025-06-18 | 400 −32022 | 400 −32022 | – no header | – no header
    2025-11-25 | 400 −32022 | 400 −32022 | – no header | – no header
    2026-07-28 | 400 −32020 | 400 −32020 | – no header | – no /sse
  `,
  "unknown session": `
    revision   | json    | sse     | websocket | http+sse
    2024-11-05 | 404 404 | 404 404 | – no id   | 404 404
    2025-03-26 | 404 404 | 404 404 | – no id   | 404 404
    2025-06-18 | 404 404 | 404 404 | – no id   | 404 404
    2025-11-25 | 404 404 | 404 404 | – no id   | 404 404
    2026-07-28 | served  | served  | – no id   | – no /sse
  `,
  // A request, a notification and an unknown method in one array.
  batch: `
    revision   | json             | sse              | websocket     | http+sse
    2024-11-05 | 400 −32600       | 400 −32600       | −32600        | −32600
    2025-03-26 | 200 result error | 200 result error | result error  | result error
    2025-06-18 | 400 −32600       | 400 −32600       | −32600        | −32600
    2025-11-25 | 400 −32600       | 400 −32600       | −32600        | −32600
    2026-07-28 | 400 −32600       | 400 −32600       | −32600        | – no /sse
  `,
  "empty batch": `
    revision   | json       | sse        | websocket | http+sse
    2024-11-05 | 400 −32600 | 400 −32600 | −32600    | −32600
    2025-03-26 | 400 −32600 | 400 −32600 | −32600    | −32600
    2025-06-18 | 400 −32600 | 400 −32600 | −32600    | −32600
    2025-11-25 | 400 −32600 | 400 −32600 | −32600    | −32600
    2026-07-28 | 400 −32600 | 400 −32600 | −32600    | – no /sse
  `,
  ping: `
    revision   | json       | sse        | websocket | http+sse
    2024-11-05 | {}         | {}         | {}        | {}
    2025-03-26 | {}         | {}         | {}        | {}
    2025-06-18 | {}         | {}         | {}        | {}
    2025-11-25 | {}         | {}         | {}        | {}
    2026-07-28 | 404 −32601 | 404 −32601 | −32601    | – no /sse
  `,
} as const;

export type Feature = keyof typeof EXPECTATIONS;

export interface Cell extends Place {
  feature: Feature;
  expected: string;
}

/** Every cell of a table. Throws when one is missing or there is one too many. */
export function readTable(feature: Feature): Cell[] {
  const [head = [], ...rows] = EXPECTATIONS[feature]
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const cells = rows.flatMap(([row = "", ...words]) =>
    words.map((expected, index) => {
      const revision = REVISIONS.find((name) => name === row);
      const transport = TRANSPORTS.find((name) => name === head[index + 1]);
      if (!revision || !transport) throw new Error(`${feature}: ${row} × ${head[index + 1]} is no cell`);
      return { feature, revision, transport, expected };
    }),
  );
  const places = new Set(cells.map(({ revision, transport }) => `${revision} ${transport}`));
  if (cells.length !== REVISIONS.length * TRANSPORTS.length || places.size !== cells.length) {
    throw new Error(`${feature}: expected every revision × transport once, received ${cells.length} cells`);
  }
  return cells;
}
