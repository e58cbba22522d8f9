// A page of `tools/list`, serialized and encoded once for all who see the same. What differs from answer to answer is
// written into a copy: an id, the key's own cursor, and a time to live, so that clients that listed together do not all
// come back together. Bytes, since encoding a long text anew costs more than all else that an answer takes.

import { LIMITS } from "../lib/limits.ts";
import { jitterAround } from "../lib/random.ts";
import type { Id } from "./json-rpc.ts";

const encoder = new TextEncoder();
const BEFORE_RESULT = '{"jsonrpc":"2.0","result":';
const BEFORE_TTL = '{"ttlMs":';
const TTL = String(LIMITS.listTtlMs);

export class ListPage {
  /** The name that the next page goes on after; `undefined` on the last one. */
  readonly last: string | undefined;
  readonly size: number;
  /** The response up to the end of its result, whose brace is still open, and room for more. */
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #hasTtl: boolean;

  /** `result` is serialized; where it has a time to live, it begins with that of `LIMITS`. */
  constructor(result: string, last: string | undefined) {
    this.last = last;
    const bytes = encoder.encode(BEFORE_RESULT + result.slice(0, -1));
    this.size = bytes.byteLength;
    this.#bytes = new Uint8Array(this.size + LIMITS.listTailBytes);
    this.#bytes.set(bytes);
    this.#hasTtl = result.startsWith(`${BEFORE_TTL}${TTL},`);
  }

  /** The response to one request, in UTF-8. */
  encode(id: Id, nextCursor: string | undefined): Uint8Array<ArrayBuffer> {
    const cursor = nextCursor === undefined ? "" : `,"nextCursor":${JSON.stringify(nextCursor)}`;
    const end = encoder.encode(`${cursor}},"id":${JSON.stringify(id)}}`);
    // A slice is not filled with zeros first, as a new array would be.
    const response = this.#bytes.slice(0, this.size + end.byteLength);
    response.set(end, this.size);
    if (this.#hasTtl) {
      const ttlMs = jitterAround(LIMITS.listTtlMs, LIMITS.ttlJitterShare);
      const place = response.subarray(BEFORE_RESULT.length + BEFORE_TTL.length);
      encoder.encodeInto(String(ttlMs).padStart(TTL.length), place);
    }
    return response;
  }
}
