import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import type { ToolRow } from "../../src/registry/registry-contract.ts";
import { planUpstream } from "../../src/registry/upstream-plan.ts";
import { nameUpstreamTool } from "../../src/registry/upstream-tool.ts";
import type { UpstreamList } from "../../src/tools/upstream/list-upstream-tools.ts";
import type { Upstream } from "../../src/tools/upstream/upstream-record.ts";
import { atOnce, countTurns } from "../support/at-once.ts";

const URL = "https://up.example/mcp";
const listed = (name: string, more: Record<string, unknown> = {}): UpstreamList["tools"][number] => ({
  definition: { name, description: `${name}.`, inputSchema: { type: "object" }, ...more },
  inputSchema: '{"type":"object"}',
});
const listOf = (...tools: UpstreamList["tools"]): UpstreamList => ({
  session: { era: "legacy", revision: "2025-11-25" },
  tools,
});

const rowOf = (name: string, tool: string, more: Partial<ToolRow> = {}): ToolRow => ({
  name,
  enabled: true,
  record: {
    description: `${tool}.`,
    origin: "upstream:up",
    inputSchema: '{"type":"object"}',
    source: { kind: "upstream", upstream: "up", tool, url: URL },
  },
  ...more,
});

const plan = (
  list: UpstreamList | undefined,
  { record = {}, rows = [] as ToolRow[], builtin = "" } = {} as {
    record?: Partial<Upstream>;
    rows?: ToolRow[];
    builtin?: string;
  },
) =>
  atOnce(
    planUpstream(
      { name: "up", record: { url: URL, ...record } },
      { rows, isBuiltin: (name) => name === builtin, deployment: "here", ...(list && { list }) },
    ),
  );

describe("a list", () => {
  it("becomes tools that say where they are from", () => {
    const { edits, tools, skipped } = plan(listOf(listed("a")));
    expect({ edits, tools, skipped }).toEqual({
      edits: [{ op: "put", name: "up_a", row: rowOf("up_a", "a") }],
      tools: 1,
      skipped: [],
    });
  });

  it.each([
    [true, true],
    [false, undefined],
  ])("with traceContext %j has its tools told of traces: %j", (traceContext, expected) => {
    const [edit] = plan(listOf(listed("a")), { record: { traceContext } }).edits;
    expect(edit?.op === "put" && edit.row.record?.source).toEqual({
      ...rowOf("up_a", "a").record?.source,
      ...(expected && { traceContext: expected }),
    });
  });

  it("keeps what an operator decided, and takes what is gone away", () => {
    const kept = { enabled: false, annotations: { readOnlyHint: true }, cost: 3 };
    const rows = [rowOf("up_a", "a", kept), rowOf("up_gone", "gone"), { name: "tone", enabled: false }];
    const changed = plan(listOf(listed("a", { description: "New." })), { rows });
    const record = { ...rowOf("up_a", "a").record, description: "New." };
    expect(changed.edits).toEqual([
      { op: "put", name: "up_a", row: { name: "up_a", ...kept, record } },
      { op: "delete", name: "up_gone" },
    ]);
  });

  it("brings hints, icons and long texts as far as tools may have them", () => {
    const icon = { src: "https://up.example/i.png" };
    const { edits } = plan(
      listOf(
        listed("a", {
          title: "t".repeat(LIMITS.titleChars + 1),
          description: "d".repeat(LIMITS.descriptionChars + 1),
          annotations: { readOnlyHint: true, openWorldHint: "yes", other: 1 },
          icons: [icon, { src: "http://up.example/i.png" }],
        }),
      ),
    );
    expect(edits).toMatchObject([
      {
        row: {
          record: {
            title: `${"t".repeat(LIMITS.titleChars - 1)}…`,
            description: `${"d".repeat(LIMITS.descriptionChars - 1)}…`,
            icons: [icon],
            source: { annotations: { readOnlyHint: true } },
          },
        },
      },
    ]);
    expect(edits[0]).not.toHaveProperty("row.annotations");
  });

  it("is taken as far as include and exclude go", () => {
    const record = { include: ["read_*", "x"], exclude: ["*_secret"] };
    const list = listOf(listed("read_a"), listed("read_secret"), listed("x"), listed("y"));
    const { edits, skipped, excluded } = plan(list, { record });
    expect([edits.map(({ name }) => name), skipped, excluded]).toEqual([
      ["up_read_a", "up_x"],
      [],
      ["read_secret", "y"],
    ]);
  });

  it.each<[string, UpstreamList["tools"][number], RegExp]>([
    ["no schema", { definition: { name: "a" } }, /^inputSchema: expected an object$/],
    [
      "a schema that is refused",
      listed("a", { inputSchema: { type: "object", $ref: "https://x.example/" } }),
      /^inputSchema/,
    ],
    [
      "an output schema that is refused",
      { ...listed("a", { outputSchema: 7 }), outputSchema: "7" },
      /^outputSchema: expected an object$/,
    ],
    ["hidden characters", listed("a", { description: "Say\u200b it." }), /^\/description: Characters that nobody sees/],
    ["tasks alone", listed("a", { execution: { taskSupport: "required" } }), /^it can be called as a task only$/],
    ["a name of the code's", listed("built"), /^the name up_built belongs to another tool$/],
    ["a name of another's", listed("mine"), /^the name up_mine belongs to another tool$/],
    ["no name", listed(""), /^it has no name$/],
    [
      "one of this server's own",
      listed("a", { _meta: { "io.toolgate/passed": ["here", "there"] } }),
      /^it is a tool of this server, which has come back to it$/,
    ],
    [
      "too many servers behind it",
      listed("a", { _meta: { "io.toolgate/passed": Array.from({ length: LIMITS.upstreamPassed + 1 }, String) } }),
      /^it has come through 5 servers, expected at most 4$/,
    ],
  ])("passes over a tool with %s, and serves the others", (_, tool, reason) => {
    const record = {
      ...rowOf("up_mine", "mine").record,
      origin: "openapi:x",
      source: { kind: "http", method: "GET", url: URL },
    };
    const rows = [{ name: "up_mine", enabled: true, record } as ToolRow];
    const { edits, skipped } = plan(listOf(tool, listed("good")), { rows, builtin: "up_built" });
    expect(edits.map(({ name }) => name)).toEqual(["up_good"]);
    expect(skipped).toEqual([{ tool: tool.definition["name"], reason: expect.stringMatching(reason) }]);
  });

  it("remembers which servers a tool came through, as many as it may", () => {
    const passed = Array.from({ length: LIMITS.upstreamPassed }, String);
    const { edits } = plan(listOf(listed("a", { _meta: { "io.toolgate/passed": passed } })));
    expect(edits).toMatchObject([{ row: { record: { source: { passed } } } }]);
    const kept = edits.flatMap((edit) => (edit.op === "put" ? [edit.row] : []));
    expect(plan(undefined, { rows: kept }).edits).toEqual(edits);
  });

  it.each([
    ["search", "tools"],
    ["call", "tool"],
  ])("never takes a name that is the server's own: %s_%s", (name, tool) => {
    const { edits, skipped } = atOnce(
      planUpstream(
        { name, record: { url: URL } },
        { rows: [], isBuiltin: () => false, deployment: "here", list: listOf(listed(tool)) },
      ),
    );
    const reason = `${name}_${tool} is the name of a tool of the server's own`;
    expect([edits, skipped]).toEqual([[], [{ tool, reason }]]);
  });

  it("has one tool a name", () => {
    const { edits, skipped } = plan(listOf(listed("a"), listed("a")));
    expect([edits.length, skipped]).toEqual([
      1,
      [{ tool: "a", reason: "the upstream has another tool for the name up_a" }],
    ]);
  });

  it("is gone through in turns of so many characters", () => {
    const text = JSON.stringify({ type: "object", description: "x".repeat(LIMITS.turnChars / 2) });
    const large = (name: string) => ({ ...listed(name), inputSchema: text });
    const list = listOf(...["a", "b", "c", "d"].map(large));
    const base = { rows: [], isBuiltin: () => false, deployment: "here", list };
    expect(countTurns(planUpstream({ name: "up", record: { url: URL } }, base))).toBe(3);
  });

  it("tells what is not served, up to a number", () => {
    const bad = Array.from({ length: LIMITS.upstreamNotes + 1 }, (_, at) => listed(`t${at}`, { inputSchema: 7 }));
    expect(plan(listOf(...bad)).skipped).toHaveLength(LIMITS.upstreamNotes);
    expect(plan(listOf(...bad), { record: { include: ["none"] } }).excluded).toHaveLength(LIMITS.upstreamNotes);
  });
});

