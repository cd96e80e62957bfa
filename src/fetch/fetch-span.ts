import { ApiAbsent } from "./fetch-error.js";
import type { FetchObserver } from "./fetch-observer.js";
import { type FetchResult, runFetch } from "./run-fetch.js";
import type { FetchTools, Vendor } from "./vendor.js";
import type { WindowFiles } from "./window-files.js";
import type { Window } from "./windows.js";

/** The events of a vendor that are asked for. Times in ms since 1970. */
export interface AskedEvents {
  readonly vendor: Vendor;
  readonly from: number;
  /** Exclusive. Absent: up to the newest time that the vendor promises. */
  readonly until?: number;
  /** Windows of this time before the end are asked for again. */
  readonly recheckMs?: number;
}

interface SpanTask extends AskedEvents {
  /** Returns the files and the ledger of an account. */
  filesOf(account: string): WindowFiles;
  readonly observer: FetchObserver;
}

/** A span that was fetched, whole or in part. */
export interface FetchedSpan extends FetchResult {
  readonly span: Window;
}

/** Fetches what the vendor has, by the API that its server has, and throws as `runFetch` does. */
export async function fetchSpan(task: SpanTask, tools: FetchTools): Promise<FetchedSpan> {
  const { vendor, filesOf } = task;
  const used = await vendorInUse(vendor, filesOf);
  try {
    return await fetchFrom(used, task, tools);
  } catch (error) {
    const { older } = used;
    const isNew = async () => (await filesOf(used.account).records()).length === 0;
    if (!(error instanceof ApiAbsent) || older === undefined || !(await isNew())) throw error;
    task.observer.note?.(`${error.message}. ${older.title} is asked instead`);
    return fetchFrom(older, task, tools);
  }
}

/** Returns the API that an output has windows of: windows of two could overlap. */
export async function vendorInUse(vendor: Vendor, filesOf: SpanTask["filesOf"]): Promise<Vendor> {
  const { older } = vendor;
  if (older === undefined) return vendor;
  const records = await filesOf(older.account).records();
  return records.length === 0 ? vendor : older;
}

/** Returns the span that can be fetched at a time; empty if nothing of it is complete. */
export function spanOf({ vendor, from, until }: AskedEvents, now: number): Window {
  const complete = vendor.completeUntil(now);
  return { start: from, end: Math.max(from, Math.min(until ?? complete, complete)) };
}

async function fetchFrom(vendor: Vendor, task: SpanTask, tools: FetchTools): Promise<FetchedSpan> {
  const { filesOf, observer, recheckMs } = task;
  const span = spanOf({ ...task, vendor }, tools.clock.now());
  const recheckFrom = recheckMs === undefined ? {} : { recheckFrom: span.end - recheckMs };
  const files = filesOf(vendor.account);
  const result = await runFetch({ vendor, files, span, ...recheckFrom, observer }, tools);
  return { ...result, span };
}
