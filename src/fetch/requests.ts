import { backOffMs } from "../base/back-off.js";
import { codeOrMessage, SourceError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { withoutSecrets } from "../base/without-secrets.js";
import { AnswerError } from "./answer-error.js";
import { ApiAbsent, FetchError, WindowTooLarge } from "./fetch-error.js";
import type { FetchObserver } from "./fetch-observer.js";
import { type VendorAnswer, wordsOf } from "./http.js";
import { RequestLimit } from "./request-limit.js";
import type { Call, Check, Downloaded, DownloadTools, FetchTools, Vendor } from "./vendor.js";
import type { LocalFile, WindowFiles } from "./window-files.js";
import type { Window } from "./windows.js";

/** Attempts for one call, the pauses between which grow to five minutes: about half an hour in all. */
const ATTEMPTS_MAX = 12;
/** Errors of requests that are made while a file is written. */
const judged = [AnswerError, FetchError, WindowTooLarge];

const pauses = { firstMs: 2_000, maxMs: 300_000 };

/** Longest pause that a vendor can ask for. */
const WAIT_MAX_MS = 3_600_000;

interface RequestsOptions {
  readonly vendor: Vendor;
  readonly files: WindowFiles;
  readonly observer: FetchObserver;
}

/** The requests of a run to a vendor, of all windows together. */
export class Requests {
  /** Requests that were made. */
  count = 0;

  readonly limit: RequestLimit;

  /** Masks the keys in words of the vendor. */
  readonly mask: (words: string) => string;

  /** `times`: of the requests of earlier processes, in ms since 1970. */
  constructor(
    readonly options: RequestsOptions,
    readonly tools: FetchTools,
    times: readonly number[],
  ) {
    const { vendor, files } = options;
    this.mask = withoutSecrets(vendor.secrets);
    const remember = (all: readonly number[]) => files.rememberRequests(all);
    this.limit = new RequestLimit(vendor.limits, tools.clock, { times, remember });
  }

  /** Downloads a window, and lets no incomplete answer pass. Throws as `ask` of the tools does. */
  download(
    window: Window,
    job: string | undefined,
    signal: AbortSignal,
  ): Promise<Downloaded | undefined> {
    return this.options.vendor.download(window, new WindowTools(this, window, job, signal));
  }
}

/** The tools for one window. */
class WindowTools implements DownloadTools {
  constructor(
    private readonly requests: Requests,
    private readonly window: Window,
    public job: string | undefined,
    readonly signal: AbortSignal,
  ) {}

  get clock() {
    return this.requests.tools.clock;
  }

  async repeat<Result>(steps: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await steps();
      } catch (error) {
        this.signal.throwIfAborted();
        if (!(error instanceof AnswerError)) throw error;
        if (attempt === ATTEMPTS_MAX) throw this.#givenUp(error);
        const { random } = this.requests.tools;
        const { waitMs = backOffMs(attempt, pauses, () => 0.5 + random() / 2) } = error;
        this.note(`${error.message}; again in ${Math.ceil(waitMs / 1_000)} s`);
        await this.clock.sleep(Math.min(waitMs, WAIT_MAX_MS), this.signal);
      }
    }
  }

  ask<Result>(call: Call<Result>): Promise<Result | undefined> {
    return this.repeat(() => this.#attempt(call));
  }

  async #attempt<Result>({
    request,
    judge,
    receive,
    isSecret,
  }: Call<Result>): Promise<Result | undefined> {
    const { limit, tools, mask } = this.requests;
    await limit.take(this.signal);
    this.requests.count += 1;
    let answer: VendorAnswer;
    let words = "";
    try {
      answer = await tools.send(request, this.signal);
      if (answer.status >= 300 && isSecret !== true) words = await wordsOf(answer, mask);
    } catch (cause) {
      throw new AnswerError(`no answer (${codeOrMessage(cause)})`, { cause });
    }
    const said = `${answer.status}${words && `: ${words}`}`;
    const verdict = judge(answer, words);
    switch (verdict.kind) {
      case "answer":
        return receive(answer);
      case "nothing":
        return undefined;
      case "too_large":
        throw new WindowTooLarge();
      case "timed_out":
        if (this.#isLong) throw new WindowTooLarge();
        throw new AnswerError(said);
      case "later":
        throw new AnswerError(said, verdict);
    }
    const { advice } = verdict;
    const facts = {
      what: this.#what,
      why: `${this.requests.options.vendor.title} answers ${said}`,
      advice,
    };
    if (verdict.kind === "absent") throw new ApiAbsent("vendor_refused", facts);
    throw new FetchError(verdict.isKey ? "vendor_key_refused" : "vendor_refused", facts);
  }

  async store(bytes: AsyncIterable<Uint8Array>, check: Check): Promise<Downloaded | undefined> {
    const { files } = this.requests.options;
    const body = new Body(bytes);
    let file: LocalFile;
    try {
      file = await files.write(body);
    } catch (error) {
      if (error !== body.error || judged.some((kind) => error instanceof kind)) throw error;
      throw new AnswerError(`the answer was cut off (${codeOrMessage(error)})`, { cause: error });
    }
    try {
      const checked = await check(file.path);
      if (checked !== undefined)
        return { ...file, ...checked, ...omitUndefined({ job: this.job }) };
    } catch (error) {
      await files.discard(file);
      if (!(error instanceof SourceError)) throw error;
      const why = `the answer is damaged (${error.reason})`;
      throw new AnswerError(why, { cause: error, isDamaged: true });
    }
    await files.discard(file);
    return undefined;
  }

  discard(file: LocalFile): Promise<void> {
    return this.requests.options.files.discard(file);
  }

  note(text: string): void {
    this.requests.options.observer.note?.(`${this.#what}: ${text}`);
  }

  masked(words: string): string {
    return this.requests.mask(words);
  }

  async remember(job: string | undefined): Promise<void> {
    const fetched = this.clock.now();
    await this.requests.options.files.record({
      ...this.window,
      files: [],
      ...omitUndefined({ job }),
      fetched,
      isPending: true,
    });
    this.job = job;
  }

  get #what(): string {
    return this.requests.options.vendor.describe(this.window);
  }

  get #isLong(): boolean {
    return this.window.end - this.window.start > this.requests.options.vendor.unitMs;
  }

  #givenUp({ message, isDamaged, cause }: AnswerError): FetchError {
    return new FetchError(
      isDamaged ? "vendor_answer_damaged" : "vendor_unavailable",
      {
        what: this.#what,
        why: `${ATTEMPTS_MAX} attempts failed, the last one with: ${message}`,
        advice: "What was fetched is kept. Run the same command again later: it fetches the rest",
      },
      { cause },
    );
  }
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
