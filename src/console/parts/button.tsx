import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { say } from "./toasts.tsx";

export interface ButtonProps {
  children: ComponentChildren;
  look?: "primary" | "danger" | "plain";
  slim?: boolean;
  icon?: IconName;
  type?: "button" | "submit";
  disabled?: boolean;
  /** What it began goes on: it keeps the focus, and can't be pressed. */
  busy?: boolean;
  /** What screen readers say instead of the text. */
  label?: string;
  /** While what it gives back has not settled, it can't be pressed again. Errors are told in a toast. */
  onPress?: () => unknown;
}

export function Button({
  children,
  look,
  slim,
  icon,
  type = "button",
  disabled,
  busy = false,
  label,
  onPress,
}: ButtonProps): JSX.Element {
  const [isPressed, press] = usePress(onPress);
  const isBusy = busy || isPressed;
  return (
    <button
      type={type}
      class={classes("button", look, slim && "slim")}
      disabled={disabled}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy}
      aria-label={label}
      onClick={onPress && !busy ? press : undefined}
    >
      {icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

/** What is busy is not disabled: that would take the focus from it. */
function usePress(onPress: (() => unknown) | undefined): [isBusy: boolean, press: () => void] {
  const [isBusy, setBusy] = useState(false);
  const pressed = useRef(false);
  const follow = async (outcome: unknown): Promise<void> => {
    if (!(outcome instanceof Promise)) return;
    pressed.current = true;
    setBusy(true);
    try {
      await outcome;
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "danger");
    } finally {
      pressed.current = false;
      setBusy(false);
    }
  };
  const press = (): void => {
    if (!pressed.current) void follow(onPress?.());
  };
  return [isBusy, press];
}

/** On or off, at once. `label` says what is so while it is on. */
export function Switch({ label, isOn, onFlip }: { label: string; isOn: boolean; onFlip: () => unknown }): JSX.Element {
  const [isBusy, press] = usePress(onFlip);
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-disabled={isBusy || undefined}
      onClick={press}
    />
  );
}

/** Class names, without what is none. */
export const classes = (...names: readonly (string | false | undefined)[]): string => names.filter(Boolean).join(" ");

/** Puts a text on the clipboard, and says so. */
export const CopyButton = ({ text, what = "Copy" }: { text: string; what?: string }): JSX.Element => (
  <Button slim icon="copy" onPress={() => copy(text)}>
    {what}
  </Button>
);

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  say("Copied");
}
