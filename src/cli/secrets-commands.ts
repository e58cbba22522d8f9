import { callAdmin, isObject, type AdminServer, type JsonObject } from "./admin-api.ts";
import { CliError } from "./cli-error.ts";
import { oneValue, type Answer, type Command, type Input } from "./command.ts";
import { readSecretUses, usesText } from "./secret-uses.ts";
import { readSecretValue } from "./secret-value.ts";
import { cell, timeCell } from "./text-cell.ts";
import { textTable } from "./text-table.ts";

export const SECRETS_COMMANDS: Command[] = [
  {
    name: "secrets set",
    operands: ["NAME"],
    summary: "store a value that tools may use as {{secret:NAME}}; it is read from stdin and never shown again",
    options: {
      "value-file": { value: "FILE", help: "read the value from a file instead; one line end after it is left out" },
    },
    prepare: setSecret,
  },
  {
    name: "secrets list",
    operands: [],
    summary: "list the secrets' names, when they were set and who uses them",
    options: {},
    prepare: () => listSecrets,
  },
  {
    name: "secrets delete",
    operands: ["NAME"],
    summary: "delete a secret; tools that need it fail from then on",
    options: {},
    prepare: deleteSecret,
  },
  {
    name: "secrets reseal",
    operands: [],
    summary: "seal all secrets under the current SECRETS_KEY, so that the previous one can go",
    options: {},
    prepare: () => resealSecrets,
  },
];

function setSecret(input: Input) {
  const {
    operands: [name = ""],
  } = input;
  return async (server: AdminServer): Promise<Answer> => {
    const value = await readSecretValue(name, oneValue(input, "value-file"), input.stdin);
    const json = await callAdmin(server, "PUT", secretPath(name), { value });
    const unused = `Nothing uses it yet: records name it {{secret:${name}}} in query and headers, code tools in "secrets".`;
    const uses = await describeUses(server, name, (users) => (users === "" ? unused : `Used by ${users}.`));
    return { json, text: `Secret ${name} is set. In use everywhere within 30 s.\n${uses}` };
  };
}

/** Who uses it. It is set or deleted whether that can be found out or not. */
async function describeUses(server: AdminServer, name: string, tell: (users: string) => string): Promise<string> {
  try {
    return tell(usesText((await readSecretUses(server)).get(name)));
  } catch (error) {
    if (error instanceof CliError) return `Who uses it could not be found out: ${error.message}`;
    throw error;
  }
}

async function listSecrets(server: AdminServer): Promise<Answer> {
  const json = await callAdmin(server, "GET", "/secrets");
  const secrets = Array.isArray(json["secrets"]) ? json["secrets"].filter(isObject) : [];
  if (secrets.length === 0) return { json, text: "No secrets yet. Set one with:  secrets set NAME" };
  const uses = await readSecretUses(server);
  const rows = secrets.map(({ name, setAt, sealedUnder }) => [
    cell(name),
    timeCell(setAt),
    sealText(sealedUnder),
    usesText(uses.get(String(name))) || "nothing",
  ]);
  return { json, text: textTable(["name", "set", "sealed under", "used by"], rows) };
}

/** Which of the server's two keys opens a secret. */
function sealText(sealedUnder: unknown): string {
  if (sealedUnder === "current") return "SECRETS_KEY";
  return sealedUnder === "previous" ? "SECRETS_KEY_PREVIOUS" : "a key that is gone: set it again";
}

function deleteSecret({ operands: [name = ""] }: Input) {
  return async (server: AdminServer): Promise<Answer> => {
    const json = await callAdmin(server, "DELETE", secretPath(name));
    const uses = await describeUses(server, name, (users) =>
      users === "" ? "Nothing needs it." : `Needed by ${users}: their calls fail from then on, until it is set again.`,
    );
    return { json, text: `Secret ${name} is deleted. Out of use everywhere within 30 s.\n${uses}` };
  };
}

async function resealSecrets(server: AdminServer): Promise<Answer> {
  const json = await callAdmin(server, "POST", "/secrets/reseal");
  const unreadable = listText(json, "unreadable");
  const lines = [`Sealed anew: ${listText(json, "resealed") || "none"}.`];
  if (unreadable !== "") lines.push(`Sealed under a key that is gone, set them again: ${unreadable}.`);
  return { json, text: lines.join("\n") };
}

const listText = (json: JsonObject, field: string): string => {
  const names = json[field];
  return Array.isArray(names) ? names.map(cell).join(", ") : "";
};

const secretPath = (name: string): string => `/secrets/${encodeURIComponent(name)}`;
