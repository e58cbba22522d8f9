import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import type { Answer, Command, Input } from "./command.ts";
import { escapeUnseen } from "./escape-unseen.ts";
import { sourceFields } from "./source-text.ts";
import { cell } from "./text-cell.ts";
import { textFields, textTable } from "./text-table.ts";

export const TOOLS_COMMANDS: Command[] = [
  {
    name: "tools list",
    operands: [],
    summary: "list the catalogue, disabled tools included",
    options: {},
    prepare: () => listTools,
  },
  {
    name: "tools show",
    operands: ["NAME"],
    summary: "show a tool, where its calls go, and its schemas",
    options: {},
    prepare: showTool,
  },
  {
    name: "tools enable",
    operands: ["NAME"],
    summary: "offer a tool to clients again",
    options: {},
    prepare: (input) => setEnabled(input, true),
  },
  {
    name: "tools disable",
    operands: ["NAME"],
    summary: "take a tool away from all clients",
    options: {},
    prepare: (input) => setEnabled(input, false),
  },
];

async function listTools(server: AdminServer): Promise<Answer> {
  const json = await callAdmin(server, "GET", "/tools");
  const tools = Array.isArray(json["tools"]) ? json["tools"].filter(isObject) : [];
  const rows = tools.map((tool) => [cell(tool["name"]), stateText(tool), kindText(tool), cell(tool["title"])]);
  return {
    json,
    text: `${textTable(["name", "state", "kind", "title"], rows)}\n\nCatalogue version ${cell(json["version"])}`,
  };
}

function showTool({ operands: [name = ""] }: Input) {
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "GET", toolPath(name));
    return { json, text: toolText(json) };
  };
}

function setEnabled({ operands: [name = ""] }: Input, enabled: boolean) {
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "PATCH", toolPath(name), { enabled });
    return { json, text: `${name} is ${enabled ? "enabled" : "disabled"}. Catalogue version ${cell(json["version"])}` };
  };
}

function toolText(tool: JsonObject): string {
  const fields = textFields([
    ["name", cell(tool["name"])],
    ["title", cell(tool["title"])],
    ["state", stateText(tool)],
    ["kind", kindText(tool)],
    ...sourceFields(tool),
    ["timeout", typeof tool["timeoutMs"] === "number" ? `${tool["timeoutMs"]} ms` : ""],
    ["cost", cell(tool["cost"])],
  ]);
  const blocks = ["annotations", "inputSchema", "outputSchema"].filter((block) => isObject(tool[block]));
  const schemas = blocks.map((block) => `${block}:\n${JSON.stringify(tool[block], undefined, 2)}`);
  const description = typeof tool["description"] === "string" ? escapeUnseen(tool["description"], true) : "";
  return [fields, description, ...schemas].filter((text) => text !== "").join("\n\n");
}

const toolPath = (name: string): string => `/tools/${encodeURIComponent(name)}`;

const stateText = (tool: JsonObject): string => (tool["enabled"] === false ? "disabled" : "enabled");

const kindText = ({ source }: JsonObject): string => (isObject(source) ? cell(source["kind"]) : "");
