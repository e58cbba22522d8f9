import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * Writes the deployment's configuration into `dir`, around another entry file if one is named, and answers its path. Its own
 * entry is built already; wrangler bundles another.
 */
export async function writeConfig(dir: string, main?: string): Promise<string> {
  const path = join(dir, "wrangler.toml");
  const config = await readFile("wrangler.toml", "utf8");
  const withMain = config.replace(/^main = "(.+)"$/m, (_, own: string) => `main = "${resolve(main ?? own)}"`);
  const built = main === undefined ? withMain : withMain.replace("\nno_bundle = true\n", "\nkeep_names = false\n");
  await writeFile(path, await withAssets(built));
  return path;
}

/** With the console's files where they are, if they are built. */
async function withAssets(config: string): Promise<string> {
  const [, own = ""] = /^directory = "(.+)"$/m.exec(config) ?? [];
  await mkdir(own, { recursive: true });
  return config.replace(/^directory = .+$/m, `directory = "${resolve(own)}"`).replace(/^\[build\]\n(.+\n)+/m, "");
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
