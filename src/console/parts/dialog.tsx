import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { classes } from "./button.tsx";
import { Name } from "./name.tsx";

export interface DialogProps {
  title: string;
  children: ComponentChildren;
  /** Buttons at its end, the one that goes on last. */
  actions?: ComponentChildren;
  wide?: boolean;
  onClose: () => void;
  /** Makes a form of it. */
  onSubmit?: () => void;
}

/** A modal dialog, open as long as it is rendered. Escape closes it; the browser keeps the focus inside. */
export function Dialog({ title, children, actions, wide, onClose, onSubmit }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const isRendered = useRef(true);
  const titleId = useId();
  // At once, not after the next frame: what has the focus now is what opened it.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      isRendered.current = false;
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const inside = (
    <>
      <h2 id={titleId}>
        <Name text={title} />
      </h2>
      {children}
      {actions && <div class="actions">{actions}</div>}
    </>
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      ref={element}
      class={classes("dialog", wide && "wide")}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A browser closes it by itself where Escape comes twice and nothing in between.
      onClose={() => isRendered.current && onClose()}
    >
      {onSubmit ? <form onSubmit={submit}>{inside}</form> : <div class="inside">{inside}</div>}
    </dialog>
  );
}
