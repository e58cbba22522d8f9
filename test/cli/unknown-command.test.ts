// Words that are no command: one line says which isn't known and what comes nearest, and only that group's commands follow.

import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { nearestWord } from "../../src/cli/nearest-word.ts";

const toolgate = (args: string[]) => runHere(args, {});

const ALL =
  /Commands begin with keys, tools, import, upstreams, secrets, sessions, audit, stats, registry\. --help prints all/;

describe("a command that isn't known", () => {
  it.each([
    [["tool", "list"], `received "tool list": "tool" is not known. Did you mean tools list?`, "tools"],
    [["list", "tools"], `received "list tools": "list" is not known. Did you mean tools list?`, "tools"],
    [["toolslist"], `received "toolslist": "toolslist" is not known. Did you mean tools list?`, "tools"],
    [["key"], `received "key": "key" is not known. Did you mean keys?`, "keys"],
    [["keys", "creat"], `received "keys creat": keys has no "creat". Did you mean keys create?`, "keys"],
    [["keys", "frobnicate"], `received "keys frobnicate": keys has no "frobnicate".`, "keys"],
    [["kyes", "frobnicate"], `received "kyes frobnicate": "kyes" is not known. Did you mean keys?`, "keys"],
    [["keys"], `received "keys".`, "keys"],
    [["audit", "exprot", "x"], `received "audit exprot": audit has no "exprot". Did you mean audit export?`, "audit"],
  ])("%j is told with its group alone", async (args, fault, group) => {
    const { code, stdout, stderr } = await toolgate(args);
    const [head, commands = "", rest] = stderr.split("\n\n");
    expect({ code, stdout, head, rest }).toEqual({
      code: 2,
      stdout: "",
      head: `error: Expected a command, ${fault}`,
      rest: "--help prints all commands.\n",
    });
    const [title, ...lines] = commands.split("\n");
    expect(title).toBe("Commands:");
    expect(lines.map((line) => line.trim().split(" ")[0])).toEqual(lines.map(() => group));
    expect(lines.length).toBeGreaterThan(2);
  });

  it.each([
    [[], "error: Expected a command, received none.\n"],
    [["frobnicate", "it"], `error: Expected a command, received "frobnicate it": "frobnicate" is not known.\n`],
  ])("%j is told with the names of all groups", async (args, head) => {
    const { code, stderr } = await toolgate(args);
    expect([code, stderr.startsWith(head)]).toEqual([2, true]);
    expect(stderr).toMatch(ALL);
  });

  it.each([[["help"]], [["-h"]], [["--help"]]])("%j prints all commands", async (args) => {
    const { code, stdout } = await toolgate(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}keys create .*\n(?: {2}.*\n)* {2}registry server-json /m);
  });

  it.each([[["help", "keys", "create"]], [["keys", "create", "-h"]]])("%j explains one", async (args) => {
    const { code, stdout } = await toolgate(args);
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      "Usage: npm run -s toolgate -- keys create --name NAME [options]",
    ]);
  });
});

it.each([
  ["lsit", "list"],
  ["perminute", "per-minute"],
  ["l", undefined],
  ["", undefined],
  ["create".repeat(100_000), undefined],
])("of list, per-minute and create, %s comes nearest to %s", (word, near) => {
  expect(nearestWord(word, ["list", "per-minute", "create"])).toBe(near);
});
