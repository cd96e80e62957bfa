import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";

/** A page with edits that are not saved. */
interface Guarded {
  /** Path of the page; its parts have longer ones. */
  readonly path: string;
  /** The address that is shown. */
  url(): string;
}

let guarded: Guarded | undefined;

/** Returns false if there are edits that are not saved, and the user wants to keep them. */
export function mayLeave(): boolean {
  return guarded === undefined || confirm("Leave the page? Your changes are not saved.");
}

function mayLeaveFor({ pathname }: { readonly pathname: string }): boolean {
  const path = guarded?.path;
  return pathname === path || pathname.startsWith(`${path}/`) || mayLeave();
}

/** Asks before a step back or forward. To be called before the router listens, which follows each step. */
export function guardHistory(): void {
  window.addEventListener("popstate", (event) => {
    if (guarded === undefined || mayLeaveFor(location)) return;
    // The browser has the other address already.
    event.stopImmediatePropagation();
    history.pushState(null, "", guarded.url());
  });
}

/**
 * Asks before edits are lost: by a link or a step in the history to a page outside `path`, by closing the
 * page, or by signing out.
 */
export function useLeaveGuard(isEdited: boolean, path: string): void {
  const { url } = useLocation();
  const shown = useRef(url);
  shown.current = url;
  useLayoutEffect(() => {
    if (!isEdited) return;
    guarded = { path, url: () => shown.current };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (link === null || link.target === "_blank" || mayLeaveFor(link)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      guarded = undefined;
      window.removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, [isEdited, path]);
}
