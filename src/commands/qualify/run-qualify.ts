import { omitUndefined } from "../../base/omit-undefined.js";
import { createConsoleClient } from "../../console/client.js";
import { type Applied, applyPlan, isWork, readQualifyingEvents } from "../../console/qualify.js";
import { planQualify, type QualifyOptions, type QualifyPlan } from "../../console/qualify-plan.js";
import type { ConsoleAccess } from "../../options/console-options.js";
import { formatDuration, formatNumberOf } from "../../report/quantities.js";
import type { KnownEvents } from "./known-events.js";

/** `plan` only reads; `dryRun` has the console check everything and store nothing. */
type QualifyMode = "plan" | "dryRun" | "apply";

export interface QualifyTask {
  readonly readEvents: () => Promise<KnownEvents>;
  /** Reading the events takes long, so the console is checked before it. */
  readonly isSlow: boolean;
  readonly client: ConsoleAccess;
  /** Tells a person what happens. */
  note(text: string): void;
  readonly mode: QualifyMode;
  readonly options: Omit<QualifyOptions, "isExact">;
}

export interface QualifyResult {
  readonly mode: QualifyMode;
  readonly console: string;
  /** The facts from which the plan was made, without the events. */
  readonly known: Omit<KnownEvents, "events">;
  readonly plan: QualifyPlan;
  /** Absent if there was nothing to send. */
  readonly applied?: Applied;
}

/**
 * Plans the qualifying events and applies the plan. Throws the errors of `readEvents`, `UsageError`, and
 * `SwitchyardError` if the console cannot be read.
 */
export async function runQualify(
  { readEvents, isSlow, client, note, mode, options }: QualifyTask,
  signal: AbortSignal,
): Promise<QualifyResult> {
  const { console, limit } = await openConsole(client, note);
  if (isSlow) {
    // Finds faults in the templates.
    planQualify([], [], { ...options, isExact: true });
    await readQualifyingEvents(console, signal);
  }
  const { events, ...known } = await readEvents();
  const existing = await readQualifyingEvents(console, signal);
  const plan = planQualify(events, existing, { ...options, isExact: known.otherRows === 0 });
  const result = { mode, console: addressOf(client.baseUrl), known, plan };
  if (mode === "plan") return result;
  const dryRun = mode === "dryRun";
  const work = plan.filter(isWork).length;
  if (limit !== undefined && work > 0) {
    const time = formatDuration(limit.durationMs(work));
    note(`${formatNumberOf(work, "change")} take at least ${time} at the rate of the console`);
  }
  const progress = limit && progressOf(work, (done) => limit.durationMs(work - done), note);
  return { ...result, applied: await applyPlan(plan, console, { dryRun, signal, ...progress }) };
}

/** Returns a client that keeps the rate of writes of its console, and tells its pauses. */
export async function openConsole(
  { writes, ...access }: ConsoleAccess,
  note: (text: string) => void,
) {
  const limit = writes && (await writeLimitOf(writes));
  const awaitWrite = limit && ((call: AbortSignal) => limit.take(call));
  const onHeld = (waitMs: number) => {
    if (waitMs < TOLD_WAIT_MS) return;
    note(`The console asks to wait ${formatDuration(waitMs)}`);
  };
  const console = createConsoleClient({ ...access, onHeld, ...omitUndefined({ awaitWrite }) });
  return { console, ...omitUndefined({ limit }) };
}

async function writeLimitOf(writes: NonNullable<ConsoleAccess["writes"]>) {
  // The limiter is loaded for consoles that have a limit only.
  const { WriteLimit } = await import("../../console/write-limit.js");
  return new WriteLimit(writes);
}

/** A pause from which on it is told. */
const TOLD_WAIT_MS = 5_000;

/** Changes after which progress is told. */
const TOLD_STEP = 50;

function progressOf(work: number, leftMs: (done: number) => number, note: (text: string) => void) {
  return {
    onDone(done: number) {
      if (done % TOLD_STEP !== 0 || done === work) return;
      note(`${done} of ${work} changes made, ${formatDuration(leftMs(done))} left`);
    },
  };
}

/** Returns an address without user name and password. */
export function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/$/, "")}`;
}
