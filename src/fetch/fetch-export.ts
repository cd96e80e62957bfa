import { setTimeout as sleep } from "node:timers/promises";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { PLAN_PATH } from "../output/layout.js";
import { withFiles, withLockedFiles } from "../output/open-files.js";
import type { OutputFiles } from "../output/output-files.js";
import type { OutputPlace } from "../output/output-place.js";
import type { FetchObserver } from "./fetch-observer.js";
import { type FetchResult, runFetch } from "./run-fetch.js";
import { send } from "./send.js";
import type { FetchTools, Vendor } from "./vendor.js";
import { WindowFiles } from "./window-files.js";
import { missingWindows, type Window } from "./windows.js";

/** A span of a vendor's events, and the place for its files. */
export interface ExportRequest {
  readonly vendor: Vendor;
  readonly place: OutputPlace;
  readonly span: Window;
  /** Windows that are there are asked for again from this time on, in ms since 1970. */
  readonly recheckFrom?: number;
}

interface ExportContext {
  readonly signal: AbortSignal;
  readonly observer: FetchObserver;
}

const noFile = () => false;

/** Fetches a span of a vendor's events, and throws as `runFetch` does. */
export async function fetchExport(
  { vendor, place, ...asked }: ExportRequest,
  { signal, observer }: ExportContext,
): Promise<FetchResult> {
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
    const own = new WindowFiles(files, vendor.account);
    try {
      return await runFetch({ vendor, files: own, ...asked, observer }, tools);
    } catch (error) {
      throw signal.aborted ? interrupted(error) : error;
    }
  });
}

/** Returns the windows that `fetchExport` would ask for first, and how many are there. */
export async function planExport(
  { vendor, place, span }: ExportRequest,
  signal: AbortSignal,
): Promise<{ readonly missing: readonly Window[]; readonly present: number }> {
  return withFiles({ ...place, signal }, noFile, async (files) => {
    await refuseExport(files);
    const all = await new WindowFiles(files, vendor.account).records();
    const records = all.filter(({ isPending }) => isPending !== true);
    const missing = missingWindows(span, records, vendor.longestMs);
    const present = records.filter(({ start, end }) => start < span.end && end > span.start);
    return { missing, present: present.length };
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
