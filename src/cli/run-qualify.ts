import { stat } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../base/errors.js";
import { type ConsoleClientOptions, createConsoleClient } from "../console/client.js";
import { type Applied, applyPlan, readQualifyingEvents } from "../console/qualify.js";
import { planQualify, type QualifyOptions, type QualifyPlan } from "../console/qualify-plan.js";
import { MANIFEST_NAME } from "../pipeline/manifest.js";
import { readManifest } from "../pipeline/verify-manifest.js";

/** `plan` sends nothing but questions; `dryRun` has the console check everything and keep nothing. */
export type QualifyMode = "plan" | "dryRun" | "apply";

export interface QualifyTask {
  /** Directory of an export, or its manifest. */
  readonly from: string;
  readonly client: ConsoleClientOptions;
  readonly mode: QualifyMode;
  readonly options: Omit<QualifyOptions, "isExact">;
}

export interface QualifyResult {
  readonly mode: QualifyMode;
  readonly console: string;
  readonly manifestPath: string;
  /** False for an export that was interrupted or of which a source failed. */
  readonly isComplete: boolean;
  /** Rows of names that were too many to be counted by name: they have no qualifying events. */
  readonly otherRows: number;
  readonly plan: QualifyPlan;
  /** Absent where nothing was to be sent. */
  readonly applied?: Applied;
}

/** Throws `ManifestError`, `UsageError`, and `SwitchyardError` where the console cannot be read. */
export async function runQualify(
  { from, client, mode, options }: QualifyTask,
  signal: AbortSignal,
): Promise<QualifyResult> {
  const manifestPath = await findManifest(from);
  const { events, otherEvents, complete } = await readManifest(manifestPath);
  const console = createConsoleClient(client);
  const isExact = otherEvents === undefined;
  const existing = await readQualifyingEvents(console, signal);
  const plan = planQualify(events, existing, { ...options, isExact });
  const result = {
    ...{ mode, console: addressOf(client.baseUrl), manifestPath, isComplete: complete },
    ...{ otherRows: otherEvents?.rows ?? 0, plan },
  };
  if (mode === "plan") return result;
  const dryRun = mode === "dryRun";
  return { ...result, applied: await applyPlan(plan, console, { dryRun, signal }) };
}

/** Without a name and password, which an address can hold. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/$/, "")}`;
}

/** Throws `UsageError` for inputs, which would have to be read to know their events. */
async function findManifest(from: string): Promise<string> {
  const found = await stat(from).catch(() => undefined);
  if (found?.isFile() !== true) return path.join(from, MANIFEST_NAME);
  if (from.endsWith(".json")) return from;
  throw new UsageError(
    "export_missing",
    `${from} is no export. Run \`switchyard export\` on it first, and give the directory of --to.`,
  );
}
