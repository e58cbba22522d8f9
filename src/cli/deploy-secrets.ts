// Owns the secrets that a deployment is made with: which are missing, and for those what was given, or new ones.

import { createHash, randomBytes } from "node:crypto";

const NAMES = ["SIGNING_SECRET", "SECRETS_KEY", "ADMIN_KEY_HASH"] as const;
const SECRET_BYTES = 32;

type SecretName = (typeof NAMES)[number];

/** Those that an operator may bring: whoever has none of their own can't rotate them softly. */
export const BRINGABLE = ["SIGNING_SECRET", "SECRETS_KEY"] as const;
export type GivenSecrets = Partial<Record<(typeof BRINGABLE)[number], string>>;

/** Those that are not set, in a fixed order, and the admin key's when another one is wanted. */
export const missingSecrets = (set: readonly string[], newAdminKey: boolean): SecretName[] =>
  NAMES.filter((name) => !set.includes(name) || (name === "ADMIN_KEY_HASH" && newAdminKey));

/** Values for missing secrets. A deployment gets the admin key's SHA-256 alone. */
export class NewSecrets {
  /** In clear; only where its hash is among those to be set. */
  readonly adminKey: string | undefined;
  /** Whether nobody but this process knows it yet. */
  readonly isAdminKeyNew: boolean;
  /** Those that are set as they were given, and the others. */
  readonly given: readonly SecretName[];
  readonly made: readonly SecretName[];
  /** Those of the made ones that nobody will see again, and would need to rotate them softly. */
  readonly unreadable: readonly SecretName[];
  readonly #values: Readonly<Record<string, string>>;

  constructor(names: readonly SecretName[], givenAdminKey: string | undefined, given: GivenSecrets) {
    const setsKey = names.includes("ADMIN_KEY_HASH");
    this.adminKey = setsKey ? (givenAdminKey ?? `tga_${randomSecret()}`) : undefined;
    this.isAdminKeyNew = setsKey && givenAdminKey === undefined;
    const valueOf = (name: SecretName): string =>
      name === "ADMIN_KEY_HASH" ? sha256(this.adminKey) : (given[name] ?? randomSecret());
    this.#values = Object.fromEntries(names.map((name) => [name, valueOf(name)]));
    this.given = names.filter((name) => name !== "ADMIN_KEY_HASH" && given[name] !== undefined);
    this.made = names.filter((name) => !this.given.includes(name));
    this.unreadable = this.made.filter((name) => name !== "ADMIN_KEY_HASH");
  }

  /** As `wrangler secret bulk` reads them. */
  toJson(): string {
    return JSON.stringify(this.#values);
  }

  /** A text without any of them, whatever wrote it. */
  redact(text: string): string {
    const values = [...Object.values(this.#values), ...(this.adminKey === undefined ? [] : [this.adminKey])];
    return values.reduce((rest, value) => rest.replaceAll(value, "[secret]"), text);
  }
}

const sha256 = (text = ""): string => createHash("sha256").update(text).digest("hex");

const randomSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");
