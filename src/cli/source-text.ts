// Where a tool's calls go, as the admin API tells it, for people. Secrets stand in it by name: it never has their values.

import { isObject, type JsonObject } from "./admin-api.ts";
import { cell } from "./text-cell.ts";
import { countOf } from "./count-of.ts";

/** Titles and values, in the order in which they are shown. */
export function sourceFields({ source }: JsonObject): [string, string][] {
  if (!isObject(source)) return [];
  switch (source["kind"]) {
    case "http":
      return [
        ["request", `${cell(source["method"])} ${cell(source["url"])}`],
        ["query", pairsText(source["query"], "=")],
        ["headers", pairsText(source["headers"], ": ")],
        ["body", source["body"] === undefined ? "" : JSON.stringify(source["body"])],
        ["result", cell(source["result"])],
      ];
    case "code":
      return [
        ["module", typeof source["module"] === "string" ? countOf(source["module"].length, "character") : ""],
        ["hosts", cell(source["egress"]) || "none"],
        ["secrets", cell(source["secrets"])],
      ];
    case "upstream":
      return [
        ["upstream", `${cell(source["upstream"])}, its tool ${cell(source["tool"])}`],
        ["url", cell(source["url"])],
        ["headers", pairsText(source["headers"], ": ")],
      ];
    default:
      return [];
  }
}

const pairsText = (pairs: unknown, joiner: string): string =>
  isObject(pairs)
    ? Object.entries(pairs)
        .map(([name, value]) => `${cell(name)}${joiner}${cell(value)}`)
        .join(joiner === "=" ? "&" : ", ")
    : "";
