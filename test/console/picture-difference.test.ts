import { encode } from "fast-png";
import { expect, test } from "vitest";
import { differenceOf } from "./support/picture-difference.ts";

const SIZE_PX = 100;

/** A grey picture with one dark square. */
function pictureOf(squarePx: number, size = SIZE_PX): Uint8Array {
  const data = new Uint8Array(size * size).fill(200);
  for (let y = 0; y < squarePx; y++) data.fill(0, y * size, y * size + squarePx);
  return encode({ width: size, height: size, channels: 1, depth: 8, data });
}

test.each([
  ["the same picture", pictureOf(40), 0],
  ["one with a few pixels more", pictureOf(41), 0],
  ["one with a square that is four blocks larger", pictureOf(20), 3 / 25],
  ["one of another size", pictureOf(40, 80), 1],
])("%s differs by so many blocks", (_, picture, share) => {
  expect(differenceOf(pictureOf(40), picture)).toBe(share);
});
