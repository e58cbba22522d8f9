// Short news at the edge of the page, which screen readers say as well.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

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

/** The one place where toasts are shown. */
export function Toasts(): JSX.Element {
  const [shown, setShown] = useState(toasts);
  useEffect(() => {
    const follow = (): void => setShown(toasts);
    listeners.add(follow);
    return () => void listeners.delete(follow);
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
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
