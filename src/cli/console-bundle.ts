// The console's pages as the assets to upload.

import { build, formatMessages } from "esbuild";

const ENTRIES = ["console.tsx", "yaml.ts", "console.css", "index.html"];

/** Bundles the console of the project in `root` into `outDir`, minified; throws what esbuild says of faults. */
export async function bundleConsole(root: string, outDir: string): Promise<void> {
  const { warnings } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES.map((file) => `src/console/${file}`),
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    target: "es2023",
    loader: { ".html": "copy" },
    outdir: outDir,
    logLevel: "silent",
  });
  for (const text of await formatMessages(warnings, { kind: "warning" })) console.error(text);
}
