import * as v from "valibot";
import { LIMITS } from "../lib/limits.ts";
import { strictRecord } from "../lib/strict-record.ts";
import { isServerUrl } from "./server-url.ts";

const globs = v.exactOptional(
  v.pipe(v.array(v.pipe(v.string(), v.maxLength(LIMITS.importGlobChars))), v.maxLength(LIMITS.importGlobs)),
);

/** What of a document is imported, and how. In globs, `*` stands for any run of characters, slashes included. */
export const ImportOptionsSchema = v.strictObject({
  /** Who owns the tools, the same at each import of this document; by default made of its title. */
  api: v.exactOptional(v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "expected 1 to 32 of a-z, 0-9 and -"))),
  includeTags: globs,
  excludeTags: globs,
  includePaths: globs,
  excludePaths: globs,
  /** Globs of `operationId`s. */
  includeOperations: globs,
  excludeOperations: globs,
  /** Put before each tool's name. */
  prefix: v.exactOptional(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{0,32}$/, "expected at most 32 of A-Z, a-z, 0-9, _ and -")),
  ),
  /** Takes the place of every server that the document names. */
  server: v.exactOptional(
    v.pipe(
      v.string(),
      v.maxLength(LIMITS.fetchUrlChars),
      v.check(isServerUrl, "expected an http or https URL without user, query or fragment"),
    ),
  ),
  /** Headers of every request, as templates: they win over what the document says. */
  headers: v.exactOptional(
    v.pipe(
      strictRecord(
        v.pipe(v.string(), v.regex(/^[a-z0-9-]+$/i, "expected a header's name"), v.maxLength(LIMITS.templateNameChars)),
        v.pipe(
          v.string(),
          v.minLength(1, "expected a value after the header's name"),
          v.maxLength(LIMITS.templateChars),
        ),
      ),
      v.check(
        (headers) => Object.keys(headers).length <= LIMITS.templates,
        `expected at most ${LIMITS.templates} headers`,
      ),
    ),
  ),
  maxTools: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LIMITS.importTools))),
  /** Whether deprecated operations become tools as well. */
  deprecated: v.exactOptional(v.boolean()),
  /** `on` declares what the document says of answers. An answer that is different then fails its call. */
  outputSchemas: v.exactOptional(v.picklist(["off", "on"])),
});
export type ImportOptions = v.InferOutput<typeof ImportOptionsSchema>;
