// What the CLI makes of the audit trail: a table, a file, a verdict.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { makeFolder } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const toolgate = (args: string[], folder = makeFolder()) =>
  runHere(args, { TOOLGATE_ADMIN_KEY: "tga_only-for-this-test" }, folder);

const CALL = {
  kind: "call",
  id: "i.0000001.000",
  at: "2026-12-01T03:32:05.791Z",
  key: "kaaa",
  tool: "tone",
  known: true,
  version: 1,
  outcome: "ok",
  durationMs: 12,
  argumentsBytes: 2,
  resultBytes: 9,
  client: { name: "evil\u001b[2J", version: "1" },
  revision: "2025-11-25",
  transport: "http-json",
  removed: {},
};
const NONE_LOST = { full: 0, refused: 0, unsent: 0, queue: 0, trimmed: 0 };

interface Content {
  seq: number;
  at: string;
  who: string;
  action: string;
  target: string;
  outcome: string;
  version: number;
  detail?: object;
}
type Row = Content & { kind: string; id: string; hash: string };
interface Link {
  seq: number;
  hash: string;
}

const GENESIS: Link = { seq: 0, hash: "0".repeat(64) };

const contentOf = (seq: number): Content => ({
  action: "tool.change",
  at: "2026-12-01T03:32:05.791Z",
  detail: { enabled: false, x: [1] },
  outcome: "changed",
  seq,
  target: "tone",
  version: seq,
  who: "admin",
});

/** A chain of as many rows after a link, newest first. What is written out here is in the order of names already. */
function chainOf(count: number, anchor = GENESIS): Row[] {
  const rows: Row[] = [];
  let last = anchor;
  for (let n = 0; n < count; n++) {
    const content = contentOf(last.seq + 1);
    const hash = createHash("sha256")
      .update(`${last.hash}\n${JSON.stringify(content)}`)
      .digest("hex");
    last = { seq: content.seq, hash };
    rows.unshift({ kind: "admin", id: `admin.${content.seq}`, ...content, hash });
  }
  return rows;
}

const linkOf = ({ seq, hash }: Link): Link => ({ seq, hash });

describe("audit", () => {
  it("is a table of calls and admin actions that can't move a terminal's cursor", async () => {
    const { url } = await serveScript({
      "GET /admin/v1/audit": {
        rows: [CALL, ...chainOf(1)],
        nextCursor: "abc",
        lost: { ...NONE_LOST, refused: 7 },
      },
    });
    expect(await toolgate(["audit", "--url", url])).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "TIME                     WHO    WHAT                        OUTCOME  TOOK   BY         CLIENT\n",
        "2026-12-01 03:32:05.791  kaaa   tone                        ok       12 ms  http-json  evil\\u001b[2J 1\n",
        "2026-12-01 03:32:05.791  admin  tool.change tone: disabled  changed\n",
        "\n",
        "Rows lost for refused calls beyond those that get one: 7\n",
        "\n",
        "More with:  --cursor abc\n",
      ].join(""),
    });
  });

  it("says what an action was about, in words of its own and without values", async () => {
    const secret = "s3cret";
    const details: [string, object | undefined][] = [
      ["tool.change", { enabled: true }],
      ["tool.change", { cost: 5, annotations: { title: secret }, [secret]: 1 }],
      ["tool.change", { enabled: secret, omittedChars: 9 }],
      ["tool.put", { kind: "http", enabled: false }],
      ["key.change", { limits: { perMinute: 1 }, tools: null, name: secret }],
      ["key.create", { name: secret, scopes: ["mcp"], urlKey: false }],
      ["deploy", undefined],
    ];
    const rows = details.map(([action, detail], n) => ({ ...chainOf(1)[0], id: `a${n}`, action, target: "x", detail }));
    const { url } = await serveScript({ "GET /admin/v1/audit": { rows, lost: NONE_LOST } });
    const { stdout } = await toolgate(["audit", "--url", url]);
    const told = stdout.split("\n").slice(1, 8);
    expect(told.map((line) => line.replace(/^.*admin {2}/, "").replace(/ +changed$/, ""))).toEqual([
      "tool.change x: enabled",
      "tool.change x: cost, annotations",
      "tool.change x",
      "tool.put x: disabled",
      "key.change x: name, tools, limits",
      "key.create x",
      "deploy x",
    ]);
  });

  it("passes every filter on, and prints exactly the API's JSON", async () => {
    const query =
      "kind=call&key=kaaa&tool=t&outcome=ok&since=2026-01-01T00%3A00%3A00Z&until=2027-01-01T00%3A00%3A00Z&cursor=c&limit=5";
    const json = { rows: [], lost: NONE_LOST };
    const { url } = await serveScript({ [`GET /admin/v1/audit?${query}`]: json });
    const filters = ["--kind=call", "--key=kaaa", "--tool=t", "--outcome=ok", "--cursor=c", "--limit=5", "--json"];
    const times = ["--since=2026-01-01T00:00:00Z", "--until=2027-01-01T00:00:00Z"];
    const { stdout } = await toolgate(["audit", ...filters, ...times, "--url", url]);
    expect(JSON.parse(stdout)).toEqual(json);
  });

  it("tells what the server does not take", async () => {
    const { url } = await serveScript({
      "GET /admin/v1/audit?kind=x": [400, { code: "invalid_query", detail: "kind: expected call or admin" }],
    });
    expect(await toolgate(["audit", "--kind=x", "--url", url])).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: kind: expected call or admin (invalid_query)\n",
    });
  });
});

