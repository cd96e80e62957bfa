import { type ConsoleClientOptions, createConsoleClient } from "../../console/client.js";
import { type Applied, applyPlan, readQualifyingEvents } from "../../console/qualify.js";
import { planQualify, type QualifyOptions, type QualifyPlan } from "../../console/qualify-plan.js";
import type { KnownEvents } from "./known-events.js";

/** `plan` only reads; `dryRun` has the console check everything and store nothing. */
type QualifyMode = "plan" | "dryRun" | "apply";

export interface QualifyTask {
  readonly readEvents: () => Promise<KnownEvents>;
  /** Reading the events takes long, so the console is checked before it. */
  readonly isSlow: boolean;
  readonly client: ConsoleClientOptions;
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
  { readEvents, isSlow, client, mode, options }: QualifyTask,
  signal: AbortSignal,
): Promise<QualifyResult> {
  const console = createConsoleClient(client);
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
  return { ...result, applied: await applyPlan(plan, console, { dryRun, signal }) };
}

/** Returns an address without user name and password. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/$/, "")}`;
}
