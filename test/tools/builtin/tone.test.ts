import { describe, expect, test } from "vitest";
import { tone } from "../../../src/tools/builtin/tone.ts";
import { callTool } from "../../support/tool-context.ts";

const RATE_HZ = 22_050;

async function play(args: Record<string, unknown>): Promise<{ header: unknown; samples: number[] }> {
  const { content } = await callTool(tone, args);
  const [audio] = content;
  if (audio?.type !== "audio" || audio.mimeType !== "audio/wav") throw new Error("expected a WAV");
  const bytes = Uint8Array.fromBase64(audio.data);
  const view = new DataView(bytes.buffer);
  const ascii = (from: number): string => new TextDecoder().decode(bytes.subarray(from, from + 4));
  const header = {
    chunks: [ascii(0), ascii(8), ascii(12), ascii(36)],
    riffBytes: view.getUint32(4, true),
    formatBytes: view.getUint32(16, true),
    format: view.getUint16(20, true),
    channels: view.getUint16(22, true),
    rateHz: view.getUint32(24, true),
    bytesPerSecond: view.getUint32(28, true),
    frameBytes: view.getUint16(32, true),
    bits: view.getUint16(34, true),
    dataBytes: view.getUint32(40, true),
  };
  const samples = Array.from({ length: (bytes.length - 44) / 2 }, (_, index) => view.getInt16(44 + 2 * index, true));
  return { header, samples };
}

/** Dominant frequency by upward zero crossings. */
function frequencyOf(samples: number[]): number {
  const crossings = samples.flatMap((sample, index) => (sample >= 0 && (samples[index - 1] ?? 0) < 0 ? [index] : []));
  const [first = 0] = crossings;
  return ((crossings.length - 1) * RATE_HZ) / ((crossings.at(-1) ?? 0) - first);
}

const peakOf = (samples: number[]): number => samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);

test("is half a second of 440 Hz without arguments", async () => {
  const { header, samples } = await play({});
  expect(header).toEqual({
    chunks: ["RIFF", "WAVE", "fmt ", "data"],
    riffBytes: 36 + 22_050,
    formatBytes: 16,
    format: 1,
    channels: 1,
    rateHz: RATE_HZ,
    bytesPerSecond: 2 * RATE_HZ,
    frameBytes: 2,
    bits: 16,
    dataBytes: 22_050,
  });
  expect(samples).toHaveLength(11_025);
  expect(frequencyOf(samples)).toBeCloseTo(440, 0);
  expect((await callTool(tone, {})).content[1]).toEqual({ type: "text", text: "sine tone, 440 Hz, 500 ms." });
});

describe("the sound", () => {
  test.each(["sine", "square", "sawtooth", "triangle"])("of a %s has its pitch and loudness", async (waveform) => {
    const { samples } = await play({ waveform, frequencyHz: 250, durationMs: 1_000, volume: 0.25 });
    expect(Math.abs(frequencyOf(samples) - 250)).toBeLessThan(1);
    expect(Math.abs(peakOf(samples) - 0.25 * 32_767)).toBeLessThan(0.03 * 0.25 * 32_767);
  });

  test.each([
    ["sine", [0, 32_767, 0, -32_767]],
    ["square", [32_767, 32_767, -32_767, -32_767]],
    ["sawtooth", [-32_767, -16_383, 0, 16_384]],
    ["triangle", [0, 32_767, 0, -32_767]],
  ])("of a %s has its shape", async (waveform, expected) => {
    // Four samples a period, away from the fades.
    const { samples } = await play({ waveform, frequencyHz: RATE_HZ / 4, durationMs: 100, volume: 1 });
    expect(samples.slice(400, 404).map((sample) => sample + 0)).toEqual(expected);
  });

  test.each([20, 10_000])("reaches %i Hz", async (frequencyHz) => {
    const { samples } = await play({ frequencyHz, durationMs: 5_000 });
    expect(Math.abs(frequencyOf(samples) / frequencyHz - 1)).toBeLessThan(0.001);
    expect(samples).toHaveLength(5 * RATE_HZ);
  });

  test("fades in and out", async () => {
    const { samples } = await play({ waveform: "square", frequencyHz: 20, volume: 1, durationMs: 40 });
    const loudness = samples.map(Math.abs);
    const head = loudness.slice(0, 110);
    const tail = loudness.slice(-110).toReversed();
    expect([head, tail].map((edge) => edge.every((value, index) => value >= (edge[index - 1] ?? 0)))).toEqual([
      true,
      true,
    ]);
    expect([loudness[0], loudness[441], loudness.at(-1)]).toEqual([0, 32_767, 0]);
  });

  test("is silence at volume 0, and whole at 10 ms", async () => {
    const { samples } = await play({ volume: 0, durationMs: 10 });
    expect([samples.length, peakOf(samples)]).toEqual([221, 0]);
  });
});

test.each([
  [{ frequencyHz: 19 }, "frequencyHz min_value"],
  [{ frequencyHz: 10_001 }, "frequencyHz max_value"],
  [{ frequencyHz: Number.NaN }, "frequencyHz number"],
  [{ durationMs: 9 }, "durationMs min_value"],
  [{ durationMs: 5_001 }, "durationMs max_value"],
  [{ durationMs: 10.5 }, "durationMs integer"],
  [{ volume: -0.1 }, "volume min_value"],
  [{ volume: 1.1 }, "volume max_value"],
  [{ waveform: "noise" }, "waveform picklist"],
  [{ pitch: 1 }, "pitch strict_object"],
])("refuses %o", (args, expected) => {
  const outcome = tone.validateInput(args);
  expect(outcome.ok ? [] : outcome.issues.map(({ path, rule }) => `${path} ${rule}`)).toEqual([expected]);
});
