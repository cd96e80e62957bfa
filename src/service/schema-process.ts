import { MIB } from "../base/limits.js";
import { type Remote, startProcess } from "../base/thread-call.js";
import type { SchemaFault, SchemaQuestion } from "./schema-checker.js";

type SchemaCheck =
  | { readonly kind: "checked"; readonly faults: readonly SchemaFault[] }
  | { readonly kind: "too_long" };

/** The calls that the process serves. */
export interface SchemaCheckerProcess {
  /** Answers once the process has started. */
  start(): void;
  check(question: SchemaQuestion, timeoutMs: number): SchemaCheck;
}

/** The result of a check. `too_large`: it killed its process; `failed`: the process did not start. */
export type CheckOutcome =
  | SchemaCheck
  | { readonly kind: "too_large" }
  | { readonly kind: "failed"; readonly cause: unknown };

interface SchemaProcessOptions {
  /** Compiled entry file. */
  readonly entry: URL;
  /** Milliseconds that one check may take once the process has started. */
  readonly checkTimeoutMs: number;
  /** MiB of JavaScript heap. */
  readonly heapMib: number;
}

/** The process stops a check at its timeout; if that fails, it is killed after this many timeouts. */
const KILL_FACTOR = 2;

/** A process that checks schemas, one at a time. Does not keep this process alive while it is idle. */
export class SchemaProcess {
  readonly #checkTimeoutMs: number;
  readonly #remote: Remote<SchemaCheckerProcess>;
  #started: Promise<void> | undefined;
  #isStuck = false;

  constructor({ entry, checkTimeoutMs, heapMib }: SchemaProcessOptions) {
    this.#checkTimeoutMs = checkTimeoutMs;
    this.#remote = startProcess(entry, { heapBytes: heapMib * MIB });
  }

  get isUsable(): boolean {
    return !this.#isStuck && this.#remote.death === undefined;
  }

  /** Never rejects. The time that the process takes to start is not counted. */
  async check(question: SchemaQuestion): Promise<CheckOutcome> {
    this.#started ??= this.#remote.call("start");
    try {
      await this.#started;
    } catch (cause) {
      return { kind: "failed", cause };
    }
    return this.#checkInTime(question);
  }

  /** Resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.#remote.terminate();
  }

  #checkInTime(question: SchemaQuestion): Promise<CheckOutcome> {
    return new Promise((resolve) => {
      let isAnswered = false;
      const answer = (outcome: CheckOutcome) => {
        isAnswered = true;
        clearTimeout(timer);
        resolve(outcome);
      };
      const timer = setTimeout(() => {
        // If this process was busy, the answer may have arrived unread; messages are read first.
        setImmediate(() => {
          if (isAnswered) return;
          this.#isStuck = true;
          answer({ kind: "too_long" });
        });
      }, KILL_FACTOR * this.#checkTimeoutMs);
      this.#remote
        .call("check", question, this.#checkTimeoutMs)
        .then(answer, () => answer({ kind: "too_large" }));
    });
  }
}
