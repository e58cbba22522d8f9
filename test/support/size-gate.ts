# toolgate

An MCP ([Model Context Protocol](https://modelcontextprotocol.io)) **tool server that lives on Cloudflare Workers**. Deploy
it once and you have a public tool endpoint in every Cloudflare location, gated by API keys, whose catalogue changes while it
runs and whose clients hear of the change.

- **Every revision on one endpoint**: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and the stateless 2026-07-28, over
  Streamable HTTP (JSON and streams), WebSocket and HTTP+SSE. The official conformance suite runs in CI.
- **A warm call makes no object hop**: key, limits and catalogue are already in the isolate that answers (for keys with 60
  calls a minute and a burst of 4 or more; smaller ones are counted one by one to be exact).
- **Limits hold**: a key is never admitted beyond what it may, by the minute, by the day, by tool or at the same time,
  however many isolates serve it.
- **Changes are heard**: disable a tool, and every client that listens is told within a second, over WebSocket, GET
  streams, `subscriptions/listen` or `/sse`; the list it then asks for is never the older one.
- **Idle costs nothing**: connected, silent clients let every object hibernate.
- **One answer to every request**, whatever a tool returns, throws or never finishes.
- **Every call and every admin action leaves a row** in an audit trail, written off the answer's path; admin actions form a
  chain of hashes.

## Start

You need Node 20 or newer and npm. Everything else comes with `npm ci`, a newer Node for the scripts included (npm warns of
`EBADENGINE` on Node 20: that is why, and harmless). After that no network is needed.

```sh
npm ci && npm start
```

The first start makes `.dev.vars` with random secrets and mints a key. It prints the endpoint, the key, a configuration to
paste into Claude Code, Cursor or VS Code, and a `curl` line that works as it stands:

```sh
curl -s http://127.0.0.1:8787/mcp -H 'content-type: application/json' -H 'authorization: Bearer tg_…' \
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"current_time","arguments":{}}}'
```

```json
{
  "jsonrpc": "2.0",
  "id": 1,
  "result": { "content": [{ "type": "text", "text": "Tuesday 2026-12-01T03:43:09.632+00:00 (UTC)" }] }
}
```

(With no `MCP-Protocol-Version` header a client speaks 2025-03-26, which has no structured content: newer ones get that too.)

`ready` comes once the server answers; Ctrl-C ends all that was started. Keys and state stay in `.wrangler/state`. `PORT`
moves the server (`PORT=9000 npm start`, and the same before `npm run toolgate`), `STATE_DIR` its state; two servers need two
of each.

```sh
npm ci && npm test
```

runs the whole suite, offline. `npm run check` adds format, lint, types, the build and the size gate: what CI runs.

## Change the catalogue while it runs

In a second terminal, with the server running:

```sh
npm run toolgate -- tools list
npm run toolgate -- tools disable tone     # every connected WebSocket session hears list_changed
npm run toolgate -- tools enable tone
npm run toolgate -- keys create --name "my client" --per-minute 60
npm run toolgate -- keys list
npm run toolgate -- keys change <id> --per-day 1000 --tool-limit "fetch_*=6" --deny "qr_*"
npm run toolgate -- keys rotate <id> --overlap-seconds 600   # both secrets work for ten minutes
npm run toolgate -- keys revoke <id>       # refused everywhere within two seconds
npm run toolgate -- sessions list          # who is connected and hears of changes
npm run toolgate -- stats                  # calls, errors, denials, latency of the last hour; --window day
```

`npm run toolgate -- --help` lists every command; `--json` prints what the admin API answered. `TOOLGATE_URL` and
`TOOLGATE_ADMIN_KEY` point it at a deployment.

## Keys and limits

A key says what its holder may do; `keys change` (`PATCH /admin/v1/keys/{id}`, a merge patch: what is absent stays, `null`
clears) alters all of it but where the key works.

| of a key               | means                                                                                                              |
| ---------------------- | ------------------------------------------------------------------------------------------------------------------ |
| `tools.allow`, `.deny` | globs; a tool that is hidden is not listed, and calling it is answered as if it were not there                     |
| `limits.perMinute`     | calls a minute, `burst` of them at once (a whole minute's by default)                                              |
| `limits.tools`         | the same for the tools that match a glob, besides the key's own: a call pays every bucket that it falls under      |
| `limits.perDay`        | calls a day, which begins at 00:00 UTC                                                                             |
| `limits.concurrent`    | calls that run at the same time                                                                                    |
| `limits.streams`       | sockets and streams that it may hold open at a hub, 16 by default                                                  |
| `scopes`               | `mcp` (the endpoint), `admin:read`, `admin`                                                                        |
| `expiresAt`            | when it ends by itself                                                                                             |
| `discovery`            | lists `search_tools` and `call_tool` in the catalogue's place: see [Connect a client](#connect-a-client)           |
| `urlKey`, `region`     | works in the path alone; where its object is made, by Cloudflare's location hints (near to who mints it otherwise) |

A call costs 1 of all these, or what its tool says (`cost: 5` beside `input`, or `PATCH /admin/v1/tools/{name}` with `cost`),
but of no bucket more than that can hold.

`POST /admin/v1/keys/{id}/rotate` (`{"overlapSeconds": 600}`; an hour by default) gives a key another secret. Both work during
the overlap; then the old one is refused, and what it holds open is closed. With 0 all earlier secrets end at once. Sessions
belong to the key and go on. A change of rules, scopes, expiry or discovery closes the key's sockets and streams: clients that come back
have the new ones.

Who asks for too much gets 429 with `Retry-After`, and the same in the error's `data`: `{retryAfterSeconds, limit, scope}`, where
`scope` is `key`, `tool` (with the glob in `tools`), `day`, `concurrent` or `control`. Every answer that was paid for has
`RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): what the key's object had left when this isolate asked
last, and what the isolate has prepaid. Others may have spent since; `t` is the time until a bucket is full again.

To rotate the signing secret, set the old one as `SIGNING_SECRET_PREVIOUS` and a new `SIGNING_SECRET`: keys, sessions, cursors and
calls that wait for input go on. A key that is rotated after that needs the old one no more.

## See what was called

```sh
npm run toolgate -- audit --tool tone --outcome limited --since 2027-01-31T00:00:00Z
npm run toolgate -- audit export trail.ndjson     # everything, a JSON object a line
npm run toolgate -- audit verify                  # no admin action was changed, taken out or moved
```

A row of a call has its time, key id, tool, catalogue version, outcome, duration, sizes, client, revision, transport and W3C
trace id (`traceparent`, in `_meta` or a header), and the SHA-256 of its arguments: never a key, and the arguments themselves
only with `AUDIT_ARGUMENTS = "clear"`, without values named like secrets and cut at 4,096 characters. Outcomes: `ok`,
`tool_error`, `invalid_arguments`, `unknown_tool`, `cancelled`, `timeout`, `failed`, `input_required`, `client_unable`,
`invalid_request`, `not_repeated` (409 and 422 of an idempotency key), `limited`, `forbidden`, `unauthorized`, `unavailable`.
`replayed` is there where an earlier call's answer was given again. A row of an admin action says who (`admin` for the
deployment's own key, else a key's id), what and to what, and what came of it.

`GET /admin/v1/audit` takes `kind` (`call`, `admin`), `key`, `tool`, `outcome`, `since`, `until`, `limit` and `cursor`, newest
first; with `format=ndjson`, or `Accept: application/x-ndjson`, it streams up to 100,000 rows, and the last line has the
kind `end`: without it, what came is not all. `GET /admin/v1/stats` takes `window` (`hour`, `day`), `key` and `tool`;
latencies are upper bounds of fixed buckets. Both say in `lost` which rows they don't have, by reason.

`audit verify` checks the chain on your machine and prints its head. Who can write to the storage of the registry could
forge the whole chain: keep that head elsewhere, and give it to a later check with `--expect`.

## Add a tool while it runs

A tool can also be data: a record that is put into the catalogue, replaced and deleted while the server runs, with no
deploy. Its JSON Schemas are listed as they came.

```sh
npm run toolgate -- tools put find_user find-user.json   # listed, callable and announced within a second
npm run toolgate -- tools history find_user              # what it was, and who changed it
npm run toolgate -- tools delete find_user
```

`PUT /admin/v1/tools/{name}` takes the record, `POST /admin/v1/tools` several changes as one version, all or none:
`{"changes": [{"op": "put", "name": …, "record": …}, {"op": "patch", "name": …, "patch": {"enabled": false}}, {"op": "delete",
"name": …}]}`. Both take `If-Match` with the catalogue's version and answer with the next one. Names match
`^[A-Za-z0-9_-]{1,64}$`, which every client takes; `"allowDots": true` allows dots. Also in a record: `title`, `annotations`,
`icons`, `outputSchema`, `timeoutMs`, `cost`, `enabled`. A catalogue holds 5,000 tools of 16 Mi characters together, and
each tool's last 20 versions.

### An HTTP API as a tool

A request to one https host that arguments fill in:

```json
{
  "description": "Finds a user.",
  "inputSchema": {
    "type": "object",
    "properties": { "id": { "type": "string" }, "q": { "type": "string" } },
    "required": ["id"]
  },
  "source": {
    "kind": "http",
    "method": "GET",
    "url": "https://api.example.com/users/{id}",
    "query": { "q": "{q}" },
    "headers": { "authorization": "Bearer {{secret:EXAMPLE_TOKEN}}" }
  }
}
```

`{name}` is an argument: in path segments (then `required`), query, header and body values. A string that is nothing but
`{name}` is its JSON value in a body, one member an item for a list in a query or form; `{name,}`, `{name|}` and `{name+}`
join a list. What is absent is left out. `{{` and `}}` are braces as text. `content-type` makes the body a form or text.
Values are encoded for where they stand; what would climb the path or break a header is refused before anything is sent.

`{{secret:NAME}}` is a secret, in `query` and `headers`: `npm run toolgate -- secrets set NAME` reads it from standard
input. It is in use everywhere within 30 s, no route shows it, and results and errors never repeat it. To rotate
`SECRETS_KEY`, set the old one as `SECRETS_KEY_PREVIOUS` and a new `SECRETS_KEY`, run `secrets reseal`, delete the previous
one.

The content type makes the answer text, structured content, image, audio or resource, unless `result` says which. Statuses
of 400 and more are error results with at most 500 characters of the body. GET, HEAD, PUT and DELETE are sent again, at
most twice, after a failed connection or 502, 503, 504 (`Retry-After` counts). GET answers are cached per key as `max-age`
and validators allow; send `cache-control: no-cache` to turn that off.

### Import OpenAPI

```sh
npm run toolgate -- import openapi api.yaml --dry-run
npm run toolgate -- import openapi api.yaml --include-tag ships --prefix harbour_
```

Each operation of an OpenAPI 3.0 or 3.1 document (JSON or YAML) becomes an HTTP tool or is named with the reason why not.
Parameters and the properties of a plain JSON body or form are the tool's arguments (`body_id` when `id` is taken); any other
body is one argument, `body`. Credentials become secrets to set, such as `HARBOUR_API_TOKEN`. `$ref`s are never fetched:
bundle documents that are several files. Importing again updates the same tools and keeps what you set on them; tools no
longer in the document stay until `--remove-gone`, and other tools of the same name are never touched. `--server` sends
requests elsewhere, `--header "authorization: Bearer {{secret:X}}"` adds to each. `--output-schemas` declares what the
document says of answers: a call then fails when the API answers otherwise. Limits: 8 MiB, 5,000 operations, 2,000 tools.

### A tool as code

A JavaScript module comes with a tool's record (`"source": {"kind": "code", "module": "…", "egress": [hosts], "secrets":
[names]}`) and runs in an isolate of its own, never in the server's:

```js
import { ToolError } from "toolgate";

export default async ({ city }, ctx) => {
  const response = await fetch(`https://api.example.com/weather?q=${encodeURIComponent(city)}`, {
    headers: { authorization: `Bearer ${ctx.secrets.EXAMPLE_TOKEN}` },
  });
  if (!response.ok) throw new ToolError(`There is no weather for ${city}.`);
  return { structuredContent: await response.json() };
};
```

- It is plain JavaScript in one file, up to 512 Ki characters; packages have to be bundled into it. When it is put into
  the catalogue it is loaded once, and refused with the line where it does not load or has no function as default export.
- It returns what any tool returns, as JSON has it. A `ToolError` is for the model; of anything else the log has the name,
  the message and the line (`tool.js:3:7`).
- `ctx.progress(progress, total?, message?)`, `ctx.log(level, data)`, `ctx.caller`, `ctx.signal`, `ctx.fetch` (the same as
  `fetch`) and `ctx.secrets`, which has the secrets that the record names. Their values are taken out of all that a call
  gives back. When the signal fires the call is over: listeners still run, what they start does not.
- `fetch` reaches the hosts in `egress` over https, as the guard lets it: redirects are always followed and checked, bodies
  that are sent are text, 1 MiB each way, 50 requests a call. There are no sockets, no cache, no bindings, no `eval`.
- What a module keeps outside of its function is **shared by all calls of that version**, whoever makes them: keep nothing
  there that belongs to one caller. Another version, or the same with other hosts or secrets, starts afresh.

**What holds a module in.** On Cloudflare it has a V8 isolate with its own memory limit (128 MB), apart from the server's
process state, 2 s of CPU time a call and a bounded number of requests; what goes over ends with an error. The isolate has
no network, no environment and no binding: the only way out is the call's own, which ends with the call and judges each
request on the server's side. A module can spoil its own tool (exit, hang, overwrite globals, leave state behind), and
tell what it was given to the hosts that its record lists; it can't reach other tools, other keys or the server. A local
server (`npm start`, the tests) has the same walls but **no CPU and memory limits**: an endless loop, or a pattern that
backtracks for ever, stops it altogether, the check before a module is kept included, until it is started again. Nothing of
such a module is kept then. So put only modules that you trust into a server on your own machine.

### Other MCP servers

```sh
npm run toolgate -- secrets set FILES_TOKEN
npm run toolgate -- upstreams add files https://files.example.com/mcp \
  --header 'authorization: Bearer {{secret:FILES_TOKEN}}' --exclude 'delete_*'
npm run toolgate -- upstreams list          # how each is, what of it is not served
npm run toolgate -- upstreams refresh files # list its tools now, and say which are not served and why
npm run toolgate -- upstreams remove files
```

The tools of an upstream appear as `<name>_<tool>`, with schemas as they came. A name that clients would refuse is cut and
marked with a hash; a tool with a schema or hidden characters that would be refused here, or with a name that another tool
has, is left out and named in `status.skipped`. What you decide about one (`tools disable`, annotations, cost) stays.

- **Servers** of Streamable HTTP, with sessions (2025-03-26 to 2025-11-25) or without (2026-07-28), which is found out when
  its tools are listed. HTTP+SSE of 2024-11-05 is not spoken. At most 50 upstreams, 500 tools and 4 MiB of list each.
- **Its list is followed**: every 4 to 6 minutes, when it says so on a call's stream, and when it refuses a tool that it had
  or arguments that keep to the schema (then at most every 10 s). A list is one change of the catalogue, and clients hear of
  it as of any other. While it fails, the tools that were there stay, `status` says since when and why, and calls tell the
  model that the upstream can't be reached. Nothing else is touched.
- **Calls** are checked by the schema here first. Progress and logs are passed on, a cancellation or the deadline ends the
  call there too. It gets the headers of its record and nothing of the caller's: not the key, not who it is. A secret of those
  headers is taken out of all that it answers. Sampling, elicitation and roots are not passed on, nor is a stream that an
  upstream breaks off to be resumed.
- **A session is shared** by all callers of an isolate. Don't add a server that keeps things in its sessions that one caller
  must not see of another.
- Its descriptions, hints and results are its own words. Add servers that you trust as much as your own tools.

`PUT /admin/v1/upstreams/{name}` takes `{url, headers?, include?, exclude?, timeoutMs?, enabled?}` and lists at once; `GET`,
`DELETE` and `POST …/refresh` go with it.

### Lint

`npm run toolgate -- tools lint` says what Claude, OpenAI, Gemini, Cursor and VS Code make of the catalogue, `tools lint
NAME` of one tool, `tools lint --file FILE` of a definition (or a list of them) before you put it in; `--client gemini`
narrows it, and the exit code is 1 when a client refuses something. It knows names, descriptions, JSON Schema keywords, sizes,
hints, `x-mcp-header`, hidden characters, and wording that speaks to the model behind the user's back. A definition that
breaks for every client is refused when it is put; everything else comes back as `warnings`.

## Write a tool in the code

A tool that is deployed with the server is a file in `src/tools/builtin/`, listed in `catalog.ts` there. Valibot says what goes in and comes out; the JSON
Schemas that clients see are made from it, and both sides are checked at every call. Save this as
`src/tools/builtin/word-count.ts`, add `wordCount` to `builtinTools` in `catalog.ts`, and the running server has it a second
later:

```ts
import * as v from "valibot";
import { defineTool } from "../define-tool.ts";

export const wordCount = defineTool({
  name: "word_count",
  title: "Word count",
  description: "Counts the words of a text.",
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: v.strictObject({ text: v.pipe(v.string(), v.maxLength(10_000), v.description("The text to count")) }),
  output: v.object({ words: v.number() }),
  run: ({ text }) => ({ structuredContent: { words: text.split(/\s+/).filter(Boolean).length } }),
});
```

`run(input, ctx)` gets the checked arguments and the call's context, and may be async:

- It returns a string, content (`text`, `image`, `audio`, `resource`, `resourceLink` from `tools/content.ts`), a list of them,
  or a whole result; with an `output` schema always `{ structuredContent, content? }`. What an older revision has no word for
  is translated for its clients.
- `throw new ToolError("…")` (`tools/tool-error.ts`) tells the model what to change. Anything else that is thrown reaches the
  caller as `Tool failed (ref …)`; the log line with that `ref` has the cause.
- `ctx.signal` fires at the deadline (`timeoutMs`, 30 s by default) and when the client cancels. `ctx.fetch` is the way
  out: https to public hosts only, redirects checked, bodies bounded. `ctx.caller` says whose key it is.
- `ctx.reportProgress(progress, total?, message?)` reaches clients that asked for it, `ctx.log(level, data)` those that want
  that level: `info` and above in legacy revisions unless they say otherwise, nothing in 2026-07-28 unless they ask. The
  answer then becomes a stream by itself, as it does when a call takes longer than 2 s, for clients whose `Accept` names
  `text/event-stream`; others get JSON at the end.
- `ctx.requireInput` asks the client's user (`elicit`, `elicitUrl`), its model (`sample`) or for its roots (`listRoots`, all
  from `tools/input-request.ts`), several at once if need be:

  ```ts
  const { who } = await ctx.requireInput({
    who: elicit("What is your name?", { type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
  });
  if (who.action !== "accept") return "As you like."; // or "decline", "cancel"
  const { poem } = await ctx.requireInput({
    poem: sample({ messages: [{ role: "user", content: text(`Greet ${who.content?.name}`) }], maxTokens: 100 }),
  });
  ```

  In legacy revisions the question goes out on the call's stream and the tool waits. In 2026-07-28 the call ends with
  `input_required`, and the tool **runs again from its start** once the client has the answers: do nothing before it that
  must not be done twice. A client that can't answer is told so (−32021), or in legacy revisions the model is.

- `paramHeaders: { region: "Region" }` beside `input` has clients mirror an argument into `Mcp-Param-Region`.

Saving a file reloads the server, which drops open sockets and streams. A definition that breaks a rule stops it, and would
stop a deploy: mend it and start again.

The five that come along show every kind of content: `calculate` and `current_time` (structured), `qr_code` (image),
`tone` (audio), `fetch_page` (embedded resource and resource link). The tests use them: switch off with `tools disable` what
you don't want to offer, or take it out of `catalog.ts` together with its tests.

## Connect a client

| client                           | how                                                                                                                                                             |
| -------------------------------- | --------------------------------------------------------------------------------------------------------------------------------------------------------------- |
| anything that sends headers      | `https://<host>/mcp` with `Authorization: Bearer <key>` or `X-API-Key: <key>`                                                                                   |
| a WebSocket client               | `wss://<host>/mcp`, subprotocol `mcp`; the key in a header, or as `mcp.auth.<key>` beside `mcp`                                                                 |
| a client of 2024-11-05           | `https://<host>/sse` with the key in a header                                                                                                                   |
| a client that can send no header | `https://<host>/k/<url key>/mcp` (also `wss:`, and `…/sse`) with a key minted by `keys create --url-key`, which works nowhere else; claude.ai's connectors, say |

A client whose connection breaks can't know whether its call ran. Give the call a key of its own, and send it again with the
same one: `_meta["io.toolgate/idempotencyKey"]` on every transport, or over Streamable HTTP the header
`Idempotency-Key: "8e03978e-…"` (draft-ietf-httpapi-idempotency-key-header; not for batches). 1 to 128 visible ASCII characters,
a random one for each call. The tool runs once; whoever repeats the call gets its answer, an error result too, marked
`_meta["io.toolgate/idempotentReplay"]: true`, for 24 hours and in the words of whatever revision asks. Or an error, whose `data`
says why in `idempotency` (after those 24 hours it is a new call):

| `idempotency` | code, HTTP status | means                                                                                                                                         |
| ------------- | ----------------- | --------------------------------------------------------------------------------------------------------------------------------------------- |
| `running`     | 409               | the first call still runs: come back after `retryAfterSeconds`                                                                                |
| `unknown`     | 409               | it may or may not have run (cancelled, or lost: known 10 s after the tool's deadline); it is never run again: find out, then take another key |
| `completed`   | 409               | it ran, but its answer is not kept: it was larger than 1 MiB, or newer ones of the API key fill 64 MiB                                        |
| `mismatch`    | 422               | the key was for another tool or other arguments (compared as values: spelling and the order of members don't matter)                          |

Keys of one API key mean nothing to another. A repeat costs what the call costs. A call that is refused before its tool runs
(429, 503, unknown tool, arguments that don't fit) leaves its key free. So does one that ends with `input_required`: the key is
for the call as a whole, and its last round is what counts and is repeated.

**Thousands of tools** are too much for a model's context. A key with discovery (`keys create --discovery`, or `keys change`;
`--clear discovery` takes it back) lists two, in about 1,000 bytes, whatever the catalogue holds. `search_tools` takes a
query and a limit (5 by default, 20 at most) and answers names, shortened descriptions and input schemas of the best matches
among what the key may see, by names, titles, descriptions and the parameters of each. `call_tool` takes a name and
arguments, and is that tool's call in all else: its cost and limits, messages, progress and questions, its row in the audit
trail. A tool that is not there is an error that the model reads. Of the headers that mirror arguments, those that come must
be right, but none must come. Tools can be called by their own names as well, and `list_changed` says that a search may find
something else. No other tool can be named `search_tools` or `call_tool`; one that was before keeps its name and its calls.

A legacy client may call without `initialize`: its revision is what `MCP-Protocol-Version` says, 2025-03-26 without one.

## Deploy

Choose an admin key, long and random, and keep it where you keep such things. Then:

```sh
npx wrangler login
npx wrangler deploy                        # prints the URL
node -p 'crypto.randomBytes(32).toString("base64url")' | npx wrangler secret put SIGNING_SECRET
node -p 'crypto.createHash("sha256").update(process.env.ADMIN_KEY).digest("hex")' | npx wrangler secret put ADMIN_KEY_HASH
node -p 'crypto.randomBytes(32).toString("base64url")' | npx wrangler secret put SECRETS_KEY
TOOLGATE_URL=https://… TOOLGATE_ADMIN_KEY=$ADMIN_KEY npm run toolgate -- keys create --name "first client"
```

The fourth line reads the admin key from the environment variable `ADMIN_KEY`.

A deployment never has the admin key, only its SHA-256. Until `SIGNING_SECRET` is set, `/healthz` answers 503
`misconfigured`. Workers Paid or Free both do: all objects are SQLite-backed. On Free, take `[[worker_loaders]]` out of
`wrangler.toml`: without that binding code tools are refused, and all else works.

| name                      | default | meaning                                                                                                |
| ------------------------- | ------- | ------------------------------------------------------------------------------------------------------ |
| `SIGNING_SECRET`          | –       | signs keys, session ids and cursors                                                                    |
| `SIGNING_SECRET_PREVIOUS` | –       | still accepted while you rotate; keys minted under it work as long as it is set                        |
| `ADMIN_KEY_HASH`          | –       | SHA-256 of the admin key, hex. `ADMIN_KEY` in clear is for `.dev.vars` only                            |
| `SECRETS_KEY`             | –       | seals the secrets that tools use; without it they are off (503) and tools that need one fail           |
| `SECRETS_KEY_PREVIOUS`    | –       | still opens what it sealed, until `secrets reseal` has sealed it anew                                  |
| `ALLOWED_ORIGINS`         | empty   | exact origins that browsers may call from, besides the server's own; loopback origins only on loopback |
| `ALLOWED_HOSTS`           | empty   | when set, the only `Host` values that are served; `npm start` sets the loopback names                  |
| `EGRESS_ALLOW`            | empty   | `host:port` list that tools may reach although it is private: local development and tests only         |
| `URL_KEYS`                | `on`    | `off` refuses `/k/…` altogether                                                                        |
| `AUDIT_ARGUMENTS`         | `hash`  | what rows of calls have of arguments besides their size: `hash`, `clear` (redacted and cut), `off`     |
| `AUDIT_DAYS`              | `30`    | how long rows of calls are kept, 1 to 3,650 days                                                       |
| `AUDIT_FLUSH_MS`          | `1000`  | how long a row waits in its isolate for others, up to 10,000: what a killed isolate can lose           |

Rows of calls can go to Workers Analytics Engine and to a queue as well. Bind either, and it is used:

```toml
[[analytics_engine_datasets]]
binding = "AUDIT_ANALYTICS" # index: key; blobs: tool, outcome, transport, revision; doubles: ms, bytes in, bytes out

[[queues.producers]]
binding = "AUDIT_QUEUE" # a JSON message a row, at least once
queue = "toolgate-audit"
```

`[[ratelimits]]` in `wrangler.toml` says how many keys that nobody minted an address may send in a minute (100); more are
answered 429. Without the binding there is no such ceiling.

## How it is built

```
src/
  index.ts      Worker entry: the built-in tools, every object class
  compose.ts    puts a Worker together from the tools in its code
  cli/          local start-up and admin CLI (Node); talks to the server over HTTP only
  http/         the edge app; the only importer of Hono
  sessions/     session-hub and call-relay objects, and the edge's side of both
  server/       what each MCP method does, free of transport
  registry/     tool-registry object, its replicas, catalogue (pure), edge snapshot
  openapi/      OpenAPI documents as tool records (pure)
  lint/         what clients refuse in a tool's definition, and what it hides (pure)
  tools/        defineTool, context, results, run-tool, the egress guard, builtin/, http-tool/, code-tool/,
                upstream/, json-schema/
  keys/         key format, api-key object, leases, buckets, quotas, slots, the edge's cache of them, strangers
  audit/        rows of calls, their recorder, audit-log object, the chain of admin actions, statistics
  secrets/      sealing and opening of tools' secrets, the edge's cache of them
  protocol/     JSON-RPC and MCP on the wire: one table of revisions, one codec an era
  sanitize/     takes secrets out of what tools give back
  telemetry/    structured log, trace context
  lib/          limits, signing, base64, json, …
  env.ts        bindings; the only place that names a Durable Object instance
test/           mirrors src/, inside workerd; journeys/, matrix/ and cli/ run in Node over real sockets; conformance/ is
                the official suite, bench/ measures
```

That order is the order of layers: a file imports values only from its own folder or from folders further down
(`test/tidy.test.ts` checks it). Code in `*-object.ts` runs in a Durable Object, together with the pure steps and the tables
that it calls; everything else runs at the edge.

| object             | one                          | holds                                                                                                                                       |
| ------------------ | ---------------------------- | ------------------------------------------------------------------------------------------------------------------------------------------- |
| `ToolRegistry`     | in all                       | tools that came as data, operators' decisions, the version, sealed secrets, upstreams, admin actions, the index of keys, the roster of hubs |
| `CatalogueReplica` | a region, once there are two | a copy of the catalogue, so that version checks stay in the region                                                                          |
| `ApiKey`           | a key                        | the key's record, its buckets, what it used of its day, who runs its calls where those are bounded, idempotent calls             |
| `SessionHub`       | 8,000 sockets of a region    | hibernating WebSockets: clients', and one for each stream that the edge holds                                                               |
| `CallRelay`        | a legacy call that streams   | the stream's messages for a client that comes back; its answers and cancellation on their way to the isolate that runs the call             |
| `AuditLog`         | an eighth of the isolates    | rows of calls, and counts by key, tool, outcome and latency                                                                                 |

**A call.** `http/` checks the key's MAC (no look-up), reads at most 1 MiB of body, and settles the revision: what `_meta`
declares, else what the signed session id carries, else the header. `keys/` pays what the tool costs out of the isolate's
lease.
`server/` finds the tool in the snapshot, `tools/` checks the arguments, runs it under a deadline and checks what came out,
`protocol/` encodes it for the revision. What came of it goes to the isolate's next batch of audit rows, written in the
background.

**A change.** The admin API asks `ToolRegistry`, which commits the row, the next version and an alarm together, and answers.
200 ms later the alarm tells the regions' replicas first, then publishes the version to each hub on the roster, and the hub
tells each socket that has not heard of it and whose key may see what changed. A GET stream, a subscription or `/sse` is held
by the edge, which hears from the hub over a socket of its own, so that hubs can sleep; when that socket drops, the edge joins
again within the same stream and the hub compares versions. The roster is the outbox: a hub whose acknowledged version is
behind is tried again, with growing pauses, and after a crash as soon as anything wakes the registry.

| who listens                                     | hears what it missed                                                                                          |
| ----------------------------------------------- | ------------------------------------------------------------------------------------------------------------- |
| a WebSocket session, `/sse`                     | begins anew when it comes back, and lists                                                                     |
| a legacy GET stream                             | from the version that its session began with, or that `Last-Event-ID` names                                   |
| `subscriptions/listen` (no session, 2026-07-28) | of any change as young as a list that it may still hold by its `ttlMs`, once, right after the acknowledgement |

A socket lives until its key ends, its client leaves, or 9 to 15 hours have passed without a word of it. WebSocket sessions
are asked for a sign of life every 10 minutes (MCP's own `ping`; 10 s to answer); SSE clients get a comment every 25 s, and
one that is gone is noticed within a second of it. At most 32 requests at once and 500 frames a second on a socket; a frame
over 1 MiB closes it with 1009, a binary one with 1003, a first message that opens no session with 1008.

### What is promised, and how exactly

| promise                                      | bound                                                                                                                                                                                                                  |
| -------------------------------------------- | ---------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------- |
| calls admitted in any window _w_             | burst + rate × (_w_ + 2 s); exactly the burst at once for rates below 60 a minute, which are never prepaid                                                                                                             |
| calls a day                                  | never more than the quota, through evictions and kills. Of what is left, an isolate that falls silent takes a twentieth with it at most                                                                                |
| calls at the same time                       | never more, while isolates and the key's object hear from each other within 400 ms; else as many more as kept slots are used meanwhile, a quarter of the limit at most. After a crash slots are free again within 30 s |
| a key's object can't be asked                | keys that were good within 2 minutes: 6 requests a minute and isolate, of tools that can't destroy. Not those with a quota or a bound on running calls. Everyone else, and the admin API: 503 with `Retry-After`       |
| changes by the admin API                     | 300 at once, 600 a minute, by key                                                                                                                                                                                      |
| a rotated secret is refused                  | within 2 s of the overlap's end; what it holds open is closed about 200 ms after it                                                                                                                                    |
| a revoked or expired key is refused          | within 2 s everywhere (but see what can't be asked); its sockets and streams of changes are closed about 200 ms later. A call that runs already ends with its answer                                                   |
| a session that was ended (DELETE) is unknown | at once where it was ended, within 2 s everywhere                                                                                                                                                                      |
| a call runs on a catalogue no older than     | 30 s; 10 minutes while the registry can't be reached                                                                                                                                                                   |
| `tools/list`, `search_tools`                 | never older than any version that a client was told of; in a single region, than the version at the time it was asked (10 minutes while the registry can't be reached)                                                 |
| a secret that was set or deleted             | in use, or out of it, everywhere within 30 s; 10 minutes while the registry can't be reached                                                                                                                           |
| a change is heard                            | about 200 ms later, at least once; up to 3 s later while a region's replica can't be reached; over 10,000 listeners are told at 2,000 a second, within 30 s                                                            |
| a call's row is in the trail                 | about a second after the call; an isolate that is killed loses what it had not written yet, 2,000 rows at most                                                                                                         |
| an admin action's row is in the trail        | in the transaction of the change it records (of a key: of the index of keys)                                                                                                                                           |
| a call under an idempotency key              | runs at most once in 24 h, through evictions and kills (the newest 100,000 of an API key); its answer is on disk before it is given. At most 1,000 of an API key run at once: then 429                                 |
| limits                                       | one record: [`src/lib/limits.ts`](src/lib/limits.ts)                                                                                                                                                                   |

Requests other than `tools/call` (handshakes, lists, pings) and what can't be served at all are paid from a bucket of
their own: 600 a minute a key, 120 at once, or a key's own rate and a fifth of it if that is more. A key may hold 16 sockets and streams open at a hub; a hub holds 8,000, and who
comes later to a region gets the next one.

Rows of calls that are not written are counted: those beyond 2,000 while no log answers, refusals (`limited`,
`unauthorized`, `unavailable`) beyond 100 a batch, and the oldest of a log beyond 1 GiB. What a hub refuses unread, more
than 32 requests at once on a socket, has no row, and neither has a call whose request the platform cut off. The newest
10,000 admin actions of the last 400 days are kept.

### Schemas of tools that come as data

JSON Schema 2020-12, which is the default, or draft-07, which `$schema` must name; others are refused by name. `inputSchema`
has `type: "object"` at its root, `outputSchema` may be anything. `format`, `default`, `contentEncoding` and the like are
annotations. Everything else is checked, `unevaluatedProperties` included, but for what can't be bounded beforehand:

- `$ref` stays inside the schema (pointers, `$anchor`, `$id`); nothing is fetched. No `$dynamicRef`, and no loop that never
  looks into the value.
- Regular expressions (`u` flag) run in linear time. They may have no backreferences and no lookaround: give each condition
  a `pattern` of its own under `allOf`, or under `not`.
- A schema has bounds (65,536 characters, 16 levels, 1,000 subschemas, …), and so has the work of checking one value:
  200,000 steps for arguments, four times that for results. Past it the value is refused with the rule `work`.

### Proof

`npm run check` is what CI runs: format, lint, types, all tests, the official suite and the size gate.

- **The official conformance suite** (`@modelcontextprotocol/conformance` 0.2.0-alpha.12, `npm run conformance`) against a
  fixture Worker. Every scenario that a server of tools can pass does; prompts, resources and completions are named as
  expected failures, each with its reason, in `test/conformance/expected-failures/`.

  | revision   | scenarios | passed | expected to fail | checks passed |
  | ---------- | --------- | ------ | ---------------- | ------------- |
  | 2025-03-26 | 1         | 1      | 0                | 3             |
  | 2025-06-18 | 27        | 15     | 12               | 44            |
  | 2025-11-25 | 33        | 21     | 12               | 71            |
  | 2026-07-28 | 40        | 27     | 13               | 133           |

- **A matrix** (`test/matrix/`): revision × transport × feature, 580 cells, each written out; every message that the server
  sends is checked against that revision's official JSON Schema, and no field may be there that the revision does not name.
- **Real clients** (`test/journeys/`): SDK v1 over HTTP, SSE and WebSocket, SDK v2 in legacy, auto and pinned mode, the
  Inspector's CLI in all eras, `@ai-sdk/mcp` and `mcp-remote`; SIGKILL of the runtime right after an acknowledged change.
- **Changes** (`test/journeys/changes.test.ts`): 100, made through either of two Workers on the same objects; in all four
  ways to listen each is heard once, and no list asked for then is older, in either isolate. The same through a hub that is
  dropped, one that sleeps, and a runtime that is killed before it has told anybody.
- **The audit trail** of 10,000 calls with a SIGKILL in the middle (`test/journeys/audit.test.ts`): no call has two rows, and
  none that the admin API had shown before is missing after.
- **JSON Schema** (`test/tools/json-schema/`): every keyword of both dialects and made-up schemas, each verdict the same as
  that of an interpreter which passes the official suite; made-up patterns against V8's verdicts, hostile ones by counting
  steps. `npm run schema-suite -- FOLDER` runs the official suite's required tests from a checkout (no package ships
  them): at its commit 44401e0c 1,213 of 1,299 pass for 2020-12 and 900 of 927 for draft-07. The rest are schemas that are
  refused as said above, each named with its reason in `suite/exclusions.ts`; none is judged wrongly.
- **Calls under idempotency keys** (`test/server/idempotency/`, `test/journeys/idempotency.test.ts`): 20 at once, over every
  transport and across revisions; SIGKILL while the tool runs, whose effects are counted outside.
- **Every object** through evictions, alarms and repeated deliveries (`test/registry/`, `test/keys/`, `test/sessions/`).
- **1,000 warm calls on one key make no object call on the answer's path after the first**
  (`test/server/warm-calls.test.ts` counts them), with limits of every kind.
- **A catalogue of thousands** (`npm run bench:catalogue`, two minutes on loopback): next to one of 3 tools, a call with 4,990
  takes 0.96 to 1.05 of the time and 0.97 to 1.07 of the CPU, in three interleaved runs of 1,500 calls each. Two warm pages of a
  list of 1,000 tools cost 17 ms of CPU, of which two pings take 8.5; a Worker that only answers with as many bytes takes 9.5.
  A cold isolate's first call with 4,990 tools costs 80 to 140 ms of CPU, registry included; with a change of one tool only
  that tool travels. On an idle machine the first search takes 150 ms and others take 10 ms, a change of the catalogue
  included; 500 tools are put in half a second.
- **Limits over random schedules** of isolates, clocks, delays, losses and restarts (`test/keys/limit-properties.test.ts`,
  fast-check): no window admits more than its bound; at 0.8 of the rate ten isolates get 99 %; under a hundredfold load an
  isolate asks the object at most once in half a second; no day's quota and no bound on running calls is exceeded.
- **10,000 guesses** are answered with the same bytes and no object call; near and far ones take the same time
  (`test/journeys/strangers.test.ts` prints it: medians of 3.99, 4.02 and 4.06 ms). **No key** turns up in any output,
  answer, trace or file of a run that uses it in header, path and subprotocol (`test/journeys/secrecy.test.ts`).

What can't be seen on a developer's machine: the local runtime tells a Worker that its client hung up only at the second
write after it. A running call writes every 5 s, other streams every 25 s; until then such a stream counts as open.

### Decisions

- **Granted tokens are never credited back.** Unused ones of a lease are forfeited after 2 s: returning them would let
  isolates hoard. Rates below 60 a minute and bursts below 4 are never prepaid, so 10 a minute means 10. What is prepaid
  comes out of the upper half of the bucket and is bounded over all isolates together, so that forfeiting never costs a
  key what it is due. _Revisit when_ one key needs more than some 600 leases a second.
- **Isolates prepay calls, not tokens.** A lease is for calls that are paid from the same buckets at the same cost, and is
  debited from all of them together: all or nothing, with one request. _Revisit when_ keys have many tool limits that overlap.
- **A day gets back what a lease did not use**, once, by the name of the grant, and only while the object remembers it: a day
  has no second chance, and what is given back can't be spent any more.
- **Running calls are told as a whole**, one request at a time, and a slot or a quarter of the limit is kept for the next call:
  so that a warm call waits for nobody, and a message that is lost is made good by the next.
- **A tool may destroy unless its annotations say otherwise** (MCP's defaults): unannotated tools are not run while a key can't
  be checked.
- **Hubs keep copies of a key's facts under tags of the secret and of the change they are from.** What outdates them closes
  exactly those sockets, through the outbox that closures have anyway. The key's object sees to it, by alarm.
- **An address over the ceiling gets no HMAC**, so a good key from there that its isolate has not seen waits up to 10 s; those
  it knows pass. Behind a large NAT raise the limit in `wrangler.toml`.
- **No traces, no invocation logs**, in a deployment or locally: both record URLs, and URLs can carry keys. (`npm start` switches
  off the local runtime's own; `npx wrangler dev` by hand does not.)
- **Buckets are written before a lease is answered**, so that an eviction or a crash gives nothing back. One row a lease,
  not a call. _Revisit when_ those writes show on a bill.
- **Sessions are sealed ids, not rows.** `initialize` writes nothing, any isolate serves any session. Only what a session
  does against its seal, ending early or setting a log level, is noted with its key and travels with the key's leases.
- **A call gets an object only when it needs one.** A legacy call that streams in a session opens a relay under (key,
  session, request id), where a cancellation, an answer to a question, or (2025-11-25) a client that lost its stream
  finds it from any isolate; a cancellation that comes before that waits there for it. Calls that simply answer, and all
  of 2026-07-28, never do. _Revisit when_ many calls of legacy clients stream.
- **A row is an object push; the rest waits for the batch.** The first row of a batch has its request wait a second in the
  background and write what has gathered by then; 200 rows are written at once. A batch is named by isolate and number,
  so that one sent twice counts once. Queues or Analytics Engine alone would be less code, but neither can be read back
  here and now. _Revisit when_ the row written a call ($1 a million) shows on a bill: a row a batch costs a hundredth, and
  every filter a scan.
- **An isolate writes to one of eight logs.** By key, one batch would be eight writes, and a busy key one hot log; readers
  merge all eight either way. _Revisit when_ more than some 4,000 isolates run at once.
- **The chain is hashed where the change is committed**, with a synchronous SHA-256 (`@noble/hashes`): `crypto.subtle` would
  end the transaction between the change and its row.
- **A call under an idempotency key pays for two object calls**, a claim and a settlement, both on the answer's path: an
  answer that is not stored can't be given again. (Where it can't be stored it is given all the same, and is `unknown` to a
  repeat.) Others pay nothing. What is kept is the neutral result, so a repeat may speak another revision. A repeat while the
  first call runs is not held: the draft asks for a 409, and a held one would cost its key a slot.
- **An idempotency key that can't be heeded is refused**, in the header of a batch or of HTTP+SSE, never passed over: a client
  that believes in it would do harm. A cancelled call whose tool ends nevertheless, within its deadline once more, has its answer.
- **`requireInput` replays.** A stateless call can't wait, so earlier answers come back sealed in `requestState` (bound to
  key, tool and arguments, for 5 minutes) and the tool runs again. One way of writing serves both eras.
- **The first letter of a key's id says where it works** (`k` header, `u` URL), under the MAC: a key in the wrong place is
  refused without a look-up.
- **A version is published once nobody can read less.** With clients on more than one continent, each region's isolates ask
  a replica, which answers under a lease of 3 s; the registry tells replicas first and clients when every lease-holder knows
  or its lease is over. So a client that re-lists elsewhere never sees an older list. _Revisit when_ lists are no longer rare.
- **Ten minutes between pings.** Every answer to one is a message that the hub is billed for; every 25 s would cost more
  than all else, to find out sooner about peers that vanished without a TCP reset. A socket costs nothing while it is dead.
- **A herd is a rate, not a pause.** Up to 10,000 listeners are told at once: those of an isolate that list together share
  two questions to the registry. Beyond that the hubs take turns, by alarms. `ttlMs` differs from answer to answer.
- **A module's way out belongs to the call.** Its isolate has no network at all (`globalOutbound: null`); `fetch` in it is a
  function that comes with a call over RPC. A gateway bound to the isolate would live as long as that does, and know
  neither the call's deadline nor its client, count or host. The price: bodies are read whole, and there are no streams or
  WebSockets. _Revisit when_ a tool needs either.
- **One isolate a tool and version**, by a name that hashes the module, its hosts and secrets, and the code around it. Loaded
  by that name it is billed once a day, not once a call, and asks the registry for its module only where it is cold.
  _Revisit when_ batches call more than four code tools at once: the platform runs four a request.
- **What differs by revision is one table** (`protocol/revisions.ts`). Content that a revision has no type for becomes the
  nearest one that it has: a resource link is text with the URI, audio is a blob resource.
- **A deploy that changes the tools in the code gets a catalogue version too**, when the registry first wakes under it.
- **A secret is sealed at the edge and stored in the registry, which never opens it.** AES-GCM under a key derived from
  `SECRETS_KEY`, bound to its name; no route gives it back. An isolate asks the registry for the ones that its calls need,
  uses them for 15 s, asks again beside a call, and for 30 s at most. They don't ride on the catalogue's snapshot: setting
  one is no change that clients should hear of. _Revisit when_ so many isolates use secrets that these questions show.
- **What a tool's secret was used for can't give it back**: it is taken out of texts, structured content and errors as it
  is, escaped for URLs, JSON or HTML, and inside base64; bytes that hold it are withheld. Hence at least 8 characters.
- **An HTTP tool reaches the one host of its record**, redirects included, so that an open redirect there opens nothing.
  _Revisit when_ APIs that answer with a redirect to their storage need a list of hosts.
- **Answers are cached per API key** and by all that was sent, secrets included, as a private cache would: nothing is fresh
  unless `max-age` says so, nothing stale is served. Keys that read the same public data share nothing. _Revisit when_ that
  costs more than the certainty is worth.
- **Requests count their hops** (`toolgate-hops`): a tool may reach its own server by a name that the server does not know
  of; the second time round it is refused.
- **The client for upstreams is our own**, 7.8 KiB with all that belongs to it. `@modelcontextprotocol/client` 2.4.0 with one
  list and one call, bundled by esbuild for Workers, is 86 KiB minified and gzipped. A `fetch` of ours could guard it, but it
  parses what it reads, and schemas are to be listed as they came. _Revisit when_ upstreams are to ask, or have resources
  and prompts.
- **A tool of an upstream's carries its URL and headers.** They are the same for all of its tools, but a call then needs to
  ask nobody, and a changed URL takes effect as one version everywhere. _Revisit when_ upstreams have thousands of tools.
- **Upstreams are polled, by the registry's one alarm**, which only has the Worker begin: listing strangers' tools takes longer
  than an object should wait, and the change that comes of it needs the same alarm. Streams that stay open would pin an
  isolate for each upstream. _Revisit when_ five minutes are too long and upstreams have no calls to hear it on.
- **JSON Schema is interpreted by our own code**: `eval` does not exist here, and no interpreter that we measured bounds its
  work. `uniqueItems` on 10,000 objects takes `@cfworker/json-schema`, `json-schema-library`, `z-schema`, `jsonschema` and
  `ata-validator` 4 to 11 s of CPU, patterns backtrack in three of them, none counts steps, and those that pass the whole
  official suite weigh 32 KiB and more. Ours, in workerd: 1 µs for a good call of a typical tool, 1.4 µs for a bad one
  (`json-schema-library` 4 and 13, `valibot` for tools in code 1.4 and 2.1), some 20 ms for the worst schema and value that
  we found, 50 ms before it is warm; 9.7 KiB. _Revisit when_ a maintained interpreter takes a budget.
- **Patterns are automata** (a lazy DFA), since V8 backtracks and can't be stopped: a check for "safe" patterns would have to
  refuse good ones and still leave `[a-z]+x` quadratic. `re2js` does the same in 45 KiB. _Revisit when_ V8's linear engine
  can be asked for.
- **`jsep` parses, we evaluate**: no expression library in the field works without `eval` and is maintained.
  `uqr` and `fast-png` draw the QR code. _Revisit when_ the bundle nears the platform's limit of 3 MiB.
- **Lint says what a source says.** Every rule stands beside the documentation or the report that it comes from and its
  date; what could not be sourced is not there. `error` means that a client refuses the tool or the whole list however it is
  used, `warning` that some of its ways do. So Gemini's `parameters` gives warnings: `parametersJsonSchema` takes more.
  _Revisit when_ a source is a year old.
- **Only what breaks a tool for all clients, or hides characters in it, keeps it out of the catalogue.** Wording that speaks
  to the model behind the user's back is a warning, as a pattern can't tell intent: none of 154 definitions of five public
  MCP servers and none of 30,706 texts of two large OpenAPI collections raise one. _Revisit when_ an honest tool does.
- **Tokens are estimated** as UTF-8 bytes / 4.5: a fifth too few or too many for o200k on those 154 definitions.
- **Tools are found by an index in the isolate**, which follows the catalogue row by row from its first search on. For 5,000
  tools it takes 160 ms and 3 MiB to build, 3 ms to follow a change and 0.5 to 4 ms to search. MiniSearch needs 540 ms, 12 MiB
  and 12 to 70 ms for the same, and 6 KiB of bundle; SQLite's FTS5 in the registry 3 to 14 ms, all of it in the one object
  that changes wait for. Words are matched as they are, English plurals and beginnings aside: no synonyms and no vectors.
  _Revisit when_ searches miss what a synonym would have found.
- **A search asks the registry for the version, as a list does**, so that it never finds less than a client was told of.
- **A tool that came as data is made when it is called.** Lists and searches look at its definition and let go of it: parsed,
  5,000 schemas take 17 MiB of an isolate's 128 and half of the time in which a cold one loads. Pages of a long list are kept
  once for all keys, up to 16 Mi characters; the cursor, which is a key's own, is added to each answer.
- **The server itself has a size gate** (136 KiB minified and gzipped, 129.7 now, checked by `npm run size`); the tools that
  come along make it 150.1, and yours may make it what they like. Some 55 KiB of it serve calls of tools in the code; tools as
  data, import, lint, the audit trail and the admin API are the rest. _Revisit when_ start-up time shows it: what only
  operators need can be loaded apart.

## Licence

MIT
