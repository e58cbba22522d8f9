// The MCP Registry's entry of a deployment. What is validated: the rules of its schema of 2025-12-11 that a server with
// remotes alone comes under (written down here from that schema, as facts), by ajv; and by the command itself the same, and
// that the addresses are ones that everybody can reach.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { runHere } from "./command-line.ts";
import {
  createServerJson,
  faultsOfServerJson,
  SERVER_JSON_SCHEMA,
  type ServerJson,
} from "../../src/cli/server-json.ts";
import { makeFolder } from "./project-copy.ts";
import { serveScript } from "./scripted-api.ts";

const PAGE = {
  title: "toolgate",
  version: "1.2.3",
  endpoint: "https://tools.example.com/mcp",
  sse: "https://tools.example.com/sse",
};
const TEXTS = { name: "com.example/tools", description: "Finds ships and harbours." };

const text = (maxLength: number, more: object = {}) => ({ type: "string", maxLength, ...more });
const INPUT = {
  type: "object",
  properties: {
    description: { type: "string" },
    isRequired: { type: "boolean" },
    isSecret: { type: "boolean" },
    value: { type: "string" },
  },
};
const FACTS = {
  type: "object",
  required: ["$schema", "name", "description", "version"],
  properties: {
    $schema: { const: SERVER_JSON_SCHEMA },
    name: text(200, { minLength: 3, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" }),
    title: text(100, { minLength: 1 }),
    description: text(100, { minLength: 1 }),
    version: text(255),
    websiteUrl: { type: "string" },
    remotes: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["type", "url"],
        additionalProperties: false,
        properties: {
          type: { enum: ["streamable-http", "sse"] },
          url: { type: "string", pattern: "^https?://[^\\s]+$" },
          headers: {
            type: "array",
            items: {
              ...INPUT,
              required: ["name"],
              properties: {
                ...INPUT.properties,
                name: { type: "string" },
                variables: { type: "object", additionalProperties: INPUT },
              },
              additionalProperties: false,
            },
          },
        },
      },
    },
  },
  additionalProperties: false,
};
const isValid = new Ajv2020().compile(FACTS);

describe("an entry", () => {
  it("names both ways in and asks for a key without having one", () => {
    const entry = createServerJson(PAGE, { ...TEXTS, websiteUrl: "https://example.com/tools" });
    const headers = [
      {
        name: "Authorization",
        description: "An API key of this server's",
        value: "Bearer {api_key}",
        isRequired: true,
        isSecret: true,
        variables: {
          api_key: { description: "The key, as whoever runs the server gave it", isRequired: true, isSecret: true },
        },
      },
    ];
    expect(entry).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      name: "com.example/tools",
      title: "toolgate",
      description: "Finds ships and harbours.",
      version: "1.2.3",
      websiteUrl: "https://example.com/tools",
      remotes: [
        { type: "streamable-http", url: "https://tools.example.com/mcp", headers },
        { type: "sse", url: "https://tools.example.com/sse", headers },
      ],
    });
    expect([isValid(entry), faultsOfServerJson(entry)]).toEqual([true, []]);
  });

  it.each<[string, Partial<ServerJson>, RegExp]>([
    ["a name without a namespace", { name: "tools" }, /^name: /],
    ["a name with two slashes", { name: "com.example/a/b" }, /^name: /],
    ["a long name", { name: `com.example/${"x".repeat(189)}` }, /^name: /],
    ["an empty title", { title: "" }, /^title: /],
    ["a long title", { title: "x".repeat(101) }, /^title: /],
    ["no description", { description: "" }, /^description: .*received 0$/],
    ["a long description", { description: "x".repeat(101) }, /^description: .*received 101$/],
    ["the latest version", { version: "latest" }, /^version: /],
    ["a range", { version: "^1.2.3" }, /^version: /],
    ["another range", { version: "1.x" }, /^version: /],
    ["a website without https", { websiteUrl: "http://example.com" }, /^websiteUrl: /],
    [
      "an address of this machine",
      { remotes: [{ type: "sse", url: "http://127.0.0.1:8787/sse", headers: [] }] },
      /^remotes: .*127/,
    ],
    ["a template", { remotes: [{ type: "sse", url: "https://{host}/sse", headers: [] }] }, /^remotes: /],
  ])("with %s is refused", (_, more, fault) => {
    const faults = faultsOfServerJson({ ...createServerJson(PAGE, TEXTS), ...more });
    expect(faults).toEqual([expect.stringMatching(fault)]);
  });

  it.each<Partial<ServerJson>>([
    { name: `com.example/${"x".repeat(188)}` },
    { title: "x".repeat(100) },
    { description: "x".repeat(100) },
    { version: "1.0.0-alpha.1+build" },
  ])("with %j is good, as it is to the schema", (more) => {
    const entry = { ...createServerJson(PAGE, TEXTS), ...more };
    expect([faultsOfServerJson(entry), isValid(entry)]).toEqual([[], true]);
  });
});

const toolgate = (url: string, args: string[]) =>
  runHere(["registry", "server-json", ...args], { TOOLGATE_URL: url, TOOLGATE_ADMIN_KEY: "not-needed-here" });

describe("registry server-json", () => {
  const DESCRIBED = ["com.example/tools", "--description", "Finds ships."];

  it("writes what the deployment says of itself, and sends no key", async () => {
    const { url, asked } = await serveScript({ "GET /": PAGE });
    const file = join(makeFolder(), "server.json");
    expect(await toolgate(url, [...DESCRIBED, "--entry-version", "2.0.0", "--out", file])).toEqual({
      code: 0,
      stderr: "",
      stdout: `${file} written. Publish it with:  mcp-publisher publish\n`,
    });
    const entry: unknown = JSON.parse(readFileSync(file, "utf8"));
    expect([isValid(entry), entry]).toEqual([
      true,
      expect.objectContaining({ version: "2.0.0", description: "Finds ships." }),
    ]);
    expect(asked).toEqual([{ call: "GET /", authorization: undefined }]);
    const again = await toolgate(url, [...DESCRIBED, "--out", file]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("which is there already")]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(entry);
    expect((await toolgate(url, [...DESCRIBED, "--out", file, "--force"])).code).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version: PAGE.version });
  });

  it("refuses what the registry would refuse", async () => {
    const { url } = await serveScript({ "GET /": { ...PAGE, endpoint: "http://127.0.0.1/mcp" } });
    expect(await toolgate(url, DESCRIBED)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "error: The registry would refuse this entry:\nremotes: expected an https URL that everybody can reach, received http://127.0.0.1/mcp\n",
    });
  });

  it("says that something else answers there", async () => {
    const { url } = await serveScript({ "GET /": { hello: "world" } });
    expect(await toolgate(url, DESCRIBED)).toMatchObject({
      code: 1,
      stderr: `error: ${url}/: expected what a toolgate says of itself as JSON, received something else.\n`,
    });
  });
});
