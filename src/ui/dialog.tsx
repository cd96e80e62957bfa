import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A window over the page. The browser keeps the focus in it, and Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { activeElement: opener } = document;
    dialog.current?.showModal();
    // A button under the focus acts on the Enter that has opened the window: the text comes first.
    if (document.activeElement instanceof HTMLButtonElement) focusText(heading.current);
    dialog.current?.scrollTo(0, 0);
    // A window that is removed gives the focus to nothing, so that the next key starts from the top.
    return () => queueMicrotask(() => focusAgain(opener));
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id} ref={heading}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

function focusText(heading: HTMLElement | null): void {
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus();
}

/** Focuses what had the focus, or the page if that is gone. */
function focusAgain(opener: Element | null): void {
  if (document.activeElement !== document.body) return;
  const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
  (isThere ? opener : document.querySelector("main"))?.focus({ preventScroll: true });
}

interface DialogButtonsProps {
  /** Label of the first button. */
  readonly action: string;
  /** Without it, the first button sends the form. */
  readonly onAct?: () => void;
  readonly onClose: () => void;
  readonly isDanger?: boolean;
  readonly disabled?: boolean;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

/** The buttons at the end of a dialog: one that acts, and one that cancels. */
export function DialogButtons(props: DialogButtonsProps) {
  const { action, onAct, onClose, isDanger = false, disabled = false, children } = props;
  return (
    <div class="buttons">
      <button
        type={onAct === undefined ? "submit" : "button"}
        class={isDanger ? "primary danger" : "primary"}
        disabled={disabled}
        onClick={onAct}
      >
        {action}
      </button>
      {children}
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
    </div>
  );
}
