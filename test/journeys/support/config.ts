import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Writes the deployment's configuration into `dir`, around another entry file if one is named, and answers its path. */
export async function writeConfig(dir: string, main?: string): Promise<string> {
  const path = join(dir, "wrangler.toml");
  const config = await readFile("wrangler.toml", "utf8");
  const withMain = config.replace(/^main = "(.+)"$/m, (_, own: string) => `main = "${resolve(main ?? own)}"`);
  await writeFile(path, withMain);
  return path;
}
