/**
 * All bytes of a stream, read to `limitBytes` and no further; `undefined` for one that is longer, which is cancelled, as is
 * one of which `isEnough` says so.
 */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  limitBytes: number,
  isEnough: (chunk: Uint8Array) => boolean = () => false,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > limitBytes) return undefined;
    chunks.push(chunk);
    if (isEnough(chunk)) break;
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
