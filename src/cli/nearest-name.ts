// What is added to the refusal of a name that nothing has: the one that comes nearest, from the list that the API has of its
// kind.

import { ApiError, callAdmin, isObject, type AdminServer } from "./admin-api.ts";
import type { Command, Input } from "./command.ts";
import { nearestWord } from "./nearest-word.ts";

const LISTS = ["tools", "upstreams", "secrets", "keys"];

/** The error of a command with the name that was meant, where there is one; the error as it is otherwise. */
export async function addNearestName(
  error: unknown,
  { name: command }: Command,
  { operands: [asked] }: Input,
  server: AdminServer,
): Promise<unknown> {
  const [list = ""] = command.split(" ");
  if (!(error instanceof ApiError) || error.status !== 404 || asked === undefined || !LISTS.includes(list))
    return error;
  const meant = await findMeant(list, asked, server);
  return meant === undefined ? error : new ApiError(`${error.message}\nDid you mean ${meant}?`, error.status);
}

/** Of keys the first page alone is read; one that was called by its name is meant by its ID. */
async function findMeant(list: string, asked: string, server: AdminServer): Promise<string | undefined> {
  const found = await readNames(list, server);
  const byName = found.find(({ name, id }) => name === asked && id !== undefined);
  if (byName) return `${byName.id}, the key of that name`;
  const names = found.map(({ name, id }) => id ?? name);
  return names.includes(asked) ? undefined : nearestWord(asked, names);
}

/** None where they can't be had: the refusal stands without them. */
async function readNames(list: string, server: AdminServer): Promise<{ name: string; id?: string }[]> {
  const json = await callAdmin(server, "GET", `/${list}`).catch(() => ({}) as Record<string, unknown>);
  const entries = Array.isArray(json[list]) ? json[list].filter(isObject) : [];
  return entries.map(({ name, id }) => ({ name: String(name), ...(typeof id === "string" && { id }) }));
}
