// A QR code as a PNG.

import * as v from "valibot";
import { LIMITS } from "../../lib/limits.ts";
import { image, text } from "../content.ts";
import { defineTool } from "../define-tool.ts";
import { ToolError } from "../tool-error.ts";
import { emojiIcon } from "./emoji-icon.ts";

/** What the largest QR code holds of arbitrary text, in UTF-8 bytes (ISO/IEC 18004, version 40, byte mode). */
const CAPACITY_BYTES = { L: 2_953, M: 2_331, Q: 1_663, H: 1_273 } as const;

type ErrorCorrection = keyof typeof CAPACITY_BYTES;

export const qrCode = defineTool({
  name: "qr_code",
  title: "QR code",
  description: `Draws a QR code as a PNG image. Use it when somebody should open a link, join a network or take over a text by camera.
Example: {"text": "https://example.com/menu"} or {"text": "WIFI:T:WPA;S:guests;P:secret;;", "errorCorrection": "Q"}`,
  icons: [emojiIcon("🔳")],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: v.strictObject({
    text: v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(LIMITS.qrChars),
      v.check((value) => value.isWellFormed(), "expected text without lone surrogates"),
      v.description(`What the code says: up to ${CAPACITY_BYTES.M} bytes of UTF-8, or more when it is digits only.`),
    ),
    errorCorrection: v.optional(
      v.pipe(
        v.picklist(["L", "M", "Q", "H"]),
        v.description("How much of the code may be covered: L 7 %, M 15 %, Q 25 %, H 30 %."),
      ),
      "M",
    ),
    scale: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(LIMITS.qrScalePixels),
        v.description("Width of a module (the smallest square) in pixels."),
      ),
      8,
    ),
    margin: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(0),
        v.maxValue(LIMITS.qrMarginModules),
        v.description("Quiet zone around the code in modules; scanners want 4."),
      ),
      4,
    ),
  }),
  run: async ({ text: value, errorCorrection, scale, margin }) => {
    const { drawModules, toPng } = await import("./qr-picture.ts");
    const modules = withinCapacity(value, errorCorrection, () => drawModules(value, errorCorrection, margin));
    const { png, size } = toPng(modules, scale);
    return [image(png, "image/png"), text(`QR code, ${size} × ${size} pixels, error correction ${errorCorrection}.`)];
  },
});

function withinCapacity<T>(value: string, ecc: ErrorCorrection, draw: () => T): T {
  try {
    return draw();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const bytes = new TextEncoder().encode(value).byteLength;
    throw new ToolError(
      `Text too long: ${bytes} bytes, the limit is ${CAPACITY_BYTES[ecc]} bytes with errorCorrection ${ecc} ` +
        `(${CAPACITY_BYTES.L} with L). Shorten the text or link to it.`,
    );
  }
}
