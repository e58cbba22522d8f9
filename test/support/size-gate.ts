// Fails when the minified bundle outgrows its budget. Run after `npm run build`.

import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_KIB = 60;
const DIST = new URL("../../dist/", import.meta.url);

const scripts = readdirSync(DIST).filter((file) => file.endsWith(".js"));
if (scripts.length === 0) throw new Error("dist/ has no bundle: run `npm run build` first");
const bytes = scripts.reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length, 0);
const kib = bytes / 1024;
console.log(`bundle: ${kib.toFixed(1)} KiB minified and gzipped, budget ${BUDGET_KIB} KiB`);
if (kib > BUDGET_KIB) process.exitCode = 1;
