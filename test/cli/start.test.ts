// "npm start" as a newcomer runs it, in a folder of its own, against the real Worker.

import { appendFileSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import { commandLine, endWith, findFreePort, run, startProject, type Started } from "./processes.ts";
import { copyProject, NODE } from "./project-copy.ts";

const RELOAD_TIMEOUT_MS = 20_000;
const SEVERAL_STARTS_TIMEOUT_MS = 240_000;

const keyOf = ({ output }: Started): string => /^ {2}Key +(\S+)$/m.exec(output)?.[1] ?? "";
const curlOf = ({ output }: Started): string => /^curl .*$/m.exec(output)?.[0] ?? "";
const idOf = (started: Started): string => keyOf(started).split("_")[1] ?? "";

async function listKeys(folder: string, port: number) {
  const { stdout } = await runHere(["keys", "list", "--json"], { PORT: String(port) }, folder);
  const { keys } = JSON.parse(stdout) as { keys: { id: string; name: string; status: string }[] };
  return keys.map(({ id, name, status }) => ({ id, name, status }));
}

/** None where it doesn't answer, as while it reloads. */
async function listToolNames(url: string, key: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const response = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
  if (response?.status !== 200) return [];
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

const ALLOWED = "127.0.0.1:8991";

/** Puts a tool whose host EGRESS_ALLOW lists, and one whose host it doesn't. */
async function expectEgress(folder: string, port: number): Promise<void> {
  const put = (url: string) => {
    const source = { kind: "http", method: "GET", url };
    writeFileSync(
      join(folder, "x.json"),
      JSON.stringify({ description: "d", inputSchema: { type: "object" }, source }),
    );
    return runHere(["tools", "put", "x", "x.json"], { PORT: String(port) }, folder);
  };
  expect((await put("http://127.0.0.1:8992/")).stderr).toContain("EGRESS_ALLOW=127.0.0.1:8992 opens this host");
  expect((await put(`http://${ALLOWED}/`)).code).toBe(0);
}

/** Who gets the signal: npm, the script that it runs, or the wrangler below that. */
type Addressee = "npm" | "script" | "wrangler";

function pidOf({ npm, pids }: Started, addressee: Addressee): number {
  const command = addressee === "script" ? /^\S*node src\/cli\/start\.ts/ : /wrangler\/bin\/wrangler\.js/;
  const pid = addressee === "npm" ? npm.pid : pids.find((candidate) => command.test(commandLine(candidate)));
  // A signal to process 0 would reach the tests themselves.
  if (pid === undefined) throw new Error(`${addressee} is not among the processes`);
  return pid;
}

/** Ends it with a signal, which leaves none of its processes: the runtime was among them. */
async function end(started: Started, signal: NodeJS.Signals, addressee: Addressee): Promise<void> {
  expect(started.pids.map(commandLine).filter((line) => line.includes("workerd")).length).toBeGreaterThan(0);
  expect(await endWith(signal, pidOf(started, addressee), started.pids)).toEqual([]);
}

const EGRESS_FILE = `EGRESS_ALLOW="${ALLOWED}"\n`;

/** What the first start shows of itself, and what of it works. */
async function expectFirst(folder: string, port: number, started: Started): Promise<void> {
  const url = `http://127.0.0.1:${port}/mcp`;
  expect(started.output).toContain(`  Endpoint   ${url}\n`);
  expect(keyOf(started)).toMatch(/^tg_[a-z2-7]{16}_[a-z2-7]{48}$/);
  expect(JSON.parse(/^\{$.*?^\}$/ms.exec(started.output)?.[0] ?? "")).toEqual({
    mcpServers: { toolgate: { type: "http", url, headers: { Authorization: `Bearer ${keyOf(started)}` } } },
  });
  expect(started.output).toMatch(/\nready\n$/);

  // The local runtime's own way to the objects' tables asks for no key.
  const explorer = `http://127.0.0.1:${port}/cdn-cgi/local/explorer/api/workers/durable_objects/namespaces`;
  expect(await fetch(explorer).then((response) => response.text())).not.toContain("ToolRegistry");

  const { stdout } = await run("sh", ["-c", curlOf(started)], folder);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } });
  for (const file of [".dev.vars", ".wrangler/state/client-key"]) {
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  }
}