describe("without a list", () => {
  const rows = [rowOf("up_a", "a", { enabled: false }), rowOf("up_b", "b")];

  it("tools are called where the record says now", () => {
    const url = "https://new.example/mcp";
    const record = { url, headers: { "x-a": "1" }, timeoutMs: 5, exclude: ["b"] };
    expect(plan(undefined, { rows, record })).toEqual({
      edits: [
        {
          op: "put",
          name: "up_a",
          row: {
            ...rows[0],
            record: {
              ...rows[0]?.record,
              timeoutMs: 5,
              source: { kind: "upstream", upstream: "up", url, headers: { "x-a": "1" }, tool: "a" },
            },
          },
        },
        { op: "delete", name: "up_b" },
      ],
      tools: 1,
      skipped: [],
      excluded: [],
      warnings: [],
    });
  });

  it("tools are marked as off where the upstream is", () => {
    const { edits } = plan(undefined, { rows: [rowOf("up_b", "b")], record: { enabled: false } });
    expect(edits).toMatchObject([{ op: "put", row: { enabled: true, record: { source: { off: true } } } }]);
  });
});

it.each([
  ["up", "read_file", "up_read_file"],
  ["up", "a".repeat(61), `up_${"a".repeat(61)}`],
  ["up", "a".repeat(62), `up_${"a".repeat(54)}_8ca623`],
  ["up", "files/read", expect.stringMatching(/^up_files_read_[0-9a-f]{6}$/)],
  ["up", "files.read", expect.stringMatching(/^up_files_read_[0-9a-f]{6}$/)],
])("%s and %s make a name that every client takes", (upstream, tool, name) => {
  expect(nameUpstreamTool(upstream, tool)).toEqual(name);
  expect(nameUpstreamTool("up", "files/read")).not.toBe(nameUpstreamTool("up", "files.read"));
});
