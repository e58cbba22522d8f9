import { decode } from "fast-png";
import { encode } from "uqr";
import { describe, expect, test } from "vitest";
import { qrCode } from "../../../src/tools/builtin/qr-code.ts";
import { ToolError } from "../../../src/tools/tool-error.ts";
import { callTool } from "../../support/tool-context.ts";

/** The image that a call gives, as rows of pixels: true is dark. */
async function draw(args: Record<string, unknown>): Promise<boolean[][]> {
  const { content } = await callTool(qrCode, args);
  const [image] = content;
  if (image?.type !== "image" || image.mimeType !== "image/png") throw new Error("expected a PNG");
  const { width, height, depth, channels, data } = decode(Uint8Array.fromBase64(image.data), { checkCrc: true });
  expect({ depth, channels, square: width === height }).toEqual({ depth: 1, channels: 1, square: true });
  const rowBytes = Math.ceil(width / 8);
  const isDark = (x: number, y: number): boolean => (((data[y * rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 0;
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => isDark(x, y)));
}

/** The middle pixel of each module. */
const modulesOf = (pixels: boolean[][], scale: number): boolean[][] =>
  pixels.filter((_, y) => y % scale === scale >> 1).map((row) => row.filter((_, x) => x % scale === scale >> 1));

/** Every module spread over scale × scale pixels. */
const enlarge = (modules: boolean[][], scale: number): boolean[][] =>
  modules.flatMap((row) => Array(scale).fill(row.flatMap((isDark) => Array(scale).fill(isDark))));

describe("the picture", () => {
  test.each([
    ["https://example.com/", {}],
    ["0123456789", { errorCorrection: "L", scale: 1, margin: 0 }],
    ["HELLO WORLD", { errorCorrection: "H", scale: 3, margin: 1 }],
    ["Grüße, 世界 🙂", { errorCorrection: "Q", scale: 5, margin: 10 }],
    ["x".repeat(2_331), { errorCorrection: "M", scale: 2 }],
    ["x".repeat(1_273), { errorCorrection: "H", scale: 1 }],
    ["7".repeat(7_089), { errorCorrection: "L", scale: 1 }],
  ] as const)("of %.40s holds exactly the modules of its code, %o", async (text, options) => {
    const { errorCorrection, scale, margin } = { errorCorrection: "M", scale: 8, margin: 4, ...options } as const;
    const { data } = encode(text, { ecc: errorCorrection, border: margin });
    expect(await draw({ text, ...options })).toEqual(enlarge(data, scale));
  });

  test("has three finder patterns and a light quiet zone", async () => {
    const modules = modulesOf(await draw({ text: "https://example.com/" }), 8);
    const finder = ["#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"];
    const at = (top: number, left: number): string[] =>
      modules.slice(top, top + 7).map((row) =>
        row
          .slice(left, left + 7)
          .map((dark) => (dark ? "#" : " "))
          .join(""),
      );
    const far = modules.length - 4 - 7;
    expect([at(4, 4), at(4, far), at(far, 4)]).toEqual([finder, finder, finder]);
    const quiet = modules.filter((_, y) => y < 4 || y >= modules.length - 4).flat();
    expect(quiet.includes(true)).toBe(false);
  });

  test("comes with a line that says what it is", async () => {
    const { content } = await callTool(qrCode, { text: "hello" });
    expect(content[1]).toEqual({ type: "text", text: "QR code, 232 × 232 pixels, error correction M." });
  });
});

const tooLong = (bytes: number, limit: number, level: string) =>
  new ToolError(
    `Text too long: ${bytes} bytes, the limit is ${limit} bytes with errorCorrection ${level} (2953 with L). ` +
      "Shorten the text or link to it.",
  );

describe("too much text", () => {
  test.each([
    ["x".repeat(2_954), "L", tooLong(2_954, 2_953, "L")],
    ["x".repeat(2_332), "M", tooLong(2_332, 2_331, "M")],
    ["x".repeat(1_664), "Q", tooLong(1_664, 1_663, "Q")],
    ["ü".repeat(637), "H", tooLong(1_274, 1_273, "H")],
  ])("%.10s… with %s", async (text, errorCorrection, error) => {
    await expect(callTool(qrCode, { text, errorCorrection })).rejects.toThrow(error);
  });
});

test.each([
  [{}, "text required"],
  [{ text: "" }, "text min_length"],
  [{ text: "1".repeat(7_090) }, "text max_length"],
  [{ text: "a\uD800" }, "text check"],
  [{ text: "a", scale: 0 }, "scale min_value"],
  [{ text: "a", scale: 17 }, "scale max_value"],
  [{ text: "a", scale: 1.5 }, "scale integer"],
  [{ text: "a", margin: -1 }, "margin min_value"],
  [{ text: "a", margin: 11 }, "margin max_value"],
  [{ text: "a", errorCorrection: "X" }, "errorCorrection picklist"],
])("refuses %.60o", (args, expected) => {
  const outcome = qrCode.validateInput(args);
  expect(outcome.ok ? [] : outcome.issues.map(({ path, rule }) => `${path} ${rule}`)).toEqual([expected]);
});
