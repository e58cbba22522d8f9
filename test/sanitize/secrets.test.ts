import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { removeHidden } from "../../src/sanitize/clean-output.ts";
import { createRedactor, redact } from "../../src/sanitize/secrets.ts";

const SECRET = "s3cret/+key=&\"é'<1>";
const codes = (text: string, write: (code: number) => string): string =>
  Array.from(text, (char) => write(char.codePointAt(0) ?? 0)).join("");
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
const hexOf = (text: string): string => new TextEncoder().encode(text).toHex();
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
    ["in HTML by other names", "s3cret&#x2f;+key&#61;&AMP;&#34;&#xE9;&#x27;&#60;1&#62"],
    ["in lower case", SECRET.toLowerCase()],
    ["in hex", hexOf(SECRET)],
    ["in upper-case hex", hexOf(SECRET).toUpperCase()],
    ["with every byte encoded for a URL", hexOf(SECRET).replace(/../g, "%$&")],
    ["with every character as \\u", codes(SECRET, (code) => `\\u${hex(code, 4)}`)],
    ["with every character as \\u in upper case", codes(SECRET, (code) => `\\u${hex(code, 4).toUpperCase()}`)],
    ["with every character as \\u{}", codes(SECRET, (code) => `\\u{${hex(code, 1)}}`)],
    ["with every character as \\x", codes(SECRET, (code) => `\\x${hex(code, 2)}`)],
    ["with every character as a decimal reference", codes(SECRET, (code) => `&#${code};`)],
    ["with every character as a hexadecimal reference", codes(SECRET, (code) => `&#X${hex(code, 4)};`)],
    ["half escaped", `\\u0073%33&#99;${SECRET.slice(3)}`],
    ["in hex, escaped", `&#x${hex(hexOf(SECRET).charCodeAt(0), 2)};${hexOf(SECRET).slice(1)}`],
    ["in base64 in a URL", encodeURIComponent(base64(SECRET))],
    ["in JSON in JSON", JSON.stringify(JSON.stringify(SECRET).slice(1, -1)).slice(1, -1)],
    ["in HTML in a URL", encodeURIComponent("s3cret/+key=&amp;&quot;&eacute;".replace("&eacute;", "é&#39;&lt;1&gt;"))],
    ["in base64", base64(SECRET)],
    ["in base64url", base64Url(SECRET)],
  ])("finds a secret %s", (_, form) => {
    expect(redact(`before ${form} after ${form}`, [SECRET])).toBe("before [redacted] after [redacted]");
  });

  test.each([
    ["zero-width spaces", "\u200b"],
    ["joiners", "\u200d"],
    ["grapheme joiners", "\u034f"],
    ["variation selectors", "\ufe0f"],
    ["selectors of the supplement", "\u{e0101}\u{e0102}"],
    ["tags", "\u{e0061}"],
    ["colours", "\u001b[0m"],
    ["titles", "\u001b]0;x\u0007"],
    ["controls", "\u0000"],
    ["marks of direction", "\u200f"],
    ["fillers", "\u3164"],
    ["escaped zero-width spaces", "\\u200b"],
    ["zero-width spaces escaped for a URL", "%E2%80%8B"],
  ])("finds a secret with %s between its characters", (_, between) => {
    const echo = [..."abcdefgh-long"].join(between);
    expect(redact(`before ${echo} after ${echo}`, ["abcdefgh-long"])).toBe("before [redacted] after [redacted]");
  });

  test.each([
    ["inside of its escapes", "before %\u200b61bcdefgh-long after"],
    ["around it, which stay", "before\u200b abcdefgh-long \u200bafter"],
    ["that hide it", "before \u001b]0;abcdefgh-long\u0007 after"],
  ])("finds a secret with hidden characters %s", (_, text) => {
    const shown = removeHidden(redact(text, ["abcdefgh-long"])).replace("  ", " [redacted] ");
    expect(shown).toBe("before [redacted] after");
  });

  test("finds a secret that has hidden characters or returns itself, with and without them", () => {
    const secret = "abcd\u200befgh\rijkl";
    const echoes = [secret, "abcdefgh\nijkl", "abcd\u200b\u200befgh\u0085ijkl"];
    expect(echoes.map((echo) => redact(echo, [secret]))).toEqual(["[redacted]", "[redacted]", "[redacted]"]);
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

  test("reads escapes so many times and no more", () => {
    const times = (count: number): string => {
      let text = SECRET;
      for (let done = 0; done < count; done++) text = encodeURIComponent(text);
      return text;
    };
    const { secretEscapeLevels: most } = LIMITS;
    expect(redact(`a ${times(most)} b`, [SECRET])).toBe("a [redacted] b");
    expect(redact(`a ${times(most + 1)} b`, [SECRET])).toBe(`a ${times(most + 1)} b`);
  });

  test("takes out the whole of what was escaped, and nothing beside it", () => {
    const secrets = ["abcdefgh", "😀-secret-😀"];
    const text =
      "&#x1F600;%20abcdefgh\\n&#97;bcdefgh&#x1F600;&#x1F600;-secret-\\ud83d\\ude00%F0%9F%98%80-secret-😀&amp;";
    const clean = "&#x1F600;%20[redacted]\\n[redacted]&#x1F600;[redacted][redacted]&amp;";
    expect(redact(text, secrets)).toBe(clean);
  });

  test("takes out once what is there in two ways", () => {
    expect(redact("a%41%41%41%41b-a%41%41%41%41b", ["a%41%41%41%41b", "aAAAAb-aAAAAb"])).toBe("[redacted]");
  });

  test.each([
    "&#9999999999;",
    "&#;",
    "&#x110000;",
    "\\u{110000}",
    "\\u12",
    "\\q",
    "%zz",
    "%C0%80",
    "%ED%A0%80",
    "%",
    "\\",
  ])("bears %s, which is no character", (text) => {
    expect(redact(`${text}${SECRET}${text}`, [SECRET])).toBe(`${text}[redacted]${text}`);
  });

  test("bears a secret that is no well-formed text", () => {
    expect(redact("a \ud800-secret b", ["\ud800-secret"])).toBe("a [redacted] b");
  });
});

