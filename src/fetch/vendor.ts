import type { Send, VendorAnswer, VendorRequest } from "./http.js";
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
  /** The longest window that is asked for at first. */
  readonly longestMs: number;
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

/** The time of a fetch; tests replace it. */
export interface FetchClock {
  /** ms since 1970. */
  now(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface FetchTools {
  readonly send: Send;
  readonly clock: FetchClock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}
