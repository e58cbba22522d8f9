import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Writes the deployment's configuration into `dir`, around another entry file if one is named, and answers its path. */
export async function writeConfig(dir: string, main?: string): Promise<string> {
  const path = join(dir, "wrangler.toml");
  const config = await readFile("wrangler.toml", "utf8");
  const withMain = config.replace(/^main = "(.+)"$/m, (_, own: string) => `main = "${resolve(main ?? own)}"`);
  await writeFile(path, await withAssets(withMain, dir));
  return path;
}

/**
 * With a copy of the console's files, if they are built: wrangler restarts the Worker when a file changes that it serves,
 * and another test may build them anew at any time.
 */
async function withAssets(config: string, dir: string): Promise<string> {
  const [, own = ""] = /^directory = "(.+)"$/m.exec(config) ?? [];
  const copy = join(dir, "assets");
  await mkdir(own, { recursive: true });
  await cp(own, copy, { recursive: true });
  return config.replace(/^directory = .+$/m, `directory = "${copy}"`).replace(/^\[build\]\n(.+\n)+/m, "");
}

/**
 * The same for a second Worker, which serves requests to `host`. Its isolate is its own; its objects are those of the
 * first, and so is the code that runs in them.
 */
export async function writeSiblingConfig(dir: string, host: string): Promise<string> {
  const path = await writeConfig(dir);
  const config = await readFile(path, "utf8");
  const [, owner] = /^name = "(.+)"$/m.exec(config) ?? [];
  const [top = "", ...tables] = config.split(/^(?=\[)/m);
  const renamed = top.replace(/^name = .*$/m, `name = "${owner}-sibling"\nroutes = ["${host}/*"]`);
  const kept = tables
    .filter((table) => !table.startsWith("[[migrations]]"))
    .map((table) => table.replace(/^class_name = .*$/m, `$&\nscript_name = "${owner}"`));
  await writeFile(path, [renamed, ...kept].join(""));
  return path;
}