/** A tool that is saved in the code while the server runs. */
async function expectReload(folder: string, port: number, started: Started): Promise<void> {
  const url = `http://127.0.0.1:${port}/mcp`;
  const catalog = join(folder, "src/tools/builtin/catalog.ts");
  const list = "export const builtinTools: Tool[] = [";
  const another = '{ ...tone, name: "just_saved", definition: { ...tone.definition, name: "just_saved" } }, ';
  writeFileSync(catalog, readFileSync(catalog, "utf8").replace(list, `${list}${another}`));
  await expect.poll(() => listToolNames(url, keyOf(started)), { timeout: RELOAD_TIMEOUT_MS }).toContain("just_saved");
}

/** Only the origin that ALLOWED_ORIGINS names is let in. */
async function expectOrigins(port: number, started: Started): Promise<void> {
  const ask = (origin: string) =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${keyOf(started)}`, "content-type": "application/json", origin },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
  expect((await ask("https://app.example:8443")).status).toBe(200);
  expect((await ask("https://other.example")).status).toBe(403);
}

// A start takes seconds: what can be seen of one is looked at together, each goes on from the last one's state, and each
// ends in another way. That SIGTERM to npm leaves no process either is looked at wherever a test leaves a server running.

it(
  "starts and ends, four times on one project",
  async () => {
    const folder = copyProject();
    const port = await findFreePort();

    // Prints the endpoint, a key, a client's configuration and a curl line that works; serves a tool once it is saved; ends with
    // a message and exit code 1 when the server dies by itself.
    const first = await startProject(folder, port);
    await expectFirst(folder, port, first);
    await expectReload(folder, port, first);
    await end(first, "SIGKILL", "wrangler");
    const { code, stderr } = await first.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("error: The server ended by itself (wrangler: SIGKILL). What it wrote is above.\n");

    // Takes configuration and the place of its state from the environment, where what holds another process's id is no lock;
    // keeps the key and the state; leaves no process when npm is killed.
    const STATE_DIR = join(folder, "elsewhere");
    renameSync(join(folder, ".wrangler/state"), STATE_DIR);
    writeFileSync(join(STATE_DIR, "server.lock"), `${process.pid} 1`);
    const env = { ALLOWED_ORIGINS: "https://app.example:8443", STATE_DIR: "elsewhere", EGRESS_ALLOW: ALLOWED };
    const second = await startProject(folder, port, env);
    expect(keyOf(second)).toBe(keyOf(first));
    expect(readFileSync(join(STATE_DIR, "client-key"), "utf8").trim()).toBe(keyOf(second));
    expect(await listKeys(folder, port)).toEqual([{ id: idOf(first), name: "local", status: "active" }]);
    await expectOrigins(port, second);
    await expectEgress(folder, port);
    const revoked = await runHere(["keys", "revoke", idOf(second)], { PORT: String(port) }, folder);
    expect(revoked.stdout).toBe(`Key ${idOf(second)} is revoked.\n`);
    await end(second, "SIGKILL", "npm");

    // Replaces a key that was revoked; takes EGRESS_ALLOW from .dev.vars; has its state to itself.
    appendFileSync(join(folder, ".dev.vars"), EGRESS_FILE);
    const third = await startProject(folder, port, { STATE_DIR });
    expect(idOf(third)).not.toBe(idOf(first));
    expect(await listKeys(folder, port)).toContainEqual({ id: idOf(third), name: "local", status: "active" });
    await expectEgress(folder, port);
    const beside = { STATE_DIR, PORT: String(await findFreePort()) };
    expect(await run(NODE, ["src/cli/start.ts"], folder, beside)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        `error: Another toolgate server (process ${pidOf(third, "script")}) runs on the state in ${STATE_DIR}.\n` +
        `End it, or give this one a state of its own:  STATE_DIR=${STATE_DIR}-2 npm start\n`,
    });
    // No wait: what the killed one leaves has ended by the time that the next one is ready.
    process.kill(pidOf(third, "script"), "SIGKILL");

    const fourth = await startProject(folder, await findFreePort(), { STATE_DIR });
    expect(third.pids.filter((pid) => commandLine(pid).includes("workerd"))).toEqual([]);
    expect(keyOf(fourth)).toBe(keyOf(third));
    await end(fourth, "SIGINT", "script");
    expect(third.pids.filter((pid) => commandLine(pid) !== "")).toEqual([]);
    expect(readdirSync(STATE_DIR).filter((name) => name.startsWith("server.lock"))).toEqual([]);
  },
  SEVERAL_STARTS_TIMEOUT_MS,
);
