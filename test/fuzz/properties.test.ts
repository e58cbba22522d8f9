// What holds for any call, cursor, session and template, told from outside.

import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEGACY, MODERN, REVISIONS, type Revision } from "../matrix/cells.ts";
import { Connection } from "./connection.ts";
import { FrameLane } from "./frame-lane.ts";
import { MODERN_DIALECT, tell, tellCall, type Dialect, type Told } from "./models/dialects.ts";
import { oddJson, oddText, type Json, type JsonObject } from "./models/json.ts";
import { steadyCall, type ToolCall } from "./models/tool-calls.ts";
import { olderResult, olderTool } from "./older-words.ts";
import { startFuzzServer, type FuzzServer } from "./server.ts";
import { encodeShot } from "./shot.ts";
import { openWorld, type World } from "./world.ts";

// Fixed, so that a failure is a change's doing and not luck's.
const SEED = 20_261_201;

let server: FuzzServer;
let world: World;
let connection: Connection;

beforeAll(async () => {
  server = await startFuzzServer();
  world = await openWorld(server);
  connection = new Connection(world.port);
});
afterAll(() => server.stop());

interface Answer {
  status: number;
  body: JsonObject;
  session: string | undefined;
}

async function exchange(method: string, headers: [string, string][], body?: Json): Promise<Answer> {
  const fields: [string, string][] = [
    ["authorization", "Bearer «key.a»"],
    ["content-type", "application/json"],
  ];
  const shot = {
    kind: "",
    method,
    path: "/mcp",
    headers: [...fields, ...headers],
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const bytes = encodeShot(shot, `127.0.0.1:${world.port}`, world.read);
  const outcome = await connection.send({ method, bytes, endless: false });
  if (outcome.kind !== "answered") throw new Error(`${method}: ${outcome.kind}`);
  const { status, headers: told, body: text } = outcome.response;
  const json = text.length > 0 ? (JSON.parse(text.toString()) as JsonObject) : {};
  return { status, body: json, session: told.get("mcp-session-id") };
}

const post = async ({ message, headers }: Told): Promise<JsonObject> => (await exchange("POST", headers, message)).body;

const dialectOf = (revision: Revision): Dialect => (revision === MODERN ? MODERN_DIALECT : { revision, by: "header" });

/** Its own for each answer. */
const withoutReference = (answer: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(answer).replaceAll(/\(ref [a-z2-7]{12}\)/g, "(ref)")) as JsonObject;

/** An empty `_meta` tells nothing. */
const plain = (answer: JsonObject): JsonObject => {
  const { result, ...rest } = withoutReference(answer);
  if (result === undefined) return rest;
  const { _meta: meta = {}, ...own } = result as JsonObject;
  return { ...rest, result: { ...own, ...(Object.keys(meta as object).length > 0 && { _meta: meta }) } };
};

const older = (answer: JsonObject, revision: Revision): JsonObject =>
  "result" in answer ? { ...answer, result: olderResult(answer["result"] as JsonObject, revision) } : answer;

const listPage = async (revision: Revision, cursor?: string): Promise<JsonObject> =>
  post(tell(dialectOf(revision), "tools/list", cursor === undefined ? {} : { cursor }, 1));

async function readAll(revision: Revision): Promise<JsonObject[]> {
  const tools: JsonObject[] = [];
  for (let cursor: string | undefined, more = true; more;) {
    const result = (await listPage(revision, cursor))["result"] as JsonObject;
    tools.push(...(result["tools"] as JsonObject[]));
    cursor = result["nextCursor"] as string | undefined;
    more = cursor !== undefined;
  }
  return tools;
}

async function openSession(revision: Revision): Promise<string> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
  const { session } = await exchange("POST", [], { jsonrpc: "2.0", id: 1, method: "initialize", params });
  return session ?? "";
}

const ping = async (session: string, key = "key.a"): Promise<number> => {
  const headers: [string, string][] = [
    ["authorization", `Bearer «${key}»`],
    ["mcp-session-id", session],
  ];
  const fields = key === "key.a" ? headers.slice(1) : headers;
  return (await exchange("POST", fields, { jsonrpc: "2.0", id: 1, method: "ping", params: {} })).status;
};

