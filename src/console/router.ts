// Where in the console one is: in the fragment, so that no server sees it and every file has one address.

import { useEffect, useState } from "preact/hooks";

export interface Place {
  /** The parts of the path, decoded: `#/tools/add/try?x=1` → `["tools", "add", "try"]`. */
  parts: readonly string[];
  query: URLSearchParams;
}

/** The address of a place, as `href` of a link. */
export function hrefOf(parts: readonly string[], query: Record<string, string> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** Goes to a place; with `replace` the present one is no step to go back to. */
export function goTo(parts: readonly string[], query: Record<string, string> = {}, { replace = false } = {}): void {
  const href = hrefOf(parts, query);
  if (!replace) location.hash = href;
  else {
    history.replaceState(null, "", href);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

/** The present place, followed as it changes. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parsePlace(hash);
}

/** A fragment as a place. */
export function parsePlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
