import { useEffect } from "preact/hooks";

const INTERVAL_MS = 2_000;

/** Calls `action` every two seconds while `isOn` and the page is in sight. */
export function usePolling(action: () => void, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") action();
    }, INTERVAL_MS);
    return () => clearInterval(timer);
  }, [action, isOn]);
}