const carry = async (args: Json): Promise<JsonObject> =>
  (await post(tellCall(MODERN_DIALECT, { name: "carry", args }, 1)))["result"] as JsonObject;

describe("a call", () => {
  it("has the same answer in every revision, but for the differences that those name", async () => {
    const property = fc.asyncProperty(steadyCall, async (call) => {
      const modern = withoutReference(await post(tellCall(MODERN_DIALECT, call, 1)));
      for (const revision of LEGACY) {
        const told = plain(await post(tellCall({ revision, by: "header" }, call, 1)));
        expect({ revision, ...told }).toEqual({ revision, ...plain(older(modern, revision)) });
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: 60 });
  });

  it("has the same answer alone, in a batch, in a session and on a WebSocket", async () => {
    const lane = await FrameLane.open(world.port, world.read("key.a") ?? "", "2025-03-26");
    const property = fc.asyncProperty(steadyCall, async (call: ToolCall) => {
      const { message, headers } = tellCall({ revision: "2025-03-26", by: "header" }, call, 1);
      const alone = withoutReference(await post({ message, headers }));
      const batch = (await exchange("POST", headers, [message])).body as unknown as JsonObject[];
      const session = await post(tellCall({ revision: "2025-03-26", by: "session" }, call, 1));
      const { answers } = await lane.send(JSON.stringify(message), 1);
      const others = [...batch, session, ...(answers as JsonObject[])].map((answer) => withoutReference(answer));
      expect(others).toEqual([alone, alone, alone]);
    });
    await fc.assert(property, { seed: SEED, numRuns: 40 });
    lane.close();
  });
});

describe("a list", () => {
  it("has every tool once in every revision, in the words of each", async () => {
    const modern = await readAll(MODERN);
    const names = modern.map(({ name }) => String(name));
    expect(names).toEqual([...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1)));
    for (const revision of LEGACY) {
      expect(await readAll(revision)).toEqual(modern.map((tool) => olderTool(tool, revision)));
    }
  });

  it("goes on after no cursor but one that the key was given", async () => {
    const cursor = world.read("cursor.a") ?? "";
    const altered = fc.oneof(
      fc
        .tuple(fc.nat(cursor.length - 1), fc.constantFrom("A", "B", ".", "_", " ", "\u0000", "é"))
        .map(([at, char]) => cursor.slice(0, at) + char + cursor.slice(at + 1)),
      fc.nat(cursor.length - 1).map((at) => cursor.slice(0, at)),
      oddText.map((text) => cursor + text),
      fc.constantFrom(
        world.read("cursor.b") ?? "",
        world.read("session.2025-11-25") ?? "",
        world.read("channel") ?? "",
      ),
      oddText,
    );
    const property = fc.asyncProperty(altered, fc.constantFrom(...REVISIONS), async (forged, revision) => {
      fc.pre(forged !== cursor);
      expect((await listPage(revision, forged))["error"]).toMatchObject({ code: -32602 });
    });
    await fc.assert(property, { seed: SEED, numRuns: 150 });
    expect(await listPage(MODERN, cursor)).toHaveProperty("result");
  });
});

