import { describe, expect, test } from "vitest";
import { createRedactor, redact } from "../../src/sanitize/secrets.ts";

const SECRET = "s3cret/+key=&\"é'<1>";
const base64 = (text: string): string => new TextEncoder().encode(text).toBase64();
const base64Url = (text: string): string => new TextEncoder().encode(text).toBase64({ alphabet: "base64url" });

describe("redact", () => {
  test.each([
    ["as it is", SECRET],
    ["encoded as a URL's component", encodeURIComponent(SECRET)],
    ["encoded in lower case", encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase())],
    ["encoded strictly", encodeURIComponent(SECRET).replaceAll("'", "%27")],
    ["encoded as a URI", encodeURI(SECRET)],
    ["encoded as a form", new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
    ["in JSON with escaped slashes", JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/")],
    ["in HTML", "s3cret/+key=&amp;&quot;é&#39;&lt;1&gt;"],
    ["in base64", base64(SECRET)],
    ["in base64url", base64Url(SECRET)],
  ])("finds a secret %s", (_, form) => {
    expect(redact(`before ${form} after ${form}`, [SECRET])).toBe("before [redacted] after [redacted]");
  });

  test.each(["", "u", "us", "use", "user:"])("finds a secret in base64 after %j", (before) => {
    const whole = redact(base64(`${before}${SECRET}tail`), [SECRET]);
    expect(whole).toMatch(/^[\w+/=]{0,8}\[redacted\][\w+/=]{0,8}$/);
  });

  test("takes the longest of several", () => {
    expect(redact("abcdefgh-long abcdefgh", ["abcdefgh", "abcdefgh-long"])).toBe("[redacted] [redacted]");
  });

  test("takes characters that mean something in patterns as they are", () => {
    expect(redact("a.b*c(d)[e]{f}$^|\\ and aXb*c", ["a.b*c(d)[e]{f}$^|\\"])).toBe("[redacted] and aXb*c");
  });

  test("leaves everything else", () => {
    expect(redact("nothing of it", [SECRET, ""])).toBe("nothing of it");
    expect(redact("nothing of it", [])).toBe("nothing of it");
  });

  test("bears a secret that is no well-formed text", () => {
    expect(redact("a \ud800-secret b", ["\ud800-secret"])).toBe("a [redacted] b");
  });
});

const bytes = (text: string) => new Uint8Array([0xff, 0, 0x81, ...new TextEncoder().encode(text), 0xfe]);

describe("a redactor", () => {
  test("goes through JSON, names of members included", () => {
    const { json } = createRedactor(["s3cret-s3cret"]);
    const value = { a: ["x s3cret-s3cret", 1, null, { "s3cret-s3cret": true }] };
    expect(json(value)).toEqual({ a: ["x [redacted]", 1, null, { "[redacted]": true }] });
    expect(json(JSON.parse('{"__proto__":"s3cret-s3cret"}'))).toEqual(JSON.parse('{"__proto__":"[redacted]"}'));
  });

  test("finds a secret in bytes", () => {
    const { isIn } = createRedactor(["gehéim-gehéim"]);
    expect([isIn(bytes("gehéim-gehéim")), isIn(bytes("gehéim-geh"))]).toEqual([true, false]);
  });
});
