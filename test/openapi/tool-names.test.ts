import { describe, expect, it } from "vitest";
import { importOpenApi } from "./import-at-once.ts";

/** Names of operations given as `METHOD /path` and operationId, in that order. */
function nameAll(operations: [operation: string, operationId?: string | undefined][], prefix = ""): string[] {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operation, operationId] of operations) {
    const [method = "", path = ""] = operation.split(" ");
    (paths[path] ??= {})[method.toLowerCase()] = {
      ...(operationId !== undefined && { operationId }),
      parameters: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({ name, in: "path", required: true })),
    };
  }
  const document = { openapi: "3.1.0", info: { title: "t" }, servers: [{ url: "https://t.example" }], paths };
  const { tools } = importOpenApi(document, { prefix });
  return operations.map(([operation]) => tools.find((tool) => tool.operation === operation)?.name ?? "none");
}

describe("names of tools", () => {
  it.each<[string, string | undefined, string]>([
    ["GET /pets", "listPets", "listPets"],
    ["GET /pets", "pets/list-all", "pets_list-all"],
    ["GET /pets", "Pets.list (all)", "Pets_list_all"],
    ["GET /pets/{petId}/toys", undefined, "get_pets_petid_toys"],
    ["GET /pets", "", "get_pets"],
    ["GET /", undefined, "get"],
    ["GET /pets", "宠物", "operation"],
    ["GET /pets", "search_tools", expect.stringMatching(/^search_tools_[0-9a-f]{6}$/)],
    ["GET /pets", "x".repeat(64), "x".repeat(64)],
    ["GET /pets", "x".repeat(65), `${"x".repeat(57)}_2b1787`],
  ])("%s %s", (operation, operationId, name) => {
    expect(nameAll([[operation, operationId]])).toEqual([name]);
  });

  it("are unique, whatever the order of the operations", () => {
    const operations: [string, string][] = [
      ["GET /a", "get.thing"],
      ["GET /b", "get_thing"],
      ["GET /c", "get/thing"],
      ["GET /d", "twice"],
      ["GET /e", "twice"],
    ];
    const names = ["get_thing_97e35d", "get_thing", "get_thing_97e037", "twice_97db7e", "twice_97dd11"];
    expect(nameAll(operations)).toEqual(names);
    expect(nameAll(operations.toReversed())).toEqual(names.toReversed());
  });

  it("have the prefix and still fit", () => {
    expect(
      nameAll(
        [
          ["GET /a", "list"],
          ["GET /b", "x".repeat(62)],
        ],
        "gh_",
      ),
    ).toEqual(["gh_list", `gh_${"x".repeat(54)}_76d55d`]);
  });
});
