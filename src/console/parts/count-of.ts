import { formatCount } from "./figure.tsx";

/** A number of things, such as "1 tool" and "3 tools". */
export const countOf = (count: number, thing: string, things = `${thing}s`): string =>
  `${formatCount(count)} ${count === 1 ? thing : things}`;
