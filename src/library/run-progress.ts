import type { RunObserver, RunProgress } from "../pipeline/run-observer.js";
import type { Progress } from "./options.js";

const PROGRESS_INTERVAL_MS = 500;

/** Runs `work` with an observer that reports progress twice a second, and once at the end. */
export async function withProgress<Result>(
  onProgress: ((progress: Progress) => void) | undefined,
  work: (observer: Pick<RunObserver, "started">) => Promise<Result>,
): Promise<Result> {
  let current: (() => RunProgress) | undefined;
  const report = () => {
    if (current !== undefined) onProgress?.(progressOf(current()));
  };
  const timer = setInterval(report, PROGRESS_INTERVAL_MS);
  try {
    return await work({
      started(progress) {
        current = progress;
      },
    });
  } finally {
    clearInterval(timer);
    report();
  }
}

function progressOf({ phase, bytesDone, bytesTotal, rows, rejects }: RunProgress): Progress {
  return { phase: phase ?? "reading", bytesDone, bytesTotal, rows, rejects };
}
