import { setTimeout as sleep } from "node:timers/promises";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { PLAN_PATH } from "../output/layout.js";
import { withFiles, withLockedFiles } from "../output/open-files.js";
import type { OutputFiles } from "../output/output-files.js";
import type { OutputPlace } from "../output/output-place.js";
import type { FetchObserver } from "./fetch-observer.js";
import {
  type AskedEvents,
  type FetchedSpan,
  fetchSpan,
  spanOf,
  vendorInUse,
} from "./fetch-span.js";
import { send } from "./send.js";
import type { FetchTools, Vendor } from "./vendor.js";
import { WindowFiles } from "./window-files.js";
import { missingWindows, type Window } from "./windows.js";

/** Events of a vendor, and the place for their files. */
export interface ExportRequest extends AskedEvents {
  readonly place: OutputPlace;
}

interface ExportContext {
  readonly signal: AbortSignal;
  readonly observer: FetchObserver;
}

const noFile = () => false;

/** Fetches the events of a vendor, and throws as `runFetch` does. */
export async function fetchExport(
  { place, ...asked }: ExportRequest,
  { signal, observer }: ExportContext,
): Promise<FetchedSpan> {
  const clock = {
    now: Date.now,
    sleep: async (ms: number, stop: AbortSignal) => {
      await sleep(ms, undefined, { signal: stop }).catch(() => stop.throwIfAborted());
    },
  };
  return withLockedFiles({ ...place, signal }, noFile, async (files, lock) => {
    await refuseExport(files);
    const stop = AbortSignal.any([signal, lock.lost]);
    const tools: FetchTools = { send, clock, random: Math.random, signal: stop };
    const filesOf = (account: string) => new WindowFiles(files, account);
    try {
      return await fetchSpan({ ...asked, filesOf, observer }, tools);
    } catch (error) {
      throw signal.aborted ? interrupted(error) : error;
    }
  });
}

/** What `fetchExport` would do. */
export interface ExportPlan {
  /** By the API that is in use. */
  readonly vendor: Vendor;
  readonly span: Window;
  /** Windows that would be asked for first. */
  readonly missing: readonly Window[];
  /** Windows that are there. */
  readonly present: number;
}

/** Returns what `fetchExport` would do, and asks the vendor for nothing. */
export async function planExport(
  { place, ...asked }: ExportRequest,
  signal: AbortSignal,
): Promise<ExportPlan> {
  return withFiles({ ...place, signal }, noFile, async (files) => {
    await refuseExport(files);
    const filesOf = (account: string) => new WindowFiles(files, account);
    const vendor = await vendorInUse(asked.vendor, filesOf);
    const span = spanOf({ ...asked, vendor }, Date.now());
    const all = await filesOf(vendor.account).records();
    const records = all.filter(({ isPending }) => isPending !== true);
    const missing = missingWindows(span, records, vendor.longestMs);
    const present = records.filter(({ start, end }) => start < span.end && end > span.start);
    return { vendor, span, missing, present: present.length };
  });
}

function interrupted(cause: unknown): SwitchyardError {
  const text = "interrupted; what was fetched is kept, and the same command fetches the rest";
  return new SwitchyardError("interrupted", text, { cause, exitCode: exitCodes.interrupted });
}

/** The files of an export that Switchyard has made must not lie among those that it will read. */
async function refuseExport(files: OutputFiles): Promise<void> {
  const plans = await files.list("_switchyard/");
  if (!plans.some(({ path }) => path === PLAN_PATH)) return;
  throw new SwitchyardError(
    "output_occupied",
    `${files.address} holds an export that Switchyard has made: fetch into another directory`,
  );
}
