import { SwitchyardError } from "../base/errors.js";
import { CONSOLE_CALLS_MAX } from "../base/limits.js";
import type { QualifyingEvent } from "../contract/qualifying-event.js";
import type { ConsoleClient } from "./client.js";
import { ConsoleError, ConsoleUnreachableError } from "./console-error.js";
import type { Change, Creation, PlanItem, QualifyPlan } from "./qualify-plan.js";

/** What of a console is needed. */
export type QualifyConsole = Pick<
  ConsoleClient,
  "all" | "createQualifyingEvent" | "upsertQualifyingEvent"
>;

/** The largest page that there is. */
const PAGE_ITEMS = 1_000;

/** Every qualifying event that there is. Throws `SwitchyardError` where the console cannot be used. */
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

export interface ApplyOptions {
  /** The console is asked whether it would take each, and keeps nothing. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

export interface Applied {
  /** Names that were created or changed; of a dry run those that could be. */
  readonly done: readonly string[];
  readonly failed: readonly { readonly name: string; readonly message: string }[];
  /** Names that were not tried, because the console cannot be used. */
  readonly notTried: readonly string[];
  /** Why it ended early, and what to check. */
  readonly stopped?: SwitchyardError;
}

/**
 * Creates and changes what a plan says, a few at a time. One that is refused does not keep the others;
 * a console that cannot be used (401, 403, 404, no answer) does. Throws the signal's reason.
 */
export async function applyPlan(
  plan: QualifyPlan,
  console: QualifyConsole,
  { dryRun, signal }: ApplyOptions,
): Promise<Applied> {
  const work = plan.filter(isWork);
  const results = new Map<string, string | undefined>();
  let stopped: SwitchyardError | undefined;
  const queue = work.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) {
      signal.throwIfAborted();
      if (stopped !== undefined) return;
      try {
        await send(item, console, dryRun, signal);
        results.set(item.name, undefined);
      } catch (error) {
        const stop = stopOf(error);
        if (stop === undefined && !(error instanceof ConsoleError)) throw error;
        results.set(item.name, (error as Error).message);
        stopped ??= stop;
      }
    }
  };
  await Promise.all(Array.from({ length: CONSOLE_CALLS_MAX }, lane));
  const names = work.map(({ name }) => name);
  return {
    done: names.filter((name) => results.has(name) && results.get(name) === undefined),
    failed: names.flatMap((name) => {
      const message = results.get(name);
      return message === undefined ? [] : [{ name, message }];
    }),
    notTried: names.filter((name) => !results.has(name)),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** Whether an item of a plan has something to be sent. */
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
    // Whoever changed it since it was read is not overwritten.
    const ifMatch = String(item.version);
    await console.upsertQualifyingEvent({ name: item.name, body, ifMatch, signal });
  }
}

const checks: Readonly<Record<number, string>> = {
  401: "The console does not know the key: check SWITCHYARD_CONSOLE_KEY or the file of --console-key-file, and --auth-header",
  403: "The key may not do this: check whether it is a console key, and one that may write",
  404: "There is no console at this address: check --console, which is the address without /console/v1",
};

/** What ends everything, as no other call would go better; undefined for what concerns one call. */
function stopOf(error: unknown): SwitchyardError | undefined {
  if (error instanceof ConsoleUnreachableError) return error;
  const check = error instanceof ConsoleError ? checks[error.status] : undefined;
  if (check === undefined) return undefined;
  return new SwitchyardError("console_unusable", `${check}. ${(error as Error).message}`, {
    cause: error,
  });
}
