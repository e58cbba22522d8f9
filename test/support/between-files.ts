// Files share a runtime: each leaves it without objects, and with the timers that it found.

import { reset } from "cloudflare:test";
import { afterAll, expect, vi } from "vitest";

afterAll(async () => {
  vi.useRealTimers();
  await reset();
  expect("clock" in setTimeout, "a fake setTimeout is left to the next file").toBe(false);
});
