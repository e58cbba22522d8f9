// Fails when the server itself outgrows its budget, minified and gzipped; what tools add is told and left to them.

import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUNDLES = [
  { what: "the server with one tool", folder: "../../dist/core/", budgetKiB: 146 },
  { what: "with the built-in tools", folder: "../../dist/", budgetKiB: undefined },
];

for (const { what, folder, budgetKiB } of BUNDLES) {
  const sizeKiB = gzippedKiB(new URL(folder, import.meta.url));
  const budget = budgetKiB === undefined ? "" : `, budget ${budgetKiB} KiB`;
  console.log(`${what}: ${sizeKiB.toFixed(1)} KiB minified and gzipped${budget}`);
  if (budgetKiB !== undefined && sizeKiB > budgetKiB) process.exitCode = 1;
}

function gzippedKiB(folder: URL): number {
  const scripts = readdirSync(folder).filter((file) => file.endsWith(".js"));
  if (scripts.length === 0) throw new Error(`${folder.pathname} has no bundle: run \`npm run size\``);
  return (
    scripts.reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, folder)), { level: 9 }).length, 0) / 1024
  );
}
