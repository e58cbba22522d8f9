import { importOpenApi as importInTurns, type ImportedApi } from "../../src/openapi/import-openapi.ts";
import type { ImportOptions } from "../../src/openapi/import-options.ts";

/** An import that lets nobody in. */
export function importOpenApi(document: unknown, options?: ImportOptions): ImportedApi {
  const work = importInTurns(document, options);
  for (;;) {
    const turn = work.next();
    if (turn.done === true) return turn.value;
  }
}