describe("a session", () => {
  type Step = { act: "open" | "call" | "end" | "forge" | "steal"; at: number; revision: Revision };

  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.record({
      act: fc.constantFrom("open", "open", "call", "call", "end", "forge", "steal"),
      at: fc.nat(1_000),
      revision: fc.constantFrom(...LEGACY),
    }),
    { minLength: 3, maxLength: 15 },
  );

  it("is served from its beginning to its end, to its key alone, and no other is", async () => {
    const property = fc.asyncProperty(steps, async (script) => {
      const sessions: { id: string; isLive: boolean }[] = [];
      for (const { act, at, revision } of script) {
        if (act === "open" || sessions.length === 0) sessions.push({ id: await openSession(revision), isLive: true });
        const session = sessions[at % sessions.length];
        if (!session) continue;
        const { id, isLive } = session;
        const altered =
          id.slice(0, at % id.length) + (id[at % id.length] === "A" ? "B" : "A") + id.slice((at % id.length) + 1);
        if (act === "forge") expect(await ping(altered)).toBe(404);
        else if (act !== "end") expect([act, await ping(id)]).toEqual([act, isLive ? 200 : 404]);
        else {
          const { status } = await exchange("DELETE", [["mcp-session-id", id]]);
          expect(status).toBe(isLive ? 204 : 404);
          session.isLive = false;
        }
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: 25 });
  });

  it("is unknown to another key", async () => {
    for (const revision of LEGACY) {
      const told = tell({ revision, by: "session" }, "ping", {}, 1);
      const headers = [["authorization", "Bearer «key.b»"] as [string, string], ...told.headers];
      const shot = {
        kind: "",
        method: "POST",
        path: "/mcp",
        headers: [...headers, ["content-type", "application/json"] as [string, string]],
        body: JSON.stringify(told.message),
      };
      const outcome = await connection.send({
        method: "POST",
        bytes: encodeShot(shot, "x", world.read),
        endless: false,
      });
      expect(outcome).toMatchObject({ kind: "answered", response: { status: 404 } });
    }
  });
});

describe("what an HTTP tool is given", () => {
  const RECORD = {
    description: "Carries its arguments to an API that says what came.",
    // What came is compared as it is.
    sanitize: false,
    inputSchema: {
      type: "object",
      properties: {
        a: { type: "string" },
        b: { type: "string" },
        c: { type: "string" },
        d: { type: "array", items: { type: "string" } },
        e: {},
      },
      required: ["a", "b", "c", "d", "e"],
    },
    source: {
      kind: "http",
      method: "POST",
      url: "«upstream»/echo/{a}/x{b}y",
      query: { q: "{c}", "list[]": "{d}" },
      headers: { "x-c": "v{c}" },
      body: { whole: "{e}", part: "p{c}" },
    },
  };

  beforeAll(async () => {
    const record = JSON.stringify(RECORD).replaceAll("«upstream»", server.upstream);
    const { status } = await server.admin("PUT", "/tools/carry", JSON.parse(record));
    expect(status).toBe(201);
  });

  interface Report {
    url: string;
    headers: Record<string, string>;
    body: string;
  }

  const argumentsOf = fc.record({
    a: oddText,
    b: oddText,
    c: fc.oneof(fc.string({ maxLength: 8 }), oddText),
    d: fc.array(oddText, { maxLength: 3 }),
    e: oddJson,
  });

  it("arrives as it was, where it was meant to be, or nothing is sent at all", async () => {
    let carried = 0;
    const property = fc.asyncProperty(argumentsOf, async (args) => {
      const before = server.upstreamRequests();
      const result = await carry(args);
      if (result["isError"] === true) {
        expect(server.upstreamRequests()).toBe(before);
        return;
      }
      carried++;
      const { url, headers, body } = result["structuredContent"] as unknown as Report;
      const [path = "", search = ""] = url.split("?");
      const segments = path.split("/").map((segment) => decodeURIComponent(segment));
      // Half a surrogate pair has no place in a URL: there it is what UTF-8 makes of it.
      const [a, b, c, ...d] = [args.a, args.b, args.c, ...args.d].map((text) => text.toWellFormed());
      expect(segments).toEqual(["", "echo", a, `x${b}y`]);
      const query = new URLSearchParams(search);
      expect([query.getAll("q"), query.getAll("list[]")]).toEqual([[c], d]);
      expect(headers["x-c"]).toBe(`v${args.c}`.trim());
      const sent = JSON.parse(Buffer.from(body, "base64").toString("utf8")) as JsonObject;
      expect(sent).toEqual({ whole: JSON.parse(JSON.stringify(args.e)), part: `p${args.c}` });
    });
    await fc.assert(property, { seed: SEED, numRuns: 200 });
    expect(carried).toBeGreaterThan(30);
  });

  it("is sent where nothing is odd about it", async () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const plainArguments = fc.record({ a: word, b: word, c: word, d: fc.array(word, { maxLength: 3 }), e: word });
    const property = fc.asyncProperty(plainArguments, async (args) => {
      expect((await carry(args))["isError"]).toBeUndefined();
    });
    await fc.assert(property, { seed: SEED, numRuns: 30 });
  });
});
