// Hears of changes of the catalogue, as any client does: a subscription over a WebSocket, opened anew when it drops.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { requestMeta } from "./mcp/request-meta.ts";

/** `off`: no key to listen with. */
export type FeedStatus = "off" | "connecting" | "listening" | "lost";

export interface FeedEvent {
  at: Date;
  /** `listening`, `list_changed` or `lost`, and why. */
  what: "listening" | "list_changed" | "lost";
  detail?: string;
}

export interface Feed {
  status: FeedStatus;
  /** Grows with each change that was heard of, and when changes may have been missed: an input for `useResource`. */
  changes: number;
  /** The newest first. */
  events: readonly FeedEvent[];
}

const NO_FEED: Feed = { status: "off", changes: 0, events: [] };
const EVENTS_KEPT = 100;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Without a key to listen with, a page that is looked at asks anew this often. */
const UNHEARD_MS = 30_000;

export const FeedContext = createContext<Feed>(NO_FEED);

export const useFeed = (): Feed => useContext(FeedContext);

/** The feed of whoever holds this key; of nobody, the clock. */
export function useFeedOf(key: string | undefined): Feed {
  const [feed, setFeed] = useState(NO_FEED);
  useEffect(() => {
    const tell = (status: FeedStatus, isChange: boolean, event?: FeedEvent): void =>
      setFeed(({ changes, events }) => ({
        status,
        changes: changes + (isChange ? 1 : 0),
        events: event ? [event, ...events].slice(0, EVENTS_KEPT) : events,
      }));
    return key === undefined ? askByTheClock(tell) : listen(key, tell);
  }, [key]);
  return feed;
}

type Tell = (status: FeedStatus, isChange: boolean, event?: FeedEvent) => void;

function askByTheClock(tell: Tell): () => void {
  tell("off", false);
  const ask = (): void => {
    if (document.visibilityState === "visible") tell("off", true);
  };
  const timer = setInterval(ask, UNHEARD_MS);
  document.addEventListener("visibilitychange", ask);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", ask);
  };
}

function listen(key: string, tell: Tell): () => void {
  let [pauseMs, hasEnded, wasHere] = [FIRST_PAUSE_MS, false, false];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let socket: WebSocket | undefined;
  const open = (): void => {
    tell("connecting", false);
    socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/mcp`, ["mcp", `mcp.auth.${key}`]);
    socket.addEventListener("open", () => socket?.send(subscribe()));
    socket.addEventListener("message", ({ data }) => {
      const method = methodOf(String(data));
      if (method === "notifications/subscriptions/acknowledged") {
        pauseMs = FIRST_PAUSE_MS;
        // What happened while nobody listened was not heard.
        tell("listening", wasHere, { at: new Date(), what: "listening" });
        wasHere = true;
      } else if (method === "notifications/tools/list_changed") {
        tell("listening", true, { at: new Date(), what: "list_changed" });
      }
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (hasEnded) return;
      tell("lost", false, { at: new Date(), what: "lost", detail: `${code} ${reason}`.trim() });
      timer = setTimeout(open, pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    });
  };
  open();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    socket?.close(1000);
  };
}

const subscribe = (): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: "console-feed",
    method: "subscriptions/listen",
    params: { _meta: requestMeta(), notifications: { toolsListChanged: true } },
  });

function methodOf(frame: string): unknown {
  try {
    return (JSON.parse(frame) as { method?: unknown }).method;
  } catch {
    return undefined;
  }
}
