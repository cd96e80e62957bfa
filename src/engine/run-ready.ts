import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SwitchyardError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import { settleUnlessRunning } from "../check/compact/settle-compaction.js";
import { type PlannedDay, planReady, type ReadyPlan } from "../check/ready/ready-plan.js";
import { type AnnouncedDays, ReadyRecord } from "../check/ready/ready-record.js";
import { TableFile } from "../identity/table-file.js";
import type { Manifest } from "../ledger/manifest.js";
import { readManifestOf } from "../ledger/manifest-file.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { ReadyRequest } from "../options/ready-options.js";
import { EVENTS_BY_DAY_NAME, LOCK_PATH } from "../output/layout.js";
import { openOutput } from "../output/open-output.js";
import type { HeldLock, Output } from "../output/output.js";
import { pathInOutput } from "../output/output-place.js";
import { formatDuration, formatNumberOf } from "../report/quantities.js";
import type { Announcement } from "../target/target-rules.js";

export interface ReadyResult extends Omit<ReadyPlan, "announce"> {
  /** Name of the target for people. */
  readonly title: string;
  readonly by: Announcement;
  /** True if nothing was announced because only the plan was asked for. */
  readonly isDryRun: boolean;
  /** Days that were announced, or would be; oldest first. */
  readonly days: readonly PlannedDay[];
  /** The file that lists the finished days. */
  readonly marker?: string;
}

/**
 * Tells a target which days of an export are complete and not known to it as they are. Throws
 * `ready_incomplete`, `ready_day_zone`, `reload_too_large`, `output_locked`, and what a call can throw.
 */
export async function runReady(request: ReadyRequest, context: RunContext): Promise<ReadyResult> {
  const { place, target, by, isDryRun } = request;
  const { signal } = context;
  await settleUnlessRunning({ ...place, signal });
  const output = await openOutput(place);
  const record = new ReadyRecord(output, target.name, by);
  const work: Announcing = { request, output, record, context };
  if (isDryRun) {
    const { plan } = await planNow(work);
    requireWithinLimit(plan, request);
    return resultOf(plan, request);
  }
  return by === "call" ? announceByCalls(work) : announceByFile(work);
}

interface Announcing {
  readonly request: ReadyRequest;
  readonly output: Output;
  readonly record: ReadyRecord;
  readonly context: RunContext;
}

/** Compares the export as it is with what was announced. Under the lock, no other command changes it meanwhile. */
async function planNow({ request, output, record, context: { signal } }: Announcing) {
  const manifest = await readManifestOf(request.place, signal);
  requireComplete(manifest, request);
  const announced = await record.read(signal);
  const eventsByDay = (await output.get(EVENTS_BY_DAY_NAME, signal))?.toString() ?? "";
  return { announced, plan: planReady(manifest, eventsByDay, announced) };
}

function resultOf(
  { announce, ...plan }: ReadyPlan,
  { target: { title }, by, isDryRun }: ReadyRequest,
): ReadyResult {
  return { ...plan, title, by, isDryRun, days: announce };
}

