import type { Tool } from "../define-tool.ts";
import { calculate } from "./calculate.ts";
import { currentTime } from "./current-time.ts";
import { fetchPage } from "./fetch-page.ts";
import { qrCode } from "./qr-code.ts";
import { tone } from "./tone.ts";

/** The tools that every installation has, in the order of their names. */
export const builtinTools: Tool[] = [calculate, currentTime, fetchPage, qrCode, tone];
