import { expect, it } from "vitest";
import { decodeEventId, encodeEventId } from "../../src/protocol/event-id.ts";

it.each([
  ["v.7", { stream: "changes", version: 7, changes: 0 }],
  ["v.7.2", { stream: "changes", version: 7, changes: 2 }],
  ["c.MQ.3", { stream: "call", requestId: 1, seq: 3 }],
] as const)("%s is a place on a stream", (text, place) => {
  expect([encodeEventId(place), decodeEventId(text)]).toEqual([text, place]);
});

it.each(["", "v", "v.", "v.x", "v.1.x", "v.1.2.3", "v.1234567890123456", "c.MQ", "c.MQ.3.4", "c..1", "x.1"])(
  "%j is no place of this server's",
  (text) => {
    expect(decodeEventId(text)).toBeUndefined();
  },
);
