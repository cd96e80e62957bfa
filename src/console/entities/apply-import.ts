import { isDeepStrictEqual } from "node:util";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import type { ConsoleClient } from "../client.js";
import { ConsoleError, mayBeMade } from "../console-error.js";
import { stopOf } from "../qualify.js";
import type { Step } from "./entity-settings.js";
import { type ImportItem, type ImportPlan, type ImportWork, stepsLeft } from "./import-plan.js";
import { callOf, readEntity } from "./read-entities.js";

/** An entity of a plan. */
interface Named {
  readonly kind: string;
  readonly name: string;
}

/** The result of a plan; entities in its order. */
export interface AppliedImport {
  readonly done: readonly Named[];
  readonly failed: readonly (Named & { readonly message: string })[];
  /** Entities with a call that got no answer: we cannot tell if the console accepted it. */
  readonly uncertain: readonly Named[];
  /** Entities that were not tried because the run ended before. */
  readonly notTried: readonly Named[];
  /** The reason for an early end, with its exit code. */
  readonly stopped?: SwitchyardError;
}

/** Returns true if an item of a plan needs calls. */
export function isImportWork(item: ImportItem): item is ImportWork {
  return item.action !== "unchanged" && item.action !== "refused";
}

/** Returns the number of calls that a plan makes. */
export function writesOf(plan: ImportPlan): number {
  return plan.filter(isImportWork).reduce((sum, { steps }) => sum + steps.length, 0);
}

/**
 * Applies a plan, one call after the other, each on the version that it was made for. A refused call does not
 * stop the other entities. After a call without an answer, the entity is read to see if it was made. An
 * unusable console stops everything, and so does the signal. To finish later, apply a new plan.
 */
export async function applyImport(
  plan: ImportPlan,
  client: ConsoleClient,
  signal: AbortSignal,
): Promise<AppliedImport> {
  const done: Named[] = [];
  const failed: (Named & { readonly message: string })[] = [];
  const uncertain: Named[] = [];
  const notTried: Named[] = [];
  let stopped: SwitchyardError | undefined;
  for (const item of plan.filter(isImportWork)) {
    const { kind, name } = item;
    if (stopped !== undefined || signal.aborted) {
      notTried.push({ kind, name });
      continue;
    }
    try {
      const end = await applyItem(item, client, signal);
      (end.isDone ? done : uncertain).push({ kind, name });
      stopped = end.stop;
    } catch (error) {
      // An entity that is gone is not a console that is missing.
      const stop =
        error instanceof ConsoleError && error.status === 404 ? undefined : stopOf(error);
      if (stop === undefined && !(error instanceof ConsoleError)) throw error;
      failed.push({ kind, name, message: (error as Error).message });
      stopped = stop;
    }
  }
  if (notTried.length > 0) stopped ??= interruption();
  return { done, failed, uncertain, notTried, ...omitUndefined({ stopped }) };
}

interface ItemEnd {
  /** False if we cannot tell if the console accepted a call. */
  readonly isDone: boolean;
  /** The reason to stop everything. */
  readonly stop?: SwitchyardError | undefined;
}

async function applyItem(
  item: ImportWork,
  client: ConsoleClient,
  signal: AbortSignal,
): Promise<ItemEnd> {
  let version = item.action === "create" ? undefined : item.version;
  for (const [index, step] of item.steps.entries()) {
    const isCreation = item.action === "create" && index === 0;
    try {
      const answer = await callOf(client, step.operation)(inputOf(item, step, version, isCreation));
      if (step.partVersion === undefined && answer.etag !== undefined) {
        version = Number(answer.etag);
      }
    } catch (error) {
      if (!mayBeMade(error)) throw error;
      const found = await readBack(item, item.steps.slice(index + 1), client, signal);
      if (found.version === undefined) return { isDone: false, stop: found.stop };
      version = found.version;
    }
  }
  return { isDone: true };
}

/** Reads the entity of a call without an answer. Returns its version if only the next steps are left. */
async function readBack(
  item: ImportWork,
  next: readonly Step[],
  client: ConsoleClient,
  signal: AbortSignal,
): Promise<{ readonly version?: number } & Pick<ItemEnd, "stop">> {
  try {
    const entity = await readEntity(client, item.row, item.name, signal);
    const isMade = isDeepStrictEqual(stepsLeft(item, entity), next);
    return isMade ? { version: entity?.version ?? 0 } : {};
  } catch (error) {
    return { stop: stopOf(error) };
  }
}

function inputOf(
  { name, row }: ImportWork,
  { body, partVersion }: Step,
  version: number | undefined,
  isCreation: boolean,
): object {
  const sent: unknown = typeof body === "function" ? body(version ?? 0) : body;
  const condition = partVersion ?? version;
  return {
    ...(isCreation || row.id === undefined ? {} : { [row.parameter]: name }),
    ...omitUndefined({
      body: sent,
      ifMatch: condition === undefined ? undefined : String(condition),
    }),
  };
}

function interruption(): SwitchyardError {
  const message = "Interrupted: entities that were not tried are unchanged.";
  return new SwitchyardError("interrupted", message, { exitCode: exitCodes.interrupted });
}
