import type { FetchClock } from "./fetch-clock.js";
import type { Send, VendorAnswer, VendorRequest } from "./http.js";
import type { RequestsPerTime } from "./request-limit.js";
import type { LocalFile } from "./window-files.js";
import type { Window } from "./windows.js";

/** How an answer is to be taken. */
export type Verdict =
  /** The answer has what was asked for. */
  | { readonly kind: "answer" }
  /** The vendor has nothing there, such as no events in a window. */
  | { readonly kind: "nothing" }
  /** The vendor cannot answer for so much at once. */
  | { readonly kind: "too_large" }
  /** It gave up: the window is too large, or it may answer later. */
  | { readonly kind: "timed_out" }
  /** It may answer later. */
  | { readonly kind: "later"; readonly waitMs?: number }
  /** The server does not have this API: it is too old, or another one. */
  | { readonly kind: "absent"; readonly advice: string }
  /** It will not answer, whatever the window is. */
  | { readonly kind: "refused"; readonly isKey: boolean; readonly advice: string };

/** A request, and how its answer is taken. */
export interface Call<Result> {
  readonly request: VendorRequest;
  /** Set if the address is a secret: then messages have nothing of the refusal, which may repeat it. */
  readonly isSecret?: true;
  judge(answer: Pick<VendorAnswer, "status" | "headers">, words: string): Verdict;
  /** Takes an answer. Throws `AnswerError` if another attempt may bring a better one. */
  receive(answer: VendorAnswer): Promise<Result>;
}

/** A file that was read to its end and checked. */
export interface CheckedFile {
  /** The name that it gets. */
  readonly name: string;
  /** Files in an archive; 1 for a plain file. */
  readonly members: number;
  readonly rows: number;
}

/** A file that was downloaded and checked, and has no name yet. */
export type Downloaded = LocalFile & CheckedFile & { readonly job?: string };

/**
 * Reads a file to its end. Throws a `SourceError` if it is not whole, or not of its window. Returns undefined
 * if it has no events.
 */
export type Check = (path: string) => Promise<CheckedFile | undefined>;

/** The tools with which a vendor downloads a window. */
export interface DownloadTools {
  readonly signal: AbortSignal;
  readonly clock: FetchClock;
  /**
   * Makes a call within the vendor's limits, again where it may be answered later. Returns undefined if the
   * vendor has nothing there. Throws `WindowTooLarge`, and `FetchError` if it refuses or never answers.
   */
  ask<Result>(call: Call<Result>): Promise<Result | undefined>;
  /** Repeats steps that throw `AnswerError`, with the pauses and up to the attempts of a call. */
  repeat<Result>(steps: () => Promise<Result>): Promise<Result>;
  /** Writes bytes into a file and checks it; no file is left if it has no events, or is damaged. */
  store(bytes: AsyncIterable<Uint8Array>, check: Check): Promise<Downloaded | undefined>;
  /** Removes a stored file. */
  discard(file: LocalFile): Promise<void>;
  note(text: string): void;
  /** Returns words of the vendor without its keys, for a message. */
  masked(words: string): string;
  /** The job that an earlier download of the same window has remembered, also before a kill. */
  readonly job: string | undefined;
  /** Remembers a job of the vendor that works for this window, or that there is none any more. */
  remember(job: string | undefined): Promise<void>;
}

/** A vendor whose API exports the events of a window of time. */
export interface Vendor {
  /** As in file names and the ledger. */
  readonly name: string;
  readonly title: string;
  /** Identifies the account in the ledger; not a key. */
  readonly account: string;
  /** Its keys, and what is sent of several together: no message has them in any form. */
  readonly secrets: readonly string[];
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
  /** The least requests of a window that has events. */
  readonly windowRequests: number;
  /** Set if the vendor bills the rows that it exports. */
  readonly billsRows?: true;
  /** Windows at a time, with one request each. */
  readonly concurrency: number;
  /**
   * Identifies a row, given as a line of JSON, where finished windows may get further ones. Absent: they do
   * not, apart from windows that had no events.
   */
  readonly keyOf?: (line: string) => string;
  /** Advice for a window of one unit that is too large. */
  readonly tooLargeAdvice: string;
  /**
   * An API with the same events for servers that do not have this one. Its account is another one, because its
   * windows may count another time.
   */
  readonly older?: Vendor;
  /** Returns the time up to which windows are complete at a time. Both in ms since 1970. */
  completeUntil(now: number): number;
  /** The window in words. */
  describe(window: Window): string;
  /** Downloads the events of a window; returns undefined if there are none. */
  download(window: Window, tools: DownloadTools): Promise<Downloaded | undefined>;
}

export interface FetchTools {
  readonly send: Send;
  readonly clock: FetchClock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}
