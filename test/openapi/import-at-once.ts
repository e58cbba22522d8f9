import { importOpenApi as importInTurns, type ImportedApi } from "../../src/openapi/import-openapi.ts";
import type { ImportOptions } from "../../src/openapi/import-options.ts";
import { atOnce } from "../support/at-once.ts";

export const importOpenApi = (document: unknown, options?: ImportOptions): ImportedApi =>
  atOnce(importInTurns(document, options));
