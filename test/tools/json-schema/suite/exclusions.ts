// What of the official suite a tool's schema may not be: each is refused with a message of its own, none is misjudged.

const REMOTE = "refers to another document, which is never fetched";
const DYNAMIC = "uses $dynamicRef, whose work can't be bounded when the schema is registered";
const METASCHEMA = "declares a dialect of its own";

/** By draft, file and group of tests: why it is refused. */
export const EXCLUSIONS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  "draft2020-12": {
    "defs.json": {
      "validate definition against metaschema": REMOTE,
    },
    "dynamicRef.json": {
      "strict-tree schema, guards against misspelled properties": REMOTE,
      "tests for implementation dynamic anchor and reference link": REMOTE,
      "$ref and $dynamicAnchor are independent of order - $defs first": REMOTE,
      "$ref and $dynamicAnchor are independent of order - $ref first": REMOTE,
      "$ref to $dynamicRef finds detached $dynamicAnchor": REMOTE,
      "A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor": DYNAMIC,
      "A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor": DYNAMIC,
      "A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated":
        DYNAMIC,
      "A $dynamicRef without anchor in fragment behaves identical to $ref": DYNAMIC,
      "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution":
        DYNAMIC,
      "An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution": DYNAMIC,
      "A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor":
        DYNAMIC,
      "A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor":
        DYNAMIC,
      "A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope":
        DYNAMIC,
      "A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor":
        DYNAMIC,
      "multiple dynamic paths to the $dynamicRef keyword": DYNAMIC,
      "after leaving a dynamic scope, it is not used by a $dynamicRef": DYNAMIC,
      "$dynamicRef points to a boolean schema": DYNAMIC,
      "$dynamicRef skips over intermediate resources - direct reference": DYNAMIC,
      "$dynamicRef avoids the root of each schema, but scopes are still registered": DYNAMIC,
    },
    "ref.json": {
      "remote ref, containing refs itself": REMOTE,
    },
    "refRemote.json": {
      "remote ref": REMOTE,
      "fragment within remote ref": REMOTE,
      "anchor within remote ref": REMOTE,
      "ref within remote ref": REMOTE,
      "base URI change": REMOTE,
      "base URI change - change folder": REMOTE,
      "base URI change - change folder in subschema": REMOTE,
      "root ref in remote ref": REMOTE,
      "remote ref with ref to defs": REMOTE,
      "Location-independent identifier in remote ref": REMOTE,
      "retrieved nested refs resolve relative to their URI not $id": REMOTE,
      "remote HTTP ref with different $id": REMOTE,
      "remote HTTP ref with different URN $id": REMOTE,
      "remote HTTP ref with nested absolute ref": REMOTE,
      "$ref to $ref finds detached $anchor": REMOTE,
    },
    "unevaluatedItems.json": {
      "unevaluatedItems with $dynamicRef": DYNAMIC,
    },
    "unevaluatedProperties.json": {
      "unevaluatedProperties with $dynamicRef": DYNAMIC,
    },
    "vocabulary.json": {
      "schema that uses custom metaschema with with no validation vocabulary": METASCHEMA,
      "ignore unrecognized optional vocabulary": METASCHEMA,
    },
  },
  draft7: {
    "definitions.json": {
      "validate definition against metaschema": REMOTE,
    },
    "ref.json": {
      "remote ref, containing refs itself": REMOTE,
    },
    "refRemote.json": {
      "remote ref": REMOTE,
      "fragment within remote ref": REMOTE,
      "ref within remote ref": REMOTE,
      "base URI change": REMOTE,
      "base URI change - change folder": REMOTE,
      "base URI change - change folder in subschema": REMOTE,
      "root ref in remote ref": REMOTE,
      "remote ref with ref to definitions": REMOTE,
      "Location-independent identifier in remote ref": REMOTE,
      "retrieved nested refs resolve relative to their URI not $id": REMOTE,
      "$ref to $ref finds location-independent $id": REMOTE,
    },
  },
};
