import type { ComponentChildren, JSX } from "preact";

export type Fact = readonly [title: ComponentChildren, value: ComponentChildren];

/** What is known of something, a line each; what is only now and then known may be left undefined. */
export const Facts = ({ facts }: { facts: readonly (Fact | undefined)[] }): JSX.Element => (
  <dl class="facts">
    {facts
      .filter((fact) => fact !== undefined)
      .map(([title, value], at) => (
        <div key={at} class="fact">
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