const line = (value: object): string => `${JSON.stringify(value)}\n`;

describe("audit export", () => {
  it("writes all rows to a file of its own, over as many answers as it takes", async () => {
    const { url } = await serveScript({
      "GET /admin/v1/audit?kind=call&format=ndjson":
        line(CALL) + line({ kind: "end", rows: 1, nextCursor: "a=b", lost: NONE_LOST }),
      "GET /admin/v1/audit?kind=call&format=ndjson&cursor=a%3Db":
        line({ ...CALL, id: "2" }) + line({ kind: "end", rows: 1, lost: { ...NONE_LOST, full: 3 } }),
    });
    const folder = makeFolder();
    const { code, stdout } = await toolgate(["audit", "export", "out.ndjson", "--kind=call", "--url", url], folder);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "2 rows in out.ndjson\nRows lost because an isolate held too many: 3\n",
    });
    const file = join(folder, "out.ndjson");
    expect(readFileSync(file, "utf8")).toBe(line(CALL) + line({ ...CALL, id: "2" }));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("leaves no file that is not whole", async () => {
    const { url } = await serveScript({ "GET /admin/v1/audit?format=ndjson": line(CALL) });
    const folder = makeFolder();
    expect(await toolgate(["audit", "export", "out.ndjson", "--url", url], folder)).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: The export broke off before its end. Try again.\n",
    });
    expect([existsSync(join(folder, "out.ndjson")), existsSync(join(folder, "out.ndjson.part"))]).toEqual([
      false,
      false,
    ]);
  });

  it.each(["out.ndjson", "out.ndjson.part"])("replaces %s only when it is told to", async (name) => {
    const { url, asked } = await serveScript({
      "GET /admin/v1/audit?format=ndjson": line(CALL) + line({ kind: "end", rows: 1, lost: NONE_LOST }),
    });
    const folder = makeFolder();
    writeFileSync(join(folder, name), "before");
    expect(await toolgate(["audit", "export", "out.ndjson", "--url", url], folder)).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: audit export: expected the name of a new file, received "${name}", which is there already. Name another, or add --force to replace it.\n`,
    });
    expect([readFileSync(join(folder, name), "utf8"), asked]).toEqual(["before", []]);
    expect((await toolgate(["audit", "export", "out.ndjson", "--force", "--url", url], folder)).code).toBe(0);
    expect(readFileSync(join(folder, "out.ndjson"), "utf8")).toBe(line(CALL));
  });

  it("says where it can't write", async () => {
    const { url } = await serveScript({ "GET /admin/v1/audit?format=ndjson": line({ kind: "end", rows: 0 }) });
    const { code, stderr } = await toolgate(["audit", "export", "none/out", "--url", url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: none\/out: ENOENT/);
  });
});

const broken = (fault: string) => ({
  code: 1,
  stdout: "",
  stderr: `error: The chain of admin actions is broken: ${fault}.\n`,
});

describe("audit verify", () => {
  /** Serves rows in two pages, as a server with this chain would. */
  async function verify(
    rows: Row[],
    { anchor = GENESIS, head = rows[0] ?? GENESIS }: Partial<Record<"anchor" | "head", Link>> = {},
    more: string[] = [],
  ) {
    const chain = { anchor, head: linkOf(head) };
    const { url } = await serveScript({
      "GET /admin/v1/audit?kind=admin&limit=500": { rows: rows.slice(0, 3), nextCursor: "n", chain },
      "GET /admin/v1/audit?kind=admin&limit=500&cursor=n": { rows: rows.slice(3), chain },
    });
    return toolgate(["audit", "verify", "--url", url, ...more]);
  }

  it("finds a whole chain whole", async () => {
    const rows = chainOf(6);
    expect(await verify(rows)).toEqual({
      code: 0,
      stderr: "",
      stdout: `6 admin actions, unbroken from the first on.\nKeep this to check against later:  --expect 6:${rows[0]?.hash}\n`,
    });
  });

  it("goes from the anchor where old rows are gone", async () => {
    const all = chainOf(8);
    const [rows, anchor] = [all.slice(0, 6), linkOf(all[6] ?? GENESIS)];
    expect((await verify(rows, { anchor })).stdout).toContain("6 admin actions, unbroken from 3 on");
    expect(await verify(rows, { anchor: { ...anchor, hash: "1".repeat(64) } })).toEqual(
      broken("row 3 does not fit its hash: it, or row 2 before it, was changed"),
    );
  });

  const rows = chainOf(6);
  const changed = (seq: number, more: Partial<Row>): Row[] =>
    rows.map((row) => (row.seq === seq ? { ...row, ...more } : row));
  const resealed = chainOf(6, { seq: 0, hash: "1".repeat(64) }).find(({ seq }) => seq === 3);
  const swapped = rows.map((row) => ({ 3: rows[2], 4: rows[3] })[row.seq] ?? row);

  it.each<[string, Row[], string]>([
    [
      "a changed row",
      changed(3, { outcome: "unchanged" }),
      "row 3 does not fit its hash: it, or row 2 before it, was changed",
    ],
    [
      "a changed detail",
      changed(3, { detail: { enabled: true } }),
      "row 3 does not fit its hash: it, or row 2 before it, was changed",
    ],
    [
      "a changed row with a hash to match",
      changed(3, resealed ?? {}),
      "row 4 does not fit its hash: it, or row 3 before it, was changed",
    ],
    ["a row taken out", rows.filter(({ seq }) => seq !== 3), "row 3 is missing: row 4 follows row 2"],
    ["the oldest taken out", rows.filter(({ seq }) => seq !== 1), "row 1 is missing: row 2 follows row 0"],
    ["rows that changed places", swapped, "row 4 is missing: row 5 follows row 3"],
    [
      "rows that changed places and numbers",
      swapped.map((row, index) => ({ ...row, seq: 6 - index })),
      "row 5 does not fit its hash: it, or row 4 before it, was changed",
    ],
  ])("finds %s", async (_, tampered, fault) => {
    expect(await verify(tampered)).toEqual(broken(fault));
  });

  it("finds the newest rows taken out where the head is known", async () => {
    expect(await verify(rows.slice(2), { head: linkOf(rows[0] ?? GENESIS) })).toEqual(
      broken("row 6 is missing: row 4 stands in its place"),
    );
    expect(await verify([], { head: linkOf(rows[0] ?? GENESIS) })).toEqual(broken("rows 1 to 6 are missing"));
  });

  it("holds a chain that is whole against what an earlier check told", async () => {
    const known = `${rows[2]?.seq}:${rows[2]?.hash}`;
    expect((await verify(rows, {}, ["--expect", known])).code).toBe(0);
    const forged = chainOf(6, GENESIS).slice(3);
    expect(await verify(forged, {}, ["--expect", known])).toEqual(broken("row 4, which --expect names, is not there"));
    expect(await verify(rows, {}, ["--expect", `4:${"a".repeat(64)}`])).toEqual(
      broken("row 4 is not the one that --expect names"),
    );
    const { code, stderr } = await toolgate(["audit", "verify", "--expect", "4"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: --expect: expected SEQ:HASH as audit verify prints it, received "4".\n',
    });
  });
});

describe("stats", () => {
  it("is a table in all, by tool and by key", async () => {
    const latencyMs = { p50: 5, p90: 20, p99: null };
    const total = { calls: 9, errors: 1, denied: 2, outcomes: { ok: 6, failed: 1, limited: 2 }, latencyMs };
    const { url } = await serveScript({
      "GET /admin/v1/stats?window=day": {
        total,
        tools: [{ tool: "tone", ...total }],
        keys: [{ key: "kaaa", ...total }],
        lost: NONE_LOST,
      },
    });
    expect((await toolgate(["stats", "--window=day", "--url", url])).stdout).toBe(
      [
        "     CALLS  ERRORS  DENIED  P50     P90\n",
        "all  9      1       2       ≤ 5 ms  ≤ 20 ms\n",
        "\n",
        "TOOL  CALLS  ERRORS  DENIED  P50     P90\n",
        "tone  9      1       2       ≤ 5 ms  ≤ 20 ms\n",
        "\n",
        "KEY   CALLS  ERRORS  DENIED  P50     P90\n",
        "kaaa  9      1       2       ≤ 5 ms  ≤ 20 ms\n",
      ].join(""),
    );
  });
});
