import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureDevVars, parseDevVars, readDevVars } from "../../src/cli/dev-vars.ts";
import { makeFolder } from "./project-copy.ts";

const ADMIN_KEY = 'ADMIN_KEY="tga_0123456789abcdef"';
const SIGNING_SECRET = "SIGNING_SECRET='0123456789abcdef'";
const SECRETS_KEY = "SECRETS_KEY=fedcba9876543210";

describe("ensureDevVars", () => {
  it("makes the file with random secrets that only this user can read", () => {
    const folder = makeFolder();
    const { vars, made } = ensureDevVars(folder);
    expect(made).toBe(true);
    expect(vars.ADMIN_KEY).toMatch(/^tga_[\w-]{43}$/);
    expect(vars.SIGNING_SECRET).toMatch(/^[\w-]{43}$/);
    expect(vars.SECRETS_KEY).toMatch(/^[\w-]{43}$/);
    expect(statSync(join(folder, ".dev.vars")).mode & 0o777).toBe(0o600);
    expect(readDevVars(folder)).toEqual(vars);
  });

  it("makes other secrets every time", () => {
    expect(ensureDevVars(makeFolder()).vars).not.toEqual(ensureDevVars(makeFolder()).vars);
  });

  it("keeps a file byte for byte", () => {
    const folder = makeFolder();
    const text = `# mine\r\n\r\nexport ${ADMIN_KEY}\n${SIGNING_SECRET}\n${SECRETS_KEY}\nOTHER=1`;
    writeFileSync(join(folder, ".dev.vars"), text);
    expect(ensureDevVars(folder).made).toBe(false);
    expect(readFileSync(join(folder, ".dev.vars"), "utf8")).toBe(text);
  });
});

describe("ensureDevVars of a file without SECRETS_KEY", () => {
  it.each(["\n", ""])("adds one and keeps the rest, after a last line that ends in %j", (end) => {
    const folder = makeFolder();
    const text = `${ADMIN_KEY}\n${SIGNING_SECRET}`;
    writeFileSync(join(folder, ".dev.vars"), text + end);
    const { vars, made } = ensureDevVars(folder);
    expect(made).toBe(false);
    expect(vars.SECRETS_KEY).toMatch(/^[\w-]{43}$/);
    expect(readFileSync(join(folder, ".dev.vars"), "utf8")).toBe(`${text}\nSECRETS_KEY="${vars.SECRETS_KEY}"\n`);
    expect(ensureDevVars(folder).vars).toEqual(vars);
  });
});

describe("parseDevVars", () => {
  it("reads quoted values over several lines", () => {
    const text = `PEM="one\n= two\nthree"\n${ADMIN_KEY}\n${SIGNING_SECRET}\n`;
    expect(parseDevVars(text, "f")).toEqual({ ADMIN_KEY: "tga_0123456789abcdef", SIGNING_SECRET: "0123456789abcdef" });
  });

  it.each([
    ["no assignment", `${ADMIN_KEY}\nSIGNING_SECRET: x\n`, 'f, line 2: expected NAME="value" or a # comment.'],
    ["an open quote", `${ADMIN_KEY}\nSIGNING_SECRET="abc\n`, 'f, line 2: the closing " is missing.'],
    ["nothing", "", 'f: expected ADMIN_KEY="…" with at least 16 characters, found no such name.'],
    ["one missing", ADMIN_KEY, 'f: expected SIGNING_SECRET="…" with at least 16 characters, found no such name.'],
    [
      "an empty value",
      `\nADMIN_KEY=\n`,
      'f, line 2: expected ADMIN_KEY="…" with at least 16 characters, found an empty value.',
    ],
    ["an empty SECRETS_KEY", `${ADMIN_KEY}\n${SIGNING_SECRET}\nSECRETS_KEY=`, "f, line 3: expected SECRETS_KEY="],
    [
      "15 characters",
      "ADMIN_KEY=0123456789abcde",
      'f, line 1: expected ADMIN_KEY="…" with at least 16 characters, found 15 characters.',
    ],
  ])("refuses %s, saying where, what was expected and how to mend it", (_, text, message) => {
    expect(() => parseDevVars(text, "f")).toThrow(message);
    expect(() => parseDevVars(text, "f")).toThrow('Or delete .dev.vars: the next "npm start" makes a new one');
  });

  it("never tells a value", () => {
    expect(() => parseDevVars("ADMIN_KEY=short-secret", "f")).toThrow(/^(?!.*short-secret)/s);
  });
});
