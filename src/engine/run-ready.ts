import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SwitchyardError } from "../base/errors.js";
import { option } from "../base/option-text.js";
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
import type { Output } from "../output/output.js";
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
export async function runReady(
  request: ReadyRequest,
  { signal, observer }: RunContext,
): Promise<ReadyResult> {
  const { place, target, by, maxReload, isDryRun } = request;
  await settleUnlessRunning({ ...place, signal });
  const output = await openOutput(place);
  const manifest = await readManifestOf(place, signal);
  requireComplete(manifest, request);
  const lock = isDryRun ? undefined : await output.lock(LOCK_PATH).take();
  try {
    const record = new ReadyRecord(output, target.name, by);
    const announced = await record.read(signal);
    const eventsByDay = (await output.get(EVENTS_BY_DAY_NAME, signal))?.toString() ?? "";
    const { announce, ...plan } = planReady(manifest, eventsByDay, announced);
    if (maxReload !== undefined && plan.reloadRows > maxReload) {
      throw new SwitchyardError("reload_too_large", reloadText(plan.reloadRows, announce, request));
    }
    const result = { ...plan, title: target.title, by, isDryRun, days: announce };
    if (isDryRun || announce.length === 0) return result;
    const days: Record<string, AnnouncedDays[string]> = { ...announced };
    const note = (some: readonly PlannedDay[]) => {
      const at = new Date().toISOString();
      for (const { day, rows, digest } of some) days[day] = { rows, digest, at };
      return record.write(days, signal);
    };
    if (by === "call") {
      await announceByCalls(announce, request, { signal, observer, announced, note });
      return result;
    }
    const marker = await writeMarker(
      output,
      request,
      [...Object.keys(days), ...announce.map(({ day }) => day)],
      signal,
    );
    await note(announce);
    return { ...result, marker };
  } finally {
    await lock?.release();
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

function reloadText(
  rows: number,
  announce: readonly PlannedDay[],
  { target, maxReload }: ReadyRequest,
): string {
  const days = announce.filter(({ isReload }) => isReload);
  return (
    `${target.title} would load ${formatNumberOf(rows, "event")} of ${formatNumberOf(days.length, "day")} again, ${days[0]?.day} to ${days.at(-1)?.day}, and ` +
    `${option("maxReload")} allows ${maxReload}: nothing was announced. Pass a larger number to accept that.`
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
  const scratch = await mkdtemp(join(tmpdir(), "switchyard-ready-"));
  try {
    const file = join(scratch, "days.parquet");
    const table = await TableFile.create(file, "parquet", [`${marker.column}=event`]);
    table.write([...new Set(days)].sort().map((event) => ({ event })));
    table.finish();
    const path = `${marker.directory}/days.parquet`;
    await output.put(path, await readFile(file), { signal });
    return pathInOutput(place.directory, path);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface CallContext extends RunContext {
  readonly announced: AnnouncedDays;
  /** Records that days were announced. */
  note(days: readonly PlannedDay[]): Promise<void>;
}

/** Announces days one by one, as far apart as the target wants; each is recorded at once. */
async function announceByCalls(
  announce: readonly PlannedDay[],
  { call }: ReadyRequest,
  { signal, observer, announced, note }: CallContext,
): Promise<void> {
  if (call === undefined) throw new Error("the target takes no calls");
  // Loaded here: most announcements are files.
  const { openReadyCaller } = await import("../webhook/ready-call.js");
  const caller = openReadyCaller(call, signal);
  const apartMs = call.secondsApart * 1_000;
  let nextMs = Math.max(0, ...Object.values(announced).map(({ at }) => Date.parse(at) + apartMs));
  try {
    for (const [index, day] of announce.entries()) {
      const waitMs = nextMs - Date.now();
      if (waitMs > 0) {
        const leftMs = waitMs + (announce.length - 1 - index) * apartMs;
        const days = formatNumberOf(announce.length - index, "day");
        observer.note?.(
          `${day.day} is announced in ${formatDuration(waitMs)}; ${days} take ${formatDuration(leftMs)}. Stop at any time: the same command goes on`,
        );
        await sleep(waitMs, undefined, { signal });
      }
      await caller.announce(day);
      await note([day]);
      nextMs = Date.now() + apartMs;
    }
  } finally {
    await caller.close();
  }
}