/** Calls `work` with the lock of the output. */
async function locked<Result>(
  output: Output,
  work: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const lock = await output.lock(LOCK_PATH).take();
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

/** Adds days to those that were announced. */
function withDays(announced: AnnouncedDays, days: readonly PlannedDay[]): AnnouncedDays {
  const at = new Date().toISOString();
  const added = days.map(({ day, rows, digest }) => [day, { rows, digest, at }] as const);
  return { ...announced, ...Object.fromEntries(added) };
}

function announceByFile(work: Announcing): Promise<ReadyResult> {
  const { request, output, record, context } = work;
  return locked(output, async (lock) => {
    const { plan, announced } = await planNow(work);
    requireWithinLimit(plan, request);
    if (plan.announce.length === 0) return resultOf(plan, request);
    const days = withDays(announced, plan.announce);
    await lock.check();
    const marker = await writeMarker(output, request, Object.keys(days), context.signal);
    await lock.check();
    await record.write(days, context.signal);
    return { ...resultOf(plan, request), marker };
  });
}

/**
 * Announces days one by one, as far apart as the target wants. The lock is held for each announcement and not
 * between them, so that an export can add days meanwhile: each time the days are planned again.
 */
async function announceByCalls(work: Announcing): Promise<ReadyResult> {
  const { request, output, record, context } = work;
  const { call } = request;
  const { signal, observer } = context;
  if (call === undefined) throw new Error("the target takes no calls");
  // Loaded here: most announcements are files.
  const { openReadyCaller } = await import("../webhook/ready-call.js");
  const caller = openReadyCaller(call, signal);
  const apartMs = call.secondsApart * 1_000;
  const told: PlannedDay[] = [];
  const announceNext = async (lock: HeldLock) => {
    const { plan, announced } = await planNow(work);
    if (told.length === 0) requireWithinLimit(plan, request);
    const [next] = plan.announce;
    if (next === undefined) return { plan, next, waitMs: 0 };
    const times = Object.values(announced).map(({ at }) => Date.parse(at) + apartMs);
    const waitMs = Math.max(0, ...times) - Date.now();
    if (waitMs > 0) return { plan, next, waitMs };
    await lock.check();
    await caller.announce(next);
    await record.write(withDays(announced, [next]), signal);
    told.push(next);
    return { plan, next, waitMs: 0 };
  };
  try {
    let first: ReadyPlan | undefined;
    for (;;) {
      const { plan, next, waitMs } = await locked(output, announceNext);
      first ??= plan;
      if (next === undefined) return { ...resultOf(first, request), days: told };
      if (waitMs <= 0) continue;
      const leftMs = waitMs + (plan.announce.length - 1) * apartMs;
      const days = formatNumberOf(plan.announce.length, "day");
      observer.note?.(
        `${next.day} is announced in ${formatDuration(waitMs)}; ${days} take ${formatDuration(leftMs)}. Stop at any time: the same command goes on`,
      );
      await sleep(waitMs, undefined, { signal });
    }
  } finally {
    await caller.close();
  }
}

/** Throws if the days of an export are not all written, or not those of the target. */
function requireComplete(manifest: Manifest, { place, target }: ReadyRequest): void {
  const { complete, pending, limit, dayZone } = manifest;
  if (!complete || pending !== undefined || limit?.partial === true) {
    const reason =
      limit?.partial === true ? "holds only the first rows of its inputs" : "is not complete";
    throw new SwitchyardError(
      "ready_incomplete",
      `The export in ${place.directory} ${reason}, so no day of it is complete: run it to its end first.`,
    );
  }
  const { zone } = target.days ?? {};
  if (zone !== undefined && zone !== dayZone) {
    throw new SwitchyardError(
      "ready_day_zone",
      `The days of the export in ${place.directory} are those of ${dayZone}, and ${target.title} counts days of ${zone}: export with ${option("repair")} or ${option("dayZone")} ${zone}.`,
    );
  }
}

/** Throws `reload_too_large` if the target would load more events again than is allowed. */
function requireWithinLimit(
  { announce, reloadRows }: ReadyPlan,
  { target, maxReload }: ReadyRequest,
): void {
  if (maxReload === undefined || reloadRows <= maxReload) return;
  const days = announce.filter(({ isReload }) => isReload);
  throw new SwitchyardError(
    "reload_too_large",
    `${target.title} would load ${formatNumberOf(reloadRows, "event")} of ${formatNumberOf(days.length, "day")} again, ${days[0]?.day} to ${days.at(-1)?.day}, and ` +
      `${option("maxReload")} allows ${maxReload}: nothing was announced. Pass a larger number to accept that.`,
  );
}

/** Writes the file that lists all finished days, and returns its path. */
async function writeMarker(
  output: Output,
  { place, marker }: ReadyRequest,
  days: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  if (marker === undefined) throw new Error("the target has no marker");
  return inTemporaryDirectory("switchyard-ready", async (scratch) => {
    const file = join(scratch, "days.parquet");
    const table = await TableFile.create(file, "parquet", [`${marker.column}=event`]);
    table.write(days.toSorted().map((event) => ({ event })));
    table.finish();
    const path = `${marker.directory}/days.parquet`;
    await output.put(path, await readFile(file), { signal });
    return pathInOutput(place.directory, path);
  });
}
