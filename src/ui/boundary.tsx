import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useRef } from "preact/hooks";
import { ErrorNotice } from "./feedback.js";

interface BoundaryProps {
  /** Tries again when it changes. */
  readonly path?: string;
  readonly children: ComponentChildren;
}

/** Says so in place of a part that cannot be shown. The rest of the page stays. */
export function Boundary({ path, children }: BoundaryProps) {
  const failedPath = useRef(path);
  const [error, retry] = useErrorBoundary((caught) => {
    failedPath.current = path;
    console.error(caught);
  });
  useEffect(() => {
    if (failedPath.current !== path) retry();
  }, [path]);
  if (error === undefined) return <>{children}</>;
  const message = error instanceof Error ? error.message : String(error);
  return <ErrorNotice error={new Error(`This cannot be shown: ${message}`)} retry={retry} />;
}
