import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatMilliseconds } from "../../parts/clock.ts";
import { countOf } from "../../parts/count-of.ts";
import { Badge, type Tone } from "../../parts/surface.tsx";
import { countOfProgress, type CallNews, type NewsItem } from "./call-news.ts";

const AT_END_PX = 24;

/** Progress and log messages as they came. It follows the newest, unless one has scrolled up. */
export function NewsList({ news: { items, leftOut } }: { news: CallNews }): JSX.Element | null {
  const list = useRef<HTMLOListElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    if (list.current && follows.current) list.current.scrollTop = list.current.scrollHeight;
  }, [items]);
  const noteScroll = ({
    currentTarget: { scrollHeight, scrollTop, clientHeight },
  }: {
    currentTarget: Element;
  }): void => {
    follows.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
  };
  if (items.length === 0) return null;
  return (
    <div class="stack close">
      {leftOut > 0 && <p class="soft small">{countOf(leftOut, "earlier message")} left out: these are the newest.</p>}
      {/* What scrolls must be reached by the keyboard. */}
      <ol ref={list} class="logs" aria-label="Progress and log messages" tabIndex={0} onScroll={noteScroll}>
        {items.map((item, index) => (
          <Item key={leftOut + index} item={item} />
        ))}
      </ol>
    </div>
  );
}

const LOG_TONES: Record<string, Tone> = {
  warning: "warn",
  error: "danger",
  critical: "danger",
  alert: "danger",
  emergency: "danger",
};

function Item({ item }: { item: NewsItem }): JSX.Element {
  if ("progress" in item) {
    const { message } = item.progress;
    return (
      <Line atMs={item.atMs} kind="progress" tone="accent">
        <span class="number nowrap">{countOfProgress(item.progress)}</span>
        {message !== undefined && <span>{message}</span>}
      </Line>
    );
  }
  const { level, logger, data } = item.log;
  return (
    <Line atMs={item.atMs} kind={level} tone={LOG_TONES[level]}>
      {logger !== undefined && <span class="soft">{logger}</span>}
      <code>{typeof data === "string" ? data : JSON.stringify(data)}</code>
    </Line>
  );
}

interface LineProps {
  atMs: number;
  kind: string;
  tone: Tone | undefined;
  children: ComponentChildren;
}

const Line = ({ atMs, kind, tone, children }: LineProps): JSX.Element => (
  <li>
    <time class="soft number nowrap" dateTime={new Date(atMs).toISOString()}>
      {formatMilliseconds(atMs)}
    </time>
    <Badge {...(tone && { tone })}>{kind}</Badge>
    {children}
  </li>
);
