// The keywords of each dialect, in the order in which they are checked and their issues told. Others are annotations, and
// so is `format`, as in 2020-12 by default: what a format admits differs from library to library, and a client that
// takes it for an assertion has checked it already.

import { ARRAY_KEYWORDS, DRAFT_7_ARRAY_KEYWORDS, UNEVALUATED_ITEMS } from "./array-keywords.ts";
import { COMBINING_KEYWORDS, REFERENCE } from "./combining-keywords.ts";
import type { Dialect } from "./dialect.ts";
import { DEPENDENCIES, DEPENDENCY_KEYWORDS, OBJECT_KEYWORDS, UNEVALUATED_PROPERTIES } from "./object-keywords.ts";
import { KIND_KEYWORDS, SCALAR_KEYWORDS } from "./scalar-keywords.ts";
import type { KeywordCompiler } from "./site.ts";

/** Resolved at run time by where the validation came from: neither bounded nor needed for a tool's schema. */
const DYNAMIC_REFERENCES = ["$dynamicRef", "$recursiveRef"];

const refuseDynamic: KeywordCompiler = (_, { refuse }) =>
  refuse("$ref instead: where a dynamic reference leads is not bounded");

export const KEYWORDS: Readonly<Record<Dialect, readonly (readonly [string, KeywordCompiler])[]>> = {
  "2020-12": [
    ...DYNAMIC_REFERENCES.map((keyword) => [keyword, refuseDynamic] as const),
    ...KIND_KEYWORDS,
    ...OBJECT_KEYWORDS,
    ...DEPENDENCY_KEYWORDS,
    ...SCALAR_KEYWORDS,
    ...ARRAY_KEYWORDS,
    REFERENCE,
    ...COMBINING_KEYWORDS,
    UNEVALUATED_PROPERTIES,
    UNEVALUATED_ITEMS,
  ],
  "draft-07": [
    ...DYNAMIC_REFERENCES.map((keyword) => [keyword, refuseDynamic] as const),
    ...KIND_KEYWORDS,
    ...OBJECT_KEYWORDS,
    DEPENDENCIES,
    ...SCALAR_KEYWORDS,
    ...DRAFT_7_ARRAY_KEYWORDS,
    ...COMBINING_KEYWORDS,
  ],
};

/** In draft-07 it stands alone: what is beside it is ignored. */
export const LONE_REFERENCE: readonly (readonly [string, KeywordCompiler])[] = [REFERENCE];
