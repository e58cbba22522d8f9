// What the routes that change the catalogue share: its rows, an edit of it, and its version as an entity tag.

import { registryStub, type Env } from "../env.ts";
import { LIMITS } from "../lib/limits.ts";
import type { EditAct, EditOutcome, ToolEdit, ToolRow } from "../registry/registry-contract.ts";
import { untilListed } from "../registry/until-listed.ts";
import type { ToolRecord } from "../tools/tool-record.ts";
import { HttpError } from "./problem.ts";

/** Who edits, on which condition, and as what it is recorded where it is more than its edits. */
interface EditTerms {
  ifMatch: string | undefined;
  who: string;
  act?: EditAct;
}

/** All edits as one version. Throws a problem when there is none. */
export async function editTools(env: Env, edits: ToolEdit[], { ifMatch, who, act }: EditTerms) {
  const outcome = await registryStub(env).editTools(edits, parseIfMatch(ifMatch), who, act);
  if (outcome.outcome !== "changed") throw refusalOf(outcome);
  await untilListed(outcome);
  return outcome;
}

function refusalOf(outcome: Exclude<EditOutcome, { outcome: "changed" }>): HttpError {
  switch (outcome.outcome) {
    case "unknown_tool":
      return noTool(outcome.name);
    case "builtin_tool":
      return new HttpError(409, "builtin_tool", inTheCode(outcome.name));
    case "version_mismatch":
      return versionMismatch(outcome.version);
    case "catalogue_full": {
      const { toolRecords, catalogueChars } = LIMITS;
      const detail = `The catalogue holds at most ${toolRecords} tools and ${catalogueChars} characters of them`;
      return new HttpError(409, "catalogue_full", detail);
    }
  }
}

/** Why a tool of the server's own can't be put or deleted. */
export const inTheCode = (name: string): string =>
  `${name} is in the server's code: it can be disabled and annotated, not replaced or deleted`;

export const versionMismatch = (version: number): HttpError =>
  new HttpError(412, "version_mismatch", `The catalogue is at version ${version} by now`);

export const noTool = (name: string): HttpError =>
  new HttpError(404, "not_found", `There is no tool ${JSON.stringify(name.slice(0, LIMITS.toolNameChars))}`);

export async function readRows(env: Env): Promise<{ version: number; rows: ToolRow[] }> {
  const { version, rows = [] } = await registryStub(env).readSnapshot(-1);
  return { version, rows: rows.flatMap(({ row }) => row ?? []) };
}

/** A tool that came as data, as the record that it was put with; none for code, which is stored apart, and for upstreams'. */
export function recordOf({
  name,
  enabled,
  annotations,
  cost,
  record,
}: ToolRow): { name: string; record: ToolRecord } | undefined {
  if (!record || record.source.kind === "code" || record.source.kind === "upstream") return undefined;
  const { inputSchema, outputSchema, source, ...rest } = record;
  return {
    name,
    record: {
      ...rest,
      inputSchema: JSON.parse(inputSchema) as ToolRecord["inputSchema"],
      ...(outputSchema !== undefined && { outputSchema: JSON.parse(outputSchema) as ToolRecord["inputSchema"] }),
      ...(annotations && { annotations }),
      ...(cost !== undefined && { cost }),
      enabled,
      source,
    },
  };
}

export const toEtag = (version: number): string => `"${version}"`;

/** `If-Match: "<version>"` (RFC 9110 13.1.1); `*` and nothing match any. */
export function parseIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header === "*") return undefined;
  const version = /^"(\d{1,15})"$/.exec(header)?.[1];
  if (version === undefined)
    throw new HttpError(400, "invalid_body", 'If-Match must be a version such as "7", quotes included');
  return Number(version);
}
