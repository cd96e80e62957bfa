import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import type { MigrationProgress, MigrationStep } from "../../contract/migration.js";
import { formatBytes, formatDuration } from "../../report/quantities.js";

export const stateWords: Readonly<Record<MigrationStep["state"], string>> = {
  waiting: "Waiting",
  running: "Running",
  done: "Done",
  failed: "Failed",
  interrupted: "Stopped",
  killed: "Killed",
  skipped: "Skipped",
};

export const stateTones: Readonly<
  Record<MigrationStep["state"], "good" | "off" | "warning" | "error" | "info">
> = {
  waiting: "off",
  running: "info",
  done: "good",
  failed: "error",
  interrupted: "warning",
  killed: "error",
  skipped: "off",
};

const phaseWords = {
  reading: "Reading",
  keys: "Looking for duplicates",
  merging: "Merging days",
} as const;

/** How far a step is, how fast, and how long it will take. */
export function ProgressBar({ progress }: { progress: MigrationProgress }) {
  const { phase, rows, rejected, delivered, bytesDone, bytesTotal, leftMs, waiting } = progress;
  return (
    <div class="progress">
      <progress value={bytesDone} max={Math.max(1, bytesTotal)} aria-label={phaseWords[phase]} />
      <p>
        {phaseWords[phase]}: {formatShare(bytesDone, bytesTotal)} · {formatCount(rows)} rows ·{" "}
        {formatCount(progress.rowsPerSecond)} rows/s · {formatBytes(progress.bytesPerSecond)}/s
        {delivered > 0 && <> · {formatCount(delivered)} delivered</>}
        {rejected > 0 && <> · {formatCount(rejected)} rejected</>} ·{" "}
        {leftMs === null ? "time left unknown" : `${formatDuration(leftMs)} left`}
      </p>
      {waiting !== null && (
        <p class="warning">
          The service accepts no events (attempt {waiting.attempts}): {waiting.reason}. The run
          stops in {formatDuration(waiting.leftMs)}.
        </p>
      )}
    </div>
  );
}
