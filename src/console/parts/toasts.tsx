// Short news at the edge of the page, which screen readers say as well.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { placeToasts } from "./toast-place.ts";

interface Toast {
  id: number;
  text: string;
  tone: "ok" | "danger";
}

const SHOWN_MS = 5_000;
const MOST = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next.slice(-MOST);
  for (const listener of listeners) listener();
}

const dismiss = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

/** Shows a toast: good news for some seconds, bad news until it is dismissed. */
export function say(text: string, tone: Toast["tone"] = "ok"): void {
  const id = ++lastId;
  change([...toasts, { id, text, tone }]);
  if (tone === "ok") setTimeout(() => dismiss(id), SHOWN_MS);
}

const MOVING = ["focusin", "scroll", "resize", "input"];

/** Keeps them off what has the focus, and off the buttons that go on: also as those move. */
function keepClear(element: HTMLElement): () => void {
  let frame = 0;
  const place = (): void => {
    const { left, right, height } = element.getBoundingClientRect();
    const seen = inUse()
      .map((each) => each.getBoundingClientRect())
      .filter((rect) => rect.height > 0 && rect.right > left && rect.left < right);
    element.style.top = `${placeToasts(height, { top: 0, bottom: innerHeight }, seen)}px`;
  };
  const placeSoon = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(place);
  };
  place();
  for (const name of MOVING) addEventListener(name, placeSoon, { capture: true, passive: true });
  return () => {
    cancelAnimationFrame(frame);
    for (const name of MOVING) removeEventListener(name, placeSoon, { capture: true });
  };
}

/** Of a dialog alone while one is open. What takes the focus for screen readers' sake is in use by nobody. */
function inUse(): Element[] {
  const dialog = document.querySelector("dialog[open]");
  const buttons = (dialog ?? document).querySelectorAll(".button.primary, .dialog .actions, .side");
  const focused = document.activeElement;
  return [...buttons, ...(focused instanceof HTMLElement && focused.tabIndex >= 0 ? [focused] : [])];
}

/** The one place where toasts are shown. */
export function Toasts(): JSX.Element {
  const [shown, setShown] = useState(toasts);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = (): void => setShown(toasts);
    listeners.add(follow);
    return () => void listeners.delete(follow);
  }, []);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current || shown.length === 0) return undefined;
    // Anew each time, so that they are above a dialog that was opened since.
    current.hidePopover();
    current.showPopover();
    return keepClear(current);
  }, [shown]);
  return (
    <div ref={element} popover="manual" class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          <button type="button" class="button plain slim" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="cross" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
