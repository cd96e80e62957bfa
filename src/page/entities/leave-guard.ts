import { useEffect } from "preact/hooks";

/** Asks before edits are lost, by a link to a page outside `path` or by closing the page. */
export function useLeaveGuard(isEdited: boolean, path: string): void {
  useEffect(() => {
    if (!isEdited) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (link === null || link.target === "_blank" || link.pathname.startsWith(path)) return;
      if (confirm("Leave the page? Your changes are not saved.")) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, [isEdited, path]);
}
