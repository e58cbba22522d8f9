// The Worker as modules to upload. All that a cold isolate needs to answer calls is one of them, the core; what only some
// requests need (the admin API, imports, tools that came as data, sockets, …) is apart, and loaded by the first of those.

import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown, type OutputAsset, type OutputChunk, type Plugin } from "rolldown";

export interface WorkerModule {
  file: string;
  bytes: number;
  /** Compressed by itself. */
  gzipBytes: number;
  /** Whether an isolate loads it before its first request. */
  startsUp: boolean;
}

export interface WorkerBundle {
  /** The entry. */
  main: string;
  modules: WorkerModule[];
}

/** Bundles the Worker of an entry file into `outDir`, minified, with source maps; `define` has constants of the code. */
export async function bundleWorker(
  entry: string,
  outDir: string,
  define: Record<string, string> = {},
): Promise<WorkerBundle> {
  const core = new Set<string>();
  const bundle = await rolldown({
    input: { index: entry },
    external: [/^cloudflare:/, /^node:/],
    platform: "neutral",
    resolve: { conditionNames: ["workerd", "worker", "browser", "import"], mainFields: ["module", "main"] },
    transform: { define },
    plugins: [noteStaticImports(core)],
    onLog: (level, log, report) => report(MISSING.has(log.code ?? "") ? "error" : level, log),
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    sourcemap: true,
    comments: false,
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    codeSplitting: { groups: [{ name: "core", test: (id: string) => core.has(id) }] },
  });
  await bundle.close();
  await writeOutput(output, outDir);
  const chunks = output.filter((file) => file.type === "chunk");
  const first = chunksBeforeRequests(chunks);
  return {
    main: join(outDir, "index.mjs"),
    modules: chunks.map((chunk) => measure(chunk, first.has(chunk.fileName))),
  };
}

/** Imports that nothing answers to: warnings to the bundler, and the end of an isolate that loads them. */
const MISSING = new Set(["UNRESOLVED_IMPORT", "IMPORT_IS_UNDEFINED"]);

/** Each file at once, and what is gone last: others may be reading, or writing the same. */
async function writeOutput(output: readonly (OutputChunk | OutputAsset)[], outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true });
  for (const file of output) {
    const path = join(outDir, file.fileName);
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, file.type === "chunk" ? file.code : file.source);
    await rename(draft, path);
  }
  const made = new Set(output.map(({ fileName }) => fileName));
  const gone = (await readdir(outDir)).filter((file) => /\.mjs(?:\.map)?$/.test(file) && !made.has(file));
  await Promise.all(gone.map((file) => rm(join(outDir, file), { force: true })));
}

/** Fills a set with the modules that are reached from the entry without an `import()`, before chunks are made. */
const noteStaticImports = (reached: Set<string>): Plugin => ({
  name: "static-imports",
  buildEnd() {
    const visit = (id: string): void => {
      if (reached.has(id)) return;
      reached.add(id);
      for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported);
    };
    for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry) visit(id);
  },
});

function chunksBeforeRequests(chunks: readonly OutputChunk[]): Set<string> {
  const reached = new Set<string>();
  const visit = (fileName: string): void => {
    if (reached.has(fileName)) return;
    reached.add(fileName);
    for (const imported of chunks.find((chunk) => chunk.fileName === fileName)?.imports ?? []) visit(imported);
  };
  for (const { fileName, isEntry } of chunks) if (isEntry) visit(fileName);
  return reached;
}

function measure({ fileName, code }: OutputChunk, startsUp: boolean): WorkerModule {
  const bytes = Buffer.from(code);
  return {
    file: fileName,
    bytes: bytes.byteLength,
    gzipBytes: gzipSync(bytes, { level: 9 }).byteLength,
    startsUp,
  };
}
