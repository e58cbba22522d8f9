// What "npm start" says when it can't start: each time what is wrong, what to do, and exit code 1.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { CliError } from "../../src/cli/cli-error.ts";
import { readStartSettings } from "../../src/cli/start-settings.ts";
import { findFreePort, run } from "./processes.ts";
import { copyProject, makeFolder, NODE, scriptPath } from "./project-copy.ts";

const start = (folder: string, env: Record<string, string> = {}) => run(NODE, [scriptPath("start.ts")], folder, env);

it("makes nothing where its environment is refused", async () => {
  const folder = makeFolder();
  expect(await start(folder, { PORT: "0" })).toEqual({
    code: 1,
    stdout: "",
    stderr: 'error: PORT: expected a whole number from 1 to 65535, received "0".\n',
  });
  expect(existsSync(join(folder, ".dev.vars"))).toBe(false);
});

it.each(["0", "65536", "8787x", "-1", "80.5", " 80"])("refuses PORT=%j", (PORT) => {
  const message = `PORT: expected a whole number from 1 to 65535, received ${JSON.stringify(PORT)}.`;
  expect(() => readStartSettings({ PORT }, makeFolder())).toThrow(new CliError(message));
});

it.each(["localhost", "http://localhost:1", "127.0.0.1:9001, nas"])("refuses EGRESS_ALLOW=%j", (EGRESS_ALLOW) => {
  const wrong = JSON.stringify(EGRESS_ALLOW.split(" ").at(-1));
  const message = `EGRESS_ALLOW: expected host:port, such as 127.0.0.1:8991, apart by commas, received ${wrong}.`;
  expect(() => readStartSettings({ EGRESS_ALLOW }, makeFolder())).toThrow(new CliError(message));
});

it("refuses words that it would not heed, and says how to set what they are about", async () => {
  const folder = makeFolder();
  const { code, stderr } = await run(NODE, [scriptPath("start.ts"), "--port", "9000"], folder);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'error: Takes no words, received "--port". What it is to heed is set in the environment, such as:  PORT=9000 npm start\n',
  });
  expect(existsSync(join(folder, ".dev.vars"))).toBe(false);
});

it("says that the packages are not installed", async () => {
  const folder = makeFolder();
  expect(await start(folder)).toEqual({
    code: 1,
    stdout: "",
    stderr: `error: wrangler is not installed in ${join(folder, "node_modules")}.\nRun:  npm ci\n`,
  });
});

it("says that the port is taken, and how to choose another", async () => {
  const port = await findFreePort();
  const other = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void other.close());
  const { code, stderr } = await start(copyProject(), { PORT: String(port) });
  expect(code).toBe(1);
  expect(stderr).toContain(`error: Port ${port} on 127.0.0.1 is taken by another process.`);
  expect(stderr).toContain(`PORT=${port + 1} npm start`);
});

it("keeps a broken .dev.vars and tells neither of its values", async () => {
  const folder = copyProject();
  writeFileSync(join(folder, ".dev.vars"), 'ADMIN_KEY="tga_0123456789abcdef"\nSIGNING_SECRET=secret\n');
  const { code, stdout, stderr } = await start(folder);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(
    `${join(folder, ".dev.vars")}, line 2: expected SIGNING_SECRET="…" with at least 16 characters`,
  );
  expect(stderr).not.toMatch(/tga_|=secret/);
  expect(readFileSync(join(folder, ".dev.vars"), "utf8")).toContain("SIGNING_SECRET=secret\n");
});

it("shows a build error when wrangler ends before it is ready", async () => {
  const folder = copyProject();
  writeFileSync(join(folder, "src/index.ts"), "export default {\n");
  const { code, stdout, stderr } = await start(folder, { PORT: String(await findFreePort()) });
  expect(code).toBe(1);
  expect(stdout).not.toContain("ready");
  expect(stdout).toContain("src/index.ts:1:18");
  expect(stderr).toContain("error: The server ended by itself (wrangler: exit code 1). What it wrote is above.");
});

it("ends with what the runtime alone finds wrong with a tool in the code", async () => {
  const folder = copyProject();
  const file = join(folder, "src/tools/builtin/tone.ts");
  writeFileSync(file, `${readFileSync(file, "utf8")}export const SEED = crypto.randomUUID();\n`);
  const { code, stderr } = await start(folder, { PORT: String(await findFreePort()) });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /\n\nerror: The Worker's code can't be loaded\. Error: Disallowed operation called within global scope[^]*\nMend it, and start again\.\n$/,
  );
  expect(stderr).not.toContain("WARNING");
});
