import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Writes the deployment's configuration into `dir`, around another entry file if one is named, and answers its path. Its own
 * entry is built already; wrangler bundles another. What is built is copied: wrangler restarts a Worker when a file changes
 * that it serves, and another test may build it anew at any time.
 */
export async function writeConfig(dir: string, main?: string): Promise<string> {
  const path = join(dir, "wrangler.toml");
  const config = await readFile("wrangler.toml", "utf8");
  const withMain = main === undefined ? await withOwnMain(config, dir) : withOtherMain(config, main);
  await writeFile(path, await withAssets(withMain, dir));
  return path;
}

async function withOwnMain(config: string, dir: string): Promise<string> {
  const [line = "", own = ""] = /^main = "(.+)"$/m.exec(config) ?? [];
  await cp(dirname(own), join(dir, "worker"), { recursive: true });
  return config.replace(line, `main = "${join(dir, "worker", basename(own))}"`);
}

const withOtherMain = (config: string, main: string): string =>
  config.replace(/^main = .+$/m, `main = "${resolve(main)}"`).replace("\nno_bundle = true\n", "\nkeep_names = false\n");

/** With the console's files, if they are built. */
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
