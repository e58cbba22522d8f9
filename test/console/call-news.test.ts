import { expect, test } from "vitest";
import { addNews, MAX_NEWS_ITEMS, NO_NEWS, progressOf } from "../../src/console/views/call/call-news.ts";

test.each([
  { heard: MAX_NEWS_ITEMS - 1, first: 0, leftOut: 0 },
  { heard: MAX_NEWS_ITEMS, first: 0, leftOut: 0 },
  { heard: MAX_NEWS_ITEMS + 3, first: 3, leftOut: 3 },
])("of $heard messages the newest are kept, and $leftOut counted as left out", ({ heard, first, leftOut }) => {
  let news = NO_NEWS;
  for (let atMs = 0; atMs < heard; atMs++) news = addNews(news, { atMs, progress: { progress: atMs } });
  expect({ first: news.items[0]?.atMs, last: news.items.at(-1)?.atMs, leftOut: news.leftOut }).toEqual({
    first,
    last: heard - 1,
    leftOut,
  });
});

test("how far a call is, is the last progress among its messages", () => {
  const progressed = addNews(NO_NEWS, { atMs: 1, progress: { progress: 1, total: 3 } });
  const logged = addNews(progressed, { atMs: 2, log: { level: "info", data: "on the way" } });
  expect([progressOf(NO_NEWS), progressOf(logged)]).toEqual([undefined, { progress: 1, total: 3 }]);
});
