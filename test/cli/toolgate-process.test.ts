// What of the admin CLI only a process shows.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "./processes.ts";
import { copyProject, makeFolder, NODE, scriptPath } from "./project-copy.ts";

it("ends with exit code 2 where its line can't be understood", async () => {
  const stderr = "error: keys list: Unknown option '--nope'. Expected options: --url, --json, --help.\n";
  const finished = await run(NODE, [scriptPath("toolgate.ts"), "keys", "list", "--nope"], makeFolder());
  expect(finished).toEqual({ code: 2, stdout: "", stderr });
});

it("keeps what was compiled in the project, for the next command", async () => {
  const project = copyProject();
  const cli = join(project, "src/cli/toolgate.ts");
  const { code } = await run(NODE, [cli, "--help"], makeFolder(), { NODE_COMPILE_CACHE: "" });
  expect([code, readdirSync(join(project, ".wrangler/compiled"))]).toEqual([0, [expect.stringMatching(/^v24\./)]]);
});
