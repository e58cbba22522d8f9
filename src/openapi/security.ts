// What an operation asks of its caller's credentials, as slots for secrets: names that operators give values to. A document
// says which kind of credential goes where; it never holds one.

import { LIMITS } from "../lib/limits.ts";
import { parsePart, SecuritySchemeSchema, type OpenApiDocument } from "./document.ts";
import { Inexpressible } from "./inexpressible.ts";
import { readOwn, type References } from "./references.ts";

/** A secret that tools of an import refer to. */
export interface SecretSlot {
  name: string;
  /** What its value must be. */
  expects: string;
  in: "header" | "query";
  field: string;
}

/** A slot and the template that goes into its field. */
export interface Credential extends SecretSlot {
  template: string;
}

export type Requirement = Record<string, unknown>;

/**
 * The credentials of the first alternative that a tool can send; none where nothing is asked for. Throws `Inexpressible`
 * when there is no such alternative.
 */
export function chooseCredentials(
  alternatives: readonly Requirement[],
  { components }: OpenApiDocument,
  references: References,
  api: string,
): Credential[] {
  const refusals: string[] = [];
  for (const alternative of alternatives) {
    try {
      const schemes = readOwn(components ?? {}, "securitySchemes");
      return Object.keys(alternative).map((name) => {
        const raw = typeof schemes === "object" && schemes !== null ? readOwn(schemes as Requirement, name) : undefined;
        if (raw === undefined) throw new Inexpressible(`security scheme ${JSON.stringify(name)} is not defined`);
        return toCredential(name, references.resolve(raw), api);
      });
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error;
      references.work.spendOnFault();
      refusals.push(error.message);
    }
  }
  if (refusals.length === 0) return [];
  throw new Inexpressible([...new Set(refusals)].join("; "));
}

function toCredential(schemeName: string, raw: unknown, api: string): Credential {
  const scheme = parsePart(SecuritySchemeSchema, `security scheme ${JSON.stringify(schemeName)}`, raw);
  const name = toSecretName(api, schemeName);
  const secret = `{{secret:${name}}}`;
  const inHeader = (expects: string, template: string): Credential => ({
    name,
    expects,
    in: "header",
    field: "authorization",
    template,
  });
  switch (scheme.type) {
    case "apiKey":
      if (scheme.in === "cookie") throw new Inexpressible("security by cookie");
      return { name, expects: "the API key", in: scheme.in, field: scheme.name, template: secret };
    case "http": {
      const kind = scheme.scheme.toLowerCase();
      if (kind === "basic") return inHeader("user:password in base64", `Basic ${secret}`);
      if (kind === "bearer") return inHeader("the token", `Bearer ${secret}`);
      throw new Inexpressible(`security by HTTP scheme ${JSON.stringify(scheme.scheme.slice(0, 50))}`);
    }
    case "oauth2":
    case "openIdConnect":
      return inHeader("an access token, which nobody here renews", `Bearer ${secret}`);
    case "mutualTLS":
      throw new Inexpressible("security by client certificates");
  }
}

const toSecretName = (api: string, schemeName: string): string =>
  `${api}_${schemeName}`
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|(?<!_)_+$/g, "")
    .toUpperCase()
    .slice(0, LIMITS.secretNameChars);
