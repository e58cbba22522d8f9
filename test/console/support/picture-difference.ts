// How far two pictures differ to somebody who looks: times, counts and lines of charts are others each time they are taken.

import { decode } from "fast-png";

const BLOCK_PX = 20;
/** Of 255: less is a digit that is another, or a line that runs elsewhere. */
const VISIBLE = 12;

/** The share of blocks of one picture that look otherwise in the other; 1 where they have not the same size. */
export function differenceOf(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [blocksOf(one), blocksOf(other)];
  if (a.length !== b.length) return 1;
  const differing = a.filter((mean, at) => Math.abs(mean - (b[at] ?? 0)) > VISIBLE);
  return differing.length / a.length;
}

/** The mean of each block's samples. */
function blocksOf(png: Uint8Array): number[] {
  const { width, height, channels, data } = decode(png);
  const columns = Math.ceil(width / BLOCK_PX);
  const sums = Array.from({ length: columns * Math.ceil(height / BLOCK_PX) }, () => ({ sum: 0, count: 0 }));
  for (const [at, sample] of data.entries()) {
    const pixel = Math.floor(at / channels);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const block = sums[Math.floor(y / BLOCK_PX) * columns + Math.floor(x / BLOCK_PX)];
    if (!block) continue;
    block.sum += sample;
    block.count++;
  }
  return sums.map(({ sum, count }) => sum / count);
}
