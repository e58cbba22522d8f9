// What a call told before it ended, as it came: progress and log messages, the newest of them.

import type { LogMessage, Progress } from "../../mcp/send-call.ts";

/** `atMs` is when it was heard, since 1970. */
export type NewsItem = { atMs: number } & ({ progress: Progress } | { log: LogMessage });

export interface CallNews {
  /** The oldest first. */
  items: readonly NewsItem[];
  /** Older ones, which were left out. */
  leftOut: number;
}

export const NO_NEWS: CallNews = { items: [], leftOut: 0 };
export const MAX_NEWS_ITEMS = 200;

export function addNews({ items, leftOut }: CallNews, item: NewsItem): CallNews {
  const surplus = Math.max(items.length + 1 - MAX_NEWS_ITEMS, 0);
  return { items: [...items.slice(surplus), item], leftOut: leftOut + surplus };
}

/** The newest progress that is still there. */
export function progressOf({ items }: CallNews): Progress | undefined {
  const item = items.findLast((each) => "progress" in each);
  return item && "progress" in item ? item.progress : undefined;
}

/** Such as `3 of 12`. */
export const countOfProgress = ({ progress, total }: Progress): string =>
  total === undefined ? String(progress) : `${progress} of ${total}`;
