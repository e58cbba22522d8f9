// A tone as a WAV file: 16-bit PCM, mono.

import * as v from "valibot";
import { LIMITS } from "../../lib/limits.ts";
import { audio, text } from "../content.ts";
import { defineTool } from "../define-tool.ts";
import { emojiIcon } from "./emoji-icon.ts";

const SAMPLE_RATE_HZ = 22_050;
const SAMPLE_BYTES = 2;
const SAMPLE_MAX = 32_767;
const HEADER_BYTES = 44;
// Without a fade, a tone that starts or ends off zero clicks.
const FADE_MS = 5;

/** A waveform over one period: phase 0 to 1 → amplitude −1 to 1. */
const WAVEFORMS = {
  sine: (phase: number) => Math.sin(2 * Math.PI * phase),
  square: (phase: number) => (phase < 0.5 ? 1 : -1),
  sawtooth: (phase: number) => 2 * phase - 1,
  triangle: (phase: number) => 1 - 4 * Math.abs(((phase + 0.25) % 1) - 0.5),
} as const;

const InputSchema = v.strictObject({
  frequencyHz: v.optional(
    v.pipe(
      v.number(),
      v.minValue(20),
      v.maxValue(LIMITS.toneFrequencyHz),
      v.description("Pitch in hertz; 440 is the concert A."),
    ),
    440,
  ),
  durationMs: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(10),
      v.maxValue(LIMITS.toneDurationMs),
      v.description("Length in milliseconds."),
    ),
    500,
  ),
  waveform: v.optional(
    v.pipe(
      v.picklist(["sine", "square", "sawtooth", "triangle"]),
      v.description("Timbre: sine is soft, square and sawtooth are sharp."),
    ),
    "sine",
  ),
  volume: v.optional(
    v.pipe(v.number(), v.minValue(0), v.maxValue(1), v.description("Loudness from 0 (silence) to 1 (full scale).")),
    0.5,
  ),
});

type Tone = v.InferOutput<typeof InputSchema>;

export const tone = defineTool({
  name: "tone",
  title: "Tone",
  description: `Makes a short tone as WAV audio. Use it for a beep, a reference pitch or a hearing or speaker check.
Without arguments it is half a second of 440 Hz. Example: {"frequencyHz": 261.63, "durationMs": 1000, "waveform": "triangle"}`,
  icons: [emojiIcon("🔔")],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: InputSchema,
  run: (input) => [
    audio(encodeWav(synthesize(input)), "audio/wav"),
    text(`${input.waveform} tone, ${input.frequencyHz} Hz, ${input.durationMs} ms.`),
  ],
});

function synthesize({ frequencyHz, durationMs, waveform, volume }: Tone): Float64Array {
  const wave = WAVEFORMS[waveform];
  const count = Math.round((durationMs / 1_000) * SAMPLE_RATE_HZ);
  const fade = Math.min((FADE_MS / 1_000) * SAMPLE_RATE_HZ, count / 2);
  return Float64Array.from({ length: count }, (_, index) => {
    const envelope = Math.min(1, index / fade, (count - 1 - index) / fade);
    return wave(((index * frequencyHz) / SAMPLE_RATE_HZ) % 1) * volume * envelope;
  });
}

// RIFF: a chunk "fmt " that says PCM, then a chunk "data"; all numbers little-endian.
function encodeWav(samples: Float64Array): Uint8Array {
  const dataBytes = samples.length * SAMPLE_BYTES;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + dataBytes));
  writeAscii(view, 0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  writeAscii(view, 8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE_HZ, true);
  view.setUint32(28, SAMPLE_RATE_HZ * SAMPLE_BYTES, true);
  view.setUint16(32, SAMPLE_BYTES, true);
  view.setUint16(34, 8 * SAMPLE_BYTES, true);
  writeAscii(view, 36, "data");
  view.setUint32(40, dataBytes, true);
  for (const [index, sample] of samples.entries()) {
    view.setInt16(HEADER_BYTES + index * SAMPLE_BYTES, Math.round(sample * SAMPLE_MAX), true);
  }
  return new Uint8Array(view.buffer);
}

function writeAscii(view: DataView, offset: number, ascii: string): void {
  for (let index = 0; index < ascii.length; index++) view.setUint8(offset + index, ascii.charCodeAt(index));
}
