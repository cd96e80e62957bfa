import { formatCount } from "../base/format-count.js";
import { sum } from "../base/sum.js";
import type { ListedExport } from "../check/run-history.js";
import { formatDuration, formatNumberOf } from "../report/quantities.js";
import { describeRuns } from "../report/runs-summary.js";
import type { ListedRun } from "../run/sent-runs.js";
import type { CommandContext, OutputForm } from "./context.js";
import { printResult } from "./print-result.js";

const INTERVAL_MS = 2_000;

/** The exports and the runs of `send` at one moment. */
export interface Listing {
  /** Directory of the runs of `send`, if they are listed. */
  readonly directory?: string;
  readonly runs: readonly ListedRun[];
  readonly exports: readonly ListedExport[];
}

export interface Watch {
  /** Returns the listing of this moment. */
  look(): Promise<Listing>;
  print(listing: Listing, pace?: RunPace): void;
  /** Waits for the next listing, or rejects when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Prints the listing each time that it changes, until it is not empty and all of its runs have
 * ended. Returns false if the signal was aborted first.
 */
export async function watchRuns(
  { look, print, wait }: Watch,
  { clock, signal }: Pick<CommandContext, "clock" | "signal">,
): Promise<boolean> {
  const pace = new RunPace();
  let shown = "";
  while (!signal.aborted) {
    const listing = await look();
    pace.take(clock.now(), listing);
    const text = JSON.stringify(listing);
    if (text !== shown) print(listing, pace);
    shown = text;
    if (isEnded(listing)) return true;
    await wait(INTERVAL_MS, signal).catch(() => undefined);
  }
  return false;
}

function isEnded({ runs, exports }: Listing): boolean {
  const states = [...runs, ...exports].map(({ state }) => state);
  return states.length > 0 && states.every((state) => !["at_work", "interrupted"].includes(state));
}

/** Prints a listing for people; on a terminal, a watched listing replaces the previous one. */
export function printListing(
  { directory, runs, exports }: Listing,
  output: OutputForm,
  context: CommandContext,
  pace?: RunPace,
): void {
  if (pace !== undefined && context.stdout.isTTY === true)
    context.stdout.write("\u001b[2J\u001b[H");
  const more = pace?.describe() ?? [];
  const text = describeRuns(exports, runs, directory, context.program);
  printResult([text, ...more].join("\n\n"), output, context);
}

interface Progress {
  readonly atMs: number;
  readonly rows: number;
  readonly splitsDone: number;
  readonly splitsTotal: number;
}

/** The speed since the first listing, over all processes that work on the listed runs. */
class RunPace {
  #first: Progress | undefined;
  #latest: Progress | undefined;

  take(atMs: number, { runs, exports }: Listing): void {
    const all = [...runs, ...exports];
    const count = (of: (one: ListedRun | ListedExport) => number) => sum(all, of);
    this.#latest = {
      atMs,
      rows: count(({ delivered, rejected }) => delivered + rejected),
      splitsDone: count((one) => one.splitsDone),
      splitsTotal: count((one) => one.splitsTotal),
    };
    // The run was planned or started over meanwhile: count its splits from now on.
    const isSame = this.#first?.splitsTotal === this.#latest.splitsTotal;
    if (!isSame || this.#latest.rows < (this.#first?.rows ?? 0)) this.#first = this.#latest;
  }

  /** Returns a line; none before the first split is done, and none after the last one. */
  describe(): readonly string[] {
    const [first, latest] = [this.#first, this.#latest];
    if (first === undefined || latest === undefined) return [];
    const splits = latest.splitsDone - first.splitsDone;
    const splitsLeft = latest.splitsTotal - latest.splitsDone;
    if (splits <= 0 || splitsLeft === 0) return [];
    const elapsedMs = latest.atMs - first.atMs;
    const rowsPerSecond = ((latest.rows - first.rows) / elapsedMs) * 1000;
    const leftMs = (elapsedMs / splits) * splitsLeft;
    return [
      `${formatNumberOf(splitsLeft, "split")} left · ${formatCount(rowsPerSecond)} rows/s · ` +
        `${formatDuration(leftMs)} left`,
    ];
  }
}
