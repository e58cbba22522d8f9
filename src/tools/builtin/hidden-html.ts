// Elements that a page's reader does not see and a model would read as its text. What stylesheets, scripts or other colours
// hide is not known here: that takes a browser.

import { decodeReferences } from "./character-references.ts";

/** Of these nothing is ever shown as text, or only where something is missing that readers have. */
const NEVER_TEXT = "script, style";
const NEVER_SHOWN = "noscript, template, datalist, noframes, noembed, iframe, canvas, audio, video, dialog:not([open])";
const MARKED = '[hidden], [aria-hidden="true" i]';

/** Shown once a script of theirs has run: until then whole pages are hidden, so that they don't flicker. */
const WHOLE_PAGE = new Set(["html", "body"]);

const CSS_COMMENT = /\/\*[^]*?(?:\*\/|$)/g;
const CSS_ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([^]))/gi;

/** Properties with the values that hide what they are of. */
const HIDING: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ["display", (value) => value === "none"],
  ["visibility", (value) => value === "hidden" || value === "collapse"],
  ["content-visibility", (value) => value === "hidden"],
  ["opacity", (value) => Number.parseFloat(value) < (value.endsWith("%") ? 10 : 0.1)],
  ["font-size", (value) => Number.parseFloat(value) <= Number(/^[\d.]+px$/.test(value))],
  ["font", (value) => /(?:^|\s)0*\.?0+(?:[a-z]{1,4}|%)?(?:\s|\/)/.test(value)],
]);

/** Has a rewriter take them out, whatever is in them; `onHidden` is told of each that somebody may have hidden on purpose. */
export function removeHiddenElements(rewriter: HTMLRewriter, onHidden: () => void): HTMLRewriter {
  const remove = (element: Element): void => {
    if (element.removed || WHOLE_PAGE.has(element.tagName)) return;
    element.remove();
    onHidden();
  };
  return rewriter
    .on(NEVER_TEXT, { element: (element) => void element.remove() })
    .on(`${NEVER_SHOWN}, ${MARKED}`, { element: remove })
    .on("[style]", {
      element: (element) => void (isHidingStyle(element.getAttribute("style") ?? "") && remove(element)),
    });
}

/** Whether any declaration of a `style` attribute, as it is written in the page, hides its element: the last need not count. */
export function isHidingStyle(written: string): boolean {
  const css = decodeReferences(written)
    .replaceAll(CSS_COMMENT, "")
    .replaceAll(CSS_ESCAPE, (_, hex?: string, character = "") =>
      hex === undefined ? String(character) : characterOf(Number.parseInt(hex, 16)),
    );
  return css.split(";").some((declaration) => {
    const [name = "", ...rest] = declaration.split(":");
    const value = rest.join(":").replace(/!\s*important\s*$/i, "");
    return HIDING.get(name.trim().toLowerCase())?.(value.trim().toLowerCase()) ?? false;
  });
}

const characterOf = (codePoint: number): string =>
  codePoint > 0x10_ff_ff ? "\uFFFD" : String.fromCodePoint(codePoint);