const GONE = "[redacted]";
const utf16 = (text: string, [low, high]: [number, number]): Uint8Array =>
  Uint8Array.from(Array.from(text).flatMap((char) => [low, high].map((at) => (at === 0 ? char.charCodeAt(0) : 0))));
const bytes = (text: string) => new Uint8Array([0xff, 0, 0x81, ...new TextEncoder().encode(text), 0xfe]);

describe("a redactor", () => {
  test("goes through JSON, names of members included", () => {
    const { json } = createRedactor(["s3cret-s3cret"]);
    const value = { a: ["x s3cret-s3cret", 1, null, { "s3cret-s3cret": true }] };
    expect(json(value)).toEqual({ a: ["x [redacted]", 1, null, { "[redacted]": true }] });
    expect(json(JSON.parse('{"__proto__":"s3cret-s3cret"}'))).toEqual(JSON.parse('{"__proto__":"[redacted]"}'));
  });

  test.each<[string, unknown, unknown]>([
    ["48213377", 48213377, GONE],
    ["48213377", -48213377, GONE],
    ["48213377", 48213377.5, GONE],
    ["48213377", 9482133770, GONE],
    ["48213377", [48213376, { n: 4821337 }], [48213376, { n: 4821337 }]],
    ["48213377.50", 48213377.5, GONE],
    // More digits than a number has room for.
    ["4821337748213377482133774", Number("4821337748213377482133774"), GONE],
    ["4.8213377e30", 4.8213377e30, GONE],
    // Its hex has digits alone, too.
    ["12345678", 3132333435363738, GONE],
    ["00123456", 123456, GONE],
    ["00012345", 12345, 12345],
    ["s3cret-s3cret", [0, 1e21, -5], [0, 1e21, -5]],
    ["        ", [0], [0]],
  ])("takes what says %s for it: %j", (secret, value, clean) => {
    expect(createRedactor([secret]).json({ value })).toEqual({ value: clean });
  });

  test("takes a number for a secret from so many characters on", () => {
    const told = [-1, 0, 1].map((more) => {
      const digits = "1".repeat(LIMITS.secretNumberMinChars + more);
      return createRedactor([`000000${digits}`]).json(Number(digits));
    });
    expect(told).toEqual([11111, GONE, GONE]);
  });

  test.each<[string, Uint8Array]>([
    ["as they are", bytes("gehéim-gehéim")],
    ["in hex", bytes(hexOf("gehéim-gehéim"))],
    ["in base64", bytes(base64("gehéim-gehéim"))],
    ["as UTF-16", utf16("gehéim-gehéim", [0, 1])],
    ["as UTF-16 the other way round", utf16("gehéim-gehéim", [1, 0])],
  ])("finds secrets in bytes %s", (_, value) => {
    const { isIn } = createRedactor(["gehéim-gehéim"]);
    expect([isIn(value), isIn(bytes("gehéim-geh"))]).toEqual([true, false]);
  });
});
