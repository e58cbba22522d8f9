// "npm start" as a newcomer runs it, in a folder of its own, against the real Worker.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine, endWith, findFreePort, run, startProject, type Started } from "./processes.ts";
import { copyProject, NODE } from "./project-copy.ts";

const keyOf = ({ output }: Started): string => /^ {2}Key +(\S+)$/m.exec(output)?.[1] ?? "";
const curlOf = ({ output }: Started): string => /^curl .*$/m.exec(output)?.[0] ?? "";
const idOf = (started: Started): string => keyOf(started).split("_")[1] ?? "";

async function listKeys(folder: string, port: number) {
  const { stdout } = await run(NODE, ["src/cli/toolgate.ts", "keys", "list", "--json"], folder, { PORT: String(port) });
  const { keys } = JSON.parse(stdout) as { keys: { id: string; name: string; status: string }[] };
  return keys.map(({ id, name, status }) => ({ id, name, status }));
}

async function stop({ npm, pids }: Started): Promise<void> {
  expect(await endWith("SIGTERM", npm.pid ?? 0, pids)).toEqual([]);
}

describe("the first run", () => {
  it("prints the endpoint, a key, a client config and a curl line that works", async () => {
    const folder = copyProject();
    const port = await findFreePort();
    const started = await startProject(folder, port);
    const url = `http://127.0.0.1:${port}/mcp`;
    expect(started.output).toContain(`  Endpoint   ${url}\n`);
    expect(keyOf(started)).toMatch(/^tg_[a-z2-7]{16}_[a-z2-7]{48}$/);
    expect(JSON.parse(/^\{$.*?^\}$/ms.exec(started.output)?.[0] ?? "")).toEqual({
      mcpServers: { toolgate: { type: "http", url, headers: { Authorization: `Bearer ${keyOf(started)}` } } },
    });
    expect(started.output).toMatch(/\nready\n$/);

    const { stdout } = await run("sh", ["-c", curlOf(started)], folder);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } });
    for (const file of [".dev.vars", ".wrangler/state/client-key"]) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    }
  });

  it("takes configuration and the place of its state from the environment", async () => {
    const folder = copyProject();
    const port = await findFreePort();
    const env = { ALLOWED_ORIGINS: "https://app.example:8443", STATE_DIR: "elsewhere" };
    const started = await startProject(folder, port, env);
    const ask = (origin: string) =>
      fetch(`http://127.0.0.1:${port}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${keyOf(started)}`, "content-type": "application/json", origin },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
    expect((await ask("https://app.example:8443")).status).toBe(200);
    expect((await ask("https://other.example")).status).toBe(403);
    expect(readFileSync(join(folder, "elsewhere/client-key"), "utf8").trim()).toBe(keyOf(started));
  });
});

describe("a second run", () => {
  it("keeps the key and the state", async () => {
    const folder = copyProject();
    const port = await findFreePort();
    const first = await startProject(folder, port);
    await stop(first);
    const second = await startProject(folder, port);
    expect(keyOf(second)).toBe(keyOf(first));
    expect(await listKeys(folder, port)).toEqual([{ id: idOf(first), name: "local", status: "active" }]);
  });

  it("replaces a key that was revoked", async () => {
    const folder = copyProject();
    const port = await findFreePort();
    const first = await startProject(folder, port);
    const revoke = ["src/cli/toolgate.ts", "keys", "revoke", idOf(first)];
    expect((await run(NODE, revoke, folder, { PORT: String(port) })).stdout).toBe(`Key ${idOf(first)} is revoked.\n`);
    await stop(first);
    const second = await startProject(folder, port);
    expect(idOf(second)).not.toBe(idOf(first));
    expect(await listKeys(folder, port)).toContainEqual({ id: idOf(second), name: "local", status: "active" });
  });
});

describe("the end", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("leaves no process when npm gets %s", async (signal) => {
    const { npm, pids } = await startProject(copyProject(), await findFreePort());
    expect(pids.map(commandLine).filter((line) => line.includes("workerd")).length).toBeGreaterThan(0);
    expect(await endWith(signal, npm.pid ?? 0, pids)).toEqual([]);
  });

  it.each(["SIGINT", "SIGKILL"] as const)("leaves no process when the script gets %s", async (signal) => {
    const { pids } = await startProject(copyProject(), await findFreePort());
    const script = pids.find((pid) => /^\S*node src\/cli\/start\.ts/.test(commandLine(pid))) ?? 0;
    expect(await endWith(signal, script, pids)).toEqual([]);
  });

  it("comes with a message and exit code 1 when the server dies by itself", async () => {
    const { ended, pids } = await startProject(copyProject(), await findFreePort());
    const wrangler = pids.find((pid) => commandLine(pid).includes("wrangler/bin/wrangler.js")) ?? 0;
    expect(await endWith("SIGKILL", wrangler, pids)).toEqual([]);
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain("error: The server ended by itself (wrangler: SIGKILL). What it wrote is above.\n");
  });
});
