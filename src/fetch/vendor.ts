import type { FetchClock } from "./fetch-clock.js";
import type { Send, VendorAnswer, VendorRequest } from "./http.js";
import type { RequestsPerTime } from "./request-limit.js";
import type { Window } from "./windows.js";

/** How an answer without the events of a window is to be taken. */
export type Verdict =
  /** The body has the events. */
  | { readonly kind: "events" }
  /** The vendor has no events in the window. */
  | { readonly kind: "empty" }
  /** The vendor cannot answer for so much at once. */
  | { readonly kind: "too_large" }
  /** It gave up: the window is too large, or it may answer later. */
  | { readonly kind: "timed_out" }
  /** It may answer later. */
  | { readonly kind: "later"; readonly waitMs?: number }
  /** It will not answer, whatever the window is. */
  | { readonly kind: "refused"; readonly isKey: boolean; readonly advice: string };

/** A file that was downloaded and checked. */
export interface CheckedFile {
  /** The name that it gets. */
  readonly name: string;
  /** Files in an archive; 1 for a plain file. */
  readonly members: number;
  readonly rows: number;
}

/** A vendor whose API answers a request for a window with one body. */
export interface Vendor {
  /** As in file names and the ledger. */
  readonly name: string;
  readonly title: string;
  /** Identifies the account in the ledger; not a key. */
  readonly account: string;
  /** The shortest window. */
  readonly unitMs: number;
  /** Length of the first windows. */
  readonly firstMs: number;
  /** The longest window; none crosses a multiple of it. */
  readonly longestMs: number;
  /** Bytes that an answer should have: windows are as long as that. Absent: all are alike. */
  readonly answerBytes?: number;
  /** The most requests in a time, of all processes. */
  readonly limits: readonly RequestsPerTime[];
  /** Requests at a time. */
  readonly concurrency: number;
  /** Advice for a window of one unit that is too large. */
  readonly tooLargeAdvice: string;
  /** Returns the time up to which windows are complete at a time. Both in ms since 1970. */
  completeUntil(now: number): number;
  /** The window in words. */
  describe(window: Window): string;
  request(window: Window): VendorRequest;
  judge(window: Window, answer: Pick<VendorAnswer, "status" | "headers">, words: string): Verdict;
  /**
   * Reads a downloaded file to its end. Throws a `SourceError` if it is not whole, or not of the window.
   * Returns undefined if it has no events.
   */
  check(path: string, window: Window, signal: AbortSignal): Promise<CheckedFile | undefined>;
}

export interface FetchTools {
  readonly send: Send;
  readonly clock: FetchClock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}
