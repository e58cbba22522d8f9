import type { UpstreamRecord, UpstreamView } from "../../api/upstreams-api.ts";
import type { Pair } from "../tools/tool-draft.ts";

/** An upstream as its form has it; globs a line each, "" where nothing is said. */
export interface UpstreamDraft {
  name: string;
  url: string;
  headers: readonly Pair[];
  include: string;
  exclude: string;
  timeoutMs: string;
  enabled: boolean;
}

export const newUpstreamDraft = (): UpstreamDraft => ({
  name: "",
  url: "",
  headers: [],
  include: "",
  exclude: "",
  timeoutMs: "",
  enabled: true,
});

export const toUpstreamDraft = (view: UpstreamView): UpstreamDraft => ({
  name: view.name,
  url: view.url,
  headers: Object.entries(view.headers ?? {}).map(([name, value]) => ({ name, value })),
  include: (view.include ?? []).join("\n"),
  exclude: (view.exclude ?? []).join("\n"),
  timeoutMs: view.timeoutMs === undefined ? "" : String(view.timeoutMs),
  enabled: view.enabled,
});

/** The body of `PUT /admin/v1/upstreams/{name}`. */
export function toUpstreamRecord({ url, headers, timeoutMs, enabled, ...draft }: UpstreamDraft): UpstreamRecord {
  const [include, exclude] = [linesOf(draft.include), linesOf(draft.exclude)];
  const named = headers.filter(({ name }) => name.trim() !== "");
  return {
    url: url.trim(),
    ...(named.length > 0 && { headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])) }),
    ...(include.length > 0 && { include }),
    ...(exclude.length > 0 && { exclude }),
    ...(timeoutMs !== "" && { timeoutMs: Number(timeoutMs) }),
    ...(!enabled && { enabled }),
  };
}

/** Names may have spaces: a glob is a whole line. */
const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

const NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/;

/** What is wrong, as far as a form can tell. */
export function faultsOfUpstream({ name, url, timeoutMs }: UpstreamDraft): {
  name?: string;
  url?: string;
  timeoutMs?: string;
} {
  return {
    ...(!NAME.test(name) && { name: "Letters, digits and -, at most 32." }),
    ...(!/^https?:$/.test(URL.parse(url.trim())?.protocol ?? "") && {
      url: "A URL, such as https://files.example.com/mcp",
    }),
    ...(timeoutMs !== "" && !/^[1-9]\d*$/.test(timeoutMs) && { timeoutMs: "a whole number of milliseconds" }),
  };
}
