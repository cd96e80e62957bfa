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
import {
  growingWindows,
  leastMsOf,
  recordsIn,
  unitsOf,
  windowsToFetch,
  windowsToRecheck,
} from "./plan-windows.js";
import { send } from "./send.js";
import type { FetchTools, Vendor } from "./vendor.js";
import { WindowFiles } from "./window-files.js";
import type { Window } from "./windows.js";

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

/** Work of a vendor, without attempts that fail. */
interface ExportEffort {
  readonly windows: number;
  /** Requests for windows that have events. */
  readonly requests: number;
  /** The time that the vendor's limits need for them. */
  readonly ms: number;
}

/** The plan of a fetch, for which nothing is asked. */
export interface ExportPlan {
  /** By the API that is in use. */
  readonly vendor: Vendor;
  readonly span: Window;
  /** Windows that are not there, as they are asked for if all answers are small. */
  readonly missing: readonly Window[];
  /** Windows that are there. */
  readonly present: number;
  /** Windows that are there and would be asked for again. */
  readonly again: readonly Window[];
  readonly least: ExportEffort;
  /** If each answer has the shortest window. */
  readonly most: ExportEffort;
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
    const ledger = await filesOf(vendor.account).records();
    const records = ledger.filter(({ isPending }) => isPending !== true);
    const { recheckMs } = asked;
    const recheckFrom = recheckMs === undefined ? {} : { recheckFrom: span.end - recheckMs };
    const task = { vendor, span, ...recheckFrom };
    const missing = growingWindows(windowsToFetch(task, records, []), vendor);
    const again = windowsToRecheck(task, records);
    const effortOf = (windows: number): ExportEffort => {
      const requests = windows * vendor.windowRequests;
      return { windows, requests, ms: leastMsOf(requests, vendor.limits) };
    };
    const all = [...missing, ...again];
    const least = effortOf(all.length);
    const most = effortOf(unitsOf(all, vendor.unitMs));
    return { vendor, span, missing, present: recordsIn(records, span).length, again, least, most };
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
