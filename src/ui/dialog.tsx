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
