// What was sealed comes back from clients: of what is longer than anything sealed, nothing is worked out.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/lib/limits.ts";
import { sealText } from "../../src/lib/sealed-text.ts";
import { decodeCursor } from "../../src/protocol/cursor.ts";
import { openRequestState, sealRequestState } from "../../src/protocol/request-state.ts";
import { openSession } from "../../src/protocol/session-id.ts";

const SECRETS = { current: "one" };
const CALL = { keyId: "k1", toolName: "t", args: { a: 1 } };
const INVALID = "Invalid params: requestState";

/** A seal that opens, of exactly so many characters or a few less: base64 knows no every length. */
async function sealOf(chars: number, make: (filler: string) => Promise<string>): Promise<string> {
  let sealed = await make("");
  for (
    let filler = Math.floor(((chars - sealed.length) * 3) / 4) + 4;
    sealed.length < chars - 4 || sealed.length > chars;
    filler--
  ) {
    sealed = await make("x".repeat(filler));
  }
  return sealed;
}

const makeCursor = (filler: string): Promise<string> => sealText(SECRETS, "cursor", { after: filler, keyId: "k1" });

const makeSession = (filler: string): Promise<string> =>
  sealText(SECRETS, "session", {
    k: "k1",
    r: "2025-06-18",
    c: [filler, ""],
    s: 0,
    x: 1_000,
    n: "n",
    a: { form: true, url: true, sampling: true, roots: true },
  });

const makeState = (filler: string): Promise<string> => sealRequestState(SECRETS, CALL, new Map([["q", filler]]), 0);

const openState = (state: unknown, call = CALL, nowMs = 0) => openRequestState(SECRETS, call, state, nowMs);

describe("a cursor", () => {
  it("opens up to its length, and not beyond", async () => {
    const fits = await sealOf(LIMITS.cursorChars, makeCursor);
    expect(await decodeCursor(SECRETS, "k1", fits)).toMatch(/^x+$/);
    await expect(decodeCursor(SECRETS, "k1", await sealOf(LIMITS.cursorChars + 5, makeCursor))).rejects.toThrow(
      "cursor is not one",
    );
  });
});

describe("a session id", () => {
  it("opens up to its length, and not beyond", async () => {
    expect(await openSession(SECRETS, await sealOf(LIMITS.sessionIdChars, makeSession), "k1", 0)).toMatchObject({
      sessionId: "n",
    });
    expect(await openSession(SECRETS, await sealOf(LIMITS.sessionIdChars + 5, makeSession), "k1", 0)).toBeUndefined();
  });
});

describe("requestState", () => {
  it("opens up to its length, and not beyond", async () => {
    expect((await openState(await sealOf(LIMITS.requestStateChars, makeState))).size).toBe(1);
    await expect(openState(await sealOf(LIMITS.requestStateChars + 5, makeState))).rejects.toThrow(
      `${INVALID} is not one`,
    );
  });

  it.each([
    ["another key's", { ...CALL, keyId: "k2" }],
    ["another tool's", { ...CALL, toolName: "u" }],
    ["the same tool's with other arguments", { ...CALL, args: { a: 2 } }],
  ])("is refused for %s", async (_, call) => {
    await expect(openState(await makeState("a"), call)).rejects.toThrow(`${INVALID} belongs to another call`);
  });

  it("is over after its time, and not a millisecond before", async () => {
    expect((await openState(await makeState("a"), CALL, LIMITS.inputTimeoutMs - 1)).get("q")).toBe("a");
    await expect(openState(await makeState("a"), CALL, LIMITS.inputTimeoutMs)).rejects.toThrow(`${INVALID} is over`);
  });
});
