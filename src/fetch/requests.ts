import { backOffMs } from "../base/back-off.js";
import { SourceError } from "../base/errors.js";
import { FetchError } from "./fetch-error.js";
import type { FetchObserver } from "./fetch-observer.js";
import { type VendorAnswer, wordsOf } from "./http.js";
import { RequestLimit } from "./request-limit.js";
import type { CheckedFile, FetchTools, Vendor, Verdict } from "./vendor.js";
import type { LocalFile, WindowFiles } from "./window-files.js";
import type { Window } from "./windows.js";

/** Attempts for one window, the pauses between which grow to five minutes: about half an hour in all. */
const ATTEMPTS_MAX = 12;
const pauses = { firstMs: 2_000, maxMs: 300_000 };

/** Longest pause that a vendor can ask for. */
const WAIT_MAX_MS = 3_600_000;

/** A window of which the vendor has events. */
interface Downloaded {
  readonly incomplete: LocalFile;
  readonly checked: CheckedFile;
}

interface RequestsOptions {
  readonly vendor: Vendor;
  readonly files: WindowFiles;
  readonly observer: FetchObserver;
}

/** Asks a vendor for windows, again where it may answer later, and lets no incomplete answer pass. */
export class Requests {
  /** Requests that were made. */
  count = 0;

  readonly #limit: RequestLimit;

  /** `times`: of the requests of earlier processes, in ms since 1970. */
  constructor(
    private readonly options: RequestsOptions,
    private readonly tools: FetchTools,
    times: readonly number[],
  ) {
    const { vendor, files } = options;
    const remember = (all: readonly number[]) => files.rememberRequests(all);
    this.#limit = new RequestLimit(vendor.limits, tools.clock, { times, remember });
  }

  /** Throws `FetchError` if the vendor refuses, and after too many attempts. */
  async download(window: Window, signal: AbortSignal): Promise<Downloaded | "empty" | "too_large"> {
    const { clock, random } = this.tools;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#ask(window, signal);
      if (typeof outcome === "string" || "checked" in outcome) return outcome;
      if (attempt === ATTEMPTS_MAX) throw this.#givenUp(window, outcome);
      const { waitMs = backOffMs(attempt, pauses, () => 0.5 + random() / 2) } = outcome;
      this.options.observer.note?.(
        `${this.options.vendor.describe(window)}: ${outcome.why}; again in ${Math.ceil(waitMs / 1_000)} s`,
      );
      await clock.sleep(Math.min(waitMs, WAIT_MAX_MS), signal);
    }
  }

  /** Makes one attempt. */
  async #ask(
    window: Window,
    signal: AbortSignal,
  ): Promise<Downloaded | "empty" | "too_large" | Failure> {
    await this.#limit.take(signal);
    this.count += 1;
    let answer: VendorAnswer;
    let words = "";
    try {
      answer = await this.tools.send(this.options.vendor.request(window), signal);
      if (answer.status !== 200) words = await wordsOf(answer);
    } catch (error) {
      signal.throwIfAborted();
      return { why: `no answer (${reasonOf(error)})`, error };
    }
    const verdict = this.options.vendor.judge(window, answer, words);
    switch (verdict.kind) {
      case "events":
        return this.#receive(window, answer, signal);
      case "empty":
      case "too_large":
        return verdict.kind;
      case "timed_out":
        if (window.end - window.start > this.options.vendor.unitMs) return "too_large";
        return { why: `${answer.status}${words && `: ${words}`}` };
      case "later":
        return { why: `${answer.status}${words && `: ${words}`}`, ...laterOf(verdict) };
      case "refused":
        throw new FetchError(verdict.isKey ? "vendor_key_refused" : "vendor_refused", {
          what: this.options.vendor.describe(window),
          why: `${this.options.vendor.title} answers ${answer.status}${words && `: ${words}`}`,
          advice: verdict.advice,
        });
    }
  }

  async #receive(
    window: Window,
    answer: VendorAnswer,
    signal: AbortSignal,
  ): Promise<Downloaded | "empty" | Failure> {
    const body = new Body(answer.body);
    let incomplete: LocalFile;
    try {
      incomplete = await this.options.files.write(body);
    } catch (error) {
      signal.throwIfAborted();
      if (error !== body.error) throw error;
      return { why: `the answer was cut off (${reasonOf(error)})`, error };
    }
    try {
      const checked = await this.options.vendor.check(incomplete.path, window, signal);
      if (checked !== undefined) return { incomplete, checked };
      await this.options.files.discard(incomplete);
      return "empty";
    } catch (error) {
      await this.options.files.discard(incomplete);
      if (!(error instanceof SourceError)) throw error;
      return { why: `the answer is damaged (${error.reason})`, error, isDamaged: true };
    }
  }

  #givenUp(window: Window, { why, error, isDamaged = false }: Failure): FetchError {
    return new FetchError(
      isDamaged ? "vendor_answer_damaged" : "vendor_unavailable",
      {
        what: this.options.vendor.describe(window),
        why: `${ATTEMPTS_MAX} attempts failed, the last one with: ${why}`,
        advice: "What was fetched is kept. Run the same command again later: it fetches the rest",
      },
      { cause: error },
    );
  }
}

/** An attempt after which another one may succeed. */
interface Failure {
  readonly why: string;
  readonly waitMs?: number;
  readonly error?: unknown;
  readonly isDamaged?: boolean;
}

function laterOf({ waitMs }: Extract<Verdict, { kind: "later" }>): { readonly waitMs?: number } {
  return waitMs === undefined ? {} : { waitMs };
}

/** A body that remembers its own error, to tell it from that of the file. */
class Body implements AsyncIterable<Uint8Array> {
  error: unknown;

  constructor(private readonly chunks: AsyncIterable<Uint8Array>) {}

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    try {
      yield* this.chunks;
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
