// The modules of a QR code, and those as a PNG of one bit a pixel. Loaded by the first call: it is a seventh of a cold isolate's code.

import { encode as encodePng } from "fast-png";
import { encode as encodeQr } from "uqr";

/** The modules, row by row, `true` for a dark one; throws a `RangeError` where the text is too long for any QR code. */
export const drawModules = (value: string, ecc: "L" | "M" | "Q" | "H", border: number): boolean[][] =>
  encodeQr(value, { ecc, border }).data;

/** A picture with `scale` pixels a module, and how many pixels wide and high it is. */
export function toPng(modules: boolean[][], scale: number): { png: Uint8Array; size: number } {
  const size = modules.length * scale;
  const data = toPixels(modules, scale);
  return { png: encodePng({ width: size, height: size, depth: 1, channels: 1, data }), size };
}

// PNG greyscale of depth 1: eight pixels a byte from the highest bit on, 1 is white, each row begins a byte.
function toPixels(modules: boolean[][], scale: number): Uint8Array {
  const rowBytes = Math.ceil((modules.length * scale) / 8);
  const pixels = new Uint8Array(rowBytes * modules.length * scale);
  for (const [y, row] of modules.entries()) {
    const packed = packRow(row, scale, rowBytes);
    for (let copy = 0; copy < scale; copy++) pixels.set(packed, (y * scale + copy) * rowBytes);
  }
  return pixels;
}

function packRow(row: boolean[], scale: number, rowBytes: number): Uint8Array {
  const packed = new Uint8Array(rowBytes);
  for (let x = 0; x < row.length * scale; x++) {
    const isDark = row[Math.floor(x / scale)];
    if (!isDark) packed[x >> 3] = (packed[x >> 3] ?? 0) | (0x80 >> (x & 7));
  }
  return packed;
}
