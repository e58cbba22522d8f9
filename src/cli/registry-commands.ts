// The MCP Registry's entry of a deployment, to be published with the registry's own tool.

import { writeFileSync } from "node:fs";
import { isObject, type AdminServer } from "./admin-api.ts";
import { CliError } from "./cli-error.ts";
import { oneValue, type Answer, type Command, type Input } from "./command.ts";
import { checkNewFile, FORCE } from "./new-file.ts";
import { createServerJson, faultsOfServerJson, type DeploymentPage } from "./server-json.ts";

const TIMEOUT_MS = 30_000;

export const REGISTRY_COMMANDS: Command[] = [
  {
    name: "registry server-json",
    operands: ["NAME"],
    summary: "make the MCP Registry's server.json for what is deployed; NAME is reverse DNS, such as com.example/tools",
    options: {
      description: { value: "TEXT", required: true, help: "what its tools do, in 100 characters" },
      title: { value: "TEXT", help: "what people call it" },
      "entry-version": { value: "V", help: "the entry's version; the server's by default" },
      website: { value: "URL", help: "where people read more" },
      out: { value: "FILE", help: "write it there, not to stdout" },
      ...FORCE,
    },
    prepare: makeServerJson,
  },
];

function makeServerJson(input: Input) {
  const [name = ""] = input.operands;
  const texts = {
    name,
    description: oneValue(input, "description") ?? "",
    title: oneValue(input, "title"),
    version: oneValue(input, "entry-version"),
    websiteUrl: oneValue(input, "website"),
  };
  const out = oneValue(input, "out");
  if (out !== undefined) checkNewFile("registry server-json", out, input);
  return async ({ origin }: AdminServer): Promise<Answer> => {
    const entry = createServerJson(await readPage(origin), texts);
    const faults = faultsOfServerJson(entry);
    if (faults.length > 0) throw new CliError(`The registry would refuse this entry:\n${faults.join("\n")}`);
    const text = JSON.stringify(entry, undefined, 2);
    const json = { ...entry };
    if (out === undefined) return { json, text };
    writeFileSync(out, `${text}\n`);
    return { json, text: `${out} written. Publish it with:  mcp-publisher publish` };
  };
}

/** What the deployment says of itself to everybody: no key is sent. */
async function readPage(origin: string): Promise<DeploymentPage> {
  const page = await fetchJson(`${origin}/`);
  const { title, version, endpoint, sse } = isObject(page) ? page : {};
  if (
    typeof title === "string" &&
    typeof version === "string" &&
    typeof endpoint === "string" &&
    typeof sse === "string"
  )
    return { title, version, endpoint, sse };
  throw new CliError(`${origin}/: expected what a toolgate says of itself as JSON, received something else.`);
}

async function fetchJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw new CliError(`${url} can't be reached. Check --url or TOOLGATE_URL.`);
  }
}
