// What pages are laid out with: a page's head, cards, badges, notices, empty and loading states.

import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Problem } from "../api/problem.ts";
import type { Resource } from "../resource.ts";
import { Button, classes } from "./button.tsx";
import { Sentence } from "./code.tsx";
import { Name } from "./name.tsx";

export type Tone = "ok" | "warn" | "danger" | "info" | "accent";

export interface PageProps {
  title: string;
  lead?: ComponentChildren;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A view's page. Its title takes the focus, so that screen readers say where one has come. */
export function Page({ title, lead, actions, children }: PageProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before anybody can focus anything on it.
  useLayoutEffect(() => {
    document.title = `${title} · toolgate`;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [title]);
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            <Name text={title} />
          </h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export const Card = ({
  title,
  actions,
  flush,
  children,
}: {
  title?: string;
  actions?: ComponentChildren;
  /** Without room around what is in it: for tables. */
  flush?: boolean;
  children: ComponentChildren;
}): JSX.Element => (
  <section class="card" aria-label={title}>
    {(title !== undefined || actions !== undefined) && (
      <header>
        {title !== undefined && (
          <h2>
            <Name text={title} />
          </h2>
        )}
        {actions}
      </header>
    )}
    {flush ? children : <div class="body">{children}</div>}
  </section>
);

export const Badge = ({
  tone,
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children: ComponentChildren;
}): JSX.Element => (
  <span class={classes("badge", tone)} title={title}>
    {children}
  </span>
);

export const Notice = ({ tone = "info", children }: { tone?: Tone; children: ComponentChildren }): JSX.Element => (
  <div class={`notice ${tone}`} role={tone === "danger" ? "alert" : undefined}>
    {children}
  </div>
);

/** An answer of the server's that says no, in its own words. */
export const ProblemNotice = ({ problem, onRetry }: { problem: Problem; onRetry?: () => void }): JSX.Element => (
  <Notice tone="danger">
    <strong>{problem.title}</strong>
    <span>
      <Sentence text={problem.message} />
    </span>
    <span class="row small soft">
      <code>
        {problem.status > 0 && `${problem.status} `}
        {problem.code}
      </code>
      {problem.retryAfterSeconds !== undefined && ` retry in ${problem.retryAfterSeconds} s`}
      {onRetry && (
        <Button slim onPress={onRetry}>
          Try again
        </Button>
      )}
    </span>
  </Notice>
);

export const Empty = ({
  title,
  children,
  action,
}: {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}): JSX.Element => (
  <div class="empty">
    <h2>{title}</h2>
    {children && <p>{children}</p>}
    {action}
  </div>
);

/** What was loaded, once it is; else that it is not yet, or why not. */
export function Loaded<T>({
  resource,
  children,
}: {
  resource: Resource<T>;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, problem, reload } = resource;
  return (
    <>
      {problem && <ProblemNotice problem={problem} onRetry={reload} />}
      {data === undefined ? !problem && <p class="loading">Loading …</p> : children(data)}
    </>
  );
}

/** Views of one thing beside each other, each with an address. */
export const Tabs = ({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { href: string; title: ComponentChildren; isCurrent: boolean }[];
}): JSX.Element => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, title, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? "page" : undefined}>
        {title}
      </a>
    ))}
  </nav>
);
