import { isDeepStrictEqual } from "node:util";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { CONSOLE_CALLS_MAX, CONSOLE_STOP_GRACE_MS } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import type { QualifyingEvent } from "../contract/qualifying-event.js";
import type { ConsoleClient } from "./client.js";
import { ConsoleError, ConsoleUnreachableError, mayBeMade } from "./console-error.js";
import type { Change, Creation, PlanItem, QualifyPlan } from "./qualify-plan.js";

/** The operations of a console that are used. */
export type QualifyConsole = Pick<
  ConsoleClient,
  "all" | "createQualifyingEvent" | "readQualifyingEvent" | "upsertQualifyingEvent"
>;

/** The largest page size of the API. */
const PAGE_ITEMS = 1_000;

/** Returns every qualifying event. Throws `SwitchyardError` if the console cannot be used. */
export async function readQualifyingEvents(
  console: QualifyConsole,
  signal: AbortSignal,
): Promise<readonly QualifyingEvent[]> {
  const found: QualifyingEvent[] = [];
  try {
    const pages = console.all("listQualifyingEvents", { limit: PAGE_ITEMS, signal });
    for await (const event of pages) found.push(event);
  } catch (error) {
    throw stopOf(error) ?? error;
  }
  return found;
}

interface ApplyOptions {
  /** Has the console check each call and store nothing. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Called with the number of calls that have ended. */
  onDone?(done: number): void;
  /** Milliseconds that running calls have to finish once the signal is aborted. */
  readonly graceMs?: number;
}

/** The result of a plan; names in its order. */
export interface Applied {
  /** Names that were created or changed, or could be in a dry run. */
  readonly done: readonly string[];
  readonly failed: readonly { readonly name: string; readonly message: string }[];
  /** Names whose calls got no answer or were aborted: we cannot tell if the console accepted them. */
  readonly uncertain: readonly string[];
  /** Names that were not tried because the run ended before. */
  readonly notTried: readonly string[];
  /** The reason for an early end, with its exit code. */
  readonly stopped?: SwitchyardError;
}

/** The end of one call, with the message of a failure. */
type CallEnd = "done" | "uncertain" | { readonly message: string };

/**
 * Applies a plan, a few calls at a time. A refused call does not stop the others. After a call without an
 * answer, the console is asked if it was made. An unusable console (401, 403, 404, no answer) stops
 * everything, and so does the signal. To finish later, apply a new plan.
 */
export async function applyPlan(
  plan: QualifyPlan,
  console: QualifyConsole,
  { dryRun, signal, onDone, graceMs = CONSOLE_STOP_GRACE_MS }: ApplyOptions,
): Promise<Applied> {
  const work = plan.filter(isWork);
  const ends = new Map<string, CallEnd>();
  let stopped: SwitchyardError | undefined;
  const cut = abortAfter(signal, graceMs);
  const apply = async (item: Creation | Change): Promise<void> => {
    if (stopped !== undefined || signal.aborted) return;
    try {
      await send(item, console, dryRun, cut.signal);
      ends.set(item.name, "done");
    } catch (error) {
      const isOpen = !dryRun && mayBeMade(error);
      const reading = isOpen ? await readBack(item, console, cut.signal) : { error };
      const stop = stopOf(reading.error);
      if (isOpen) ends.set(item.name, reading.isMade === true ? "done" : "uncertain");
      else if (stop !== undefined || error instanceof ConsoleError) {
        ends.set(item.name, { message: (error as Error).message });
      } else if (cut.signal.aborted) ends.set(item.name, "uncertain");
      else throw error;
      stopped ??= stop;
    }
    onDone?.(ends.size);
  };
  try {
    await mapBounded(work, CONSOLE_CALLS_MAX, apply);
  } finally {
    cut.release();
  }
  const applied = sortEnds(work, ends);
  const isCutShort = applied.notTried.length + applied.uncertain.length > 0;
  if (signal.aborted && isCutShort) stopped ??= interruption();
  return { ...applied, ...omitUndefined({ stopped }) };
}

function sortEnds(
  work: readonly (Creation | Change)[],
  ends: ReadonlyMap<string, CallEnd>,
): Omit<Applied, "stopped"> {
  const names = work.map(({ name }) => name);
  return {
    done: names.filter((name) => ends.get(name) === "done"),
    failed: names.flatMap((name) => {
      const end = ends.get(name);
      return typeof end === "object" ? [{ name, message: end.message }] : [];
    }),
    uncertain: names.filter((name) => ends.get(name) === "uncertain"),
    notTried: names.filter((name) => !ends.has(name)),
  };
}

function interruption(): SwitchyardError {
  const message = "Interrupted: names that were not tried are unchanged.";
  return new SwitchyardError("interrupted", message, { exitCode: exitCodes.interrupted });
}

/** Returns a signal that aborts `graceMs` after `signal`: time for running calls to finish. */
function abortAfter(signal: AbortSignal, graceMs: number) {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => controller.abort(signal.reason), graceMs);
  };
  signal.addEventListener("abort", wait, { once: true });
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      signal.removeEventListener("abort", wait);
    },
  };
}

/** Returns true if an item of a plan needs a call. */
export function isWork(item: PlanItem): item is Creation | Change {
  return item.action === "create" || item.action === "change";
}

async function send(
  item: Creation | Change,
  console: QualifyConsole,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<void> {
  const body = { ...item.body, ...(dryRun ? { dryRun } : {}) };
  if (item.action === "create") {
    await console.createQualifyingEvent({ body, signal });
  } else {
    // Do not overwrite changes that were made since it was read.
    const ifMatch = String(item.version);
    await console.upsertQualifyingEvent({ name: item.name, body, ifMatch, signal });
  }
}

/** Reads a qualifying event after a call without an answer: it was made if each field is as it was sent. */
async function readBack(
  { name, body }: Creation | Change,
  console: QualifyConsole,
  signal: AbortSignal,
): Promise<{ readonly isMade?: boolean; readonly error?: unknown }> {
  try {
    const { data } = await console.readQualifyingEvent({ name, signal });
    const stored: Readonly<Record<string, unknown>> = data;
    const sent = Object.entries(body);
    return { isMade: sent.every(([field, value]) => isDeepStrictEqual(value, stored[field])) };
  } catch (error) {
    // An event that is not there is not a console that is missing.
    return error instanceof ConsoleError && error.status === 404 ? {} : { error };
  }
}

const checks: Readonly<Record<number, string>> = {
  401: `The console does not know the key: check SWITCHYARD_CONSOLE_KEY or ${option("consoleKeyFile")}, and ${option("authHeader")}`,
  403: "The key may not do this: use a console key that may write",
  404: `There is no console at this address: pass the address without /console/v1 as ${option("console")}`,
};

/** Returns the error that stops everything, or undefined if other calls may succeed. */
export function stopOf(error: unknown): SwitchyardError | undefined {
  if (error instanceof ConsoleUnreachableError) return error;
  const check = error instanceof ConsoleError ? checks[error.status] : undefined;
  if (check === undefined) return undefined;
  return new SwitchyardError("console_unusable", `${check}. ${(error as Error).message}`, {
    cause: error,
  });
}
