// `x-mcp-header`: what MCP 2026-07-28 allows and what it does not.

import { QUIET, withInput, withProperty } from "./definitions.ts";
import type { Row } from "./rule-table.ts";

const PATH = "/inputSchema/properties/x";

const header = (name: unknown, schema: object = { type: "string" }) => ({ ...schema, "x-mcp-header": name });
export const HEADERS: Row[] = [
  ["all", "param-header", withProperty(header("Region")), withProperty(header("")), `${PATH}/x-mcp-header`, "error"],
  [
    "all",
    "param-header",
    withProperty(header("a!#$%&'*+-.^_`|~9")),
    withProperty(header("A\r\nX: y")),
    `${PATH}/x-mcp-header`,
    "error",
  ],
  [
    "all",
    "param-header",
    withProperty(header("x".repeat(64))),
    withProperty(header("Ä")),
    `${PATH}/x-mcp-header`,
    "error",
  ],
  ["all", "param-header", QUIET, withProperty(header(7)), `${PATH}/x-mcp-header`, "error"],
  [
    "all",
    "param-header",
    withProperty(header("A", { type: "integer" })),
    withProperty(header("A", { type: "number" })),
    `${PATH}/x-mcp-header`,
    "error",
  ],
  [
    "all",
    "param-header",
    withProperty(header("A", { type: "boolean" })),
    withProperty(header("A", { type: "object" })),
    `${PATH}/x-mcp-header`,
    "error",
  ],
  ["all", "param-header", QUIET, withProperty(header("A", {})), `${PATH}/x-mcp-header`, "error"],
  ["all", "param-header", QUIET, withProperty(header("A", { type: ["string"] })), `${PATH}/x-mcp-header`, "error"],
  [
    "all",
    "param-header",
    withProperty(header("A", { type: "integer", maximum: Number.MAX_SAFE_INTEGER })),
    withProperty(header("A", { type: "integer", maximum: 2 ** 53 })),
    `${PATH}/x-mcp-header`,
    "error",
  ],
  [
    "all",
    "param-header",
    withProperty({ type: "object", properties: { y: header("A") } }),
    withProperty({ type: "array", items: header("A") }),
    `${PATH}/items/x-mcp-header`,
    "error",
  ],
  [
    "all",
    "param-header",
    withProperty({ "x-mcp-header": "A", type: "string" }),
    withProperty({ anyOf: [header("A")] }),
    `${PATH}/anyOf/0/x-mcp-header`,
    "error",
  ],
  [
    "all",
    "param-header",
    QUIET,
    withInput({ $defs: { a: header("A") } }),
    "/inputSchema/$defs/a/x-mcp-header",
    "error",
  ],
  ["all", "param-header", QUIET, withInput({ "x-mcp-header": "A" }), "/inputSchema/x-mcp-header", "error"],
  [
    "all",
    "param-header",
    withProperty({ type: "string" }, "x-mcp-header"),
    withInput({ properties: { a: header("Region"), b: header("region") } }),
    "/inputSchema/properties/b/x-mcp-header",
    "error",
  ],
  [
    "all",
    "param-header",
    withProperty({ default: { "x-mcp-header": "" } }),
    withProperty({ if: header("A") }),
    `${PATH}/if/x-mcp-header`,
    "error",
  ],
  [
    "all",
    "param-header",
    withProperty({ type: "object", properties: { y: { type: "object", properties: { z: header("A") } } } }),
    withProperty({ type: "array", items: { type: "object", properties: { y: header("A") } } }),
    `${PATH}/items/properties/y/x-mcp-header`,
    "error",
  ],
];
