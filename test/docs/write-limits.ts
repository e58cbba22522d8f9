// "npm run docs:limits": writes docs/limits.md from the record of limits.

import { writeFileSync } from "node:fs";
import { LIMITS_PAGE, renderLimits } from "./limits-page.ts";

writeFileSync(LIMITS_PAGE, renderLimits());
