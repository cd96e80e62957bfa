import { Worker } from "node:worker_threads";
import type { SchemaFault, SchemaQuestion } from "./schema-checker.js";

/** What a thread sends: that it can begin, then one message for each question. */
export type FromSchemaThread =
  | { readonly kind: "ready" }
  | { readonly kind: "checked"; readonly faults: readonly SchemaFault[] };

/**
 * How a check ended. After `checked` the thread takes the next question; after anything else it is of
 * no use and has to be ended.
 */
export type CheckOutcome =
  | { readonly kind: "checked"; readonly faults: readonly SchemaFault[] }
  | { readonly kind: "too_long" }
  | { readonly kind: "too_large" }
  | { readonly kind: "failed"; readonly error: Error };

export interface SchemaThreadOptions {
  /** Compiled entry file. */
  readonly entry: URL;
  /** Milliseconds that one check may take, once the thread is ready. */
  readonly checkTimeoutMs: number;
  /** MiB of JavaScript heap. */
  readonly heapMib: number;
}

/** One thread that checks schemas: one question at a time. Does not keep the process alive while idle. */
export class SchemaThread {
  readonly #worker: Worker;
  readonly #checkTimeoutMs: number;
  #isReady = false;
  #isGone = false;
  #timer: NodeJS.Timeout | undefined;
  #pending: { question: SchemaQuestion; settle(outcome: CheckOutcome): void } | undefined;

  constructor({ entry, checkTimeoutMs, heapMib }: SchemaThreadOptions) {
    this.#checkTimeoutMs = checkTimeoutMs;
    this.#worker = new Worker(entry, {
      name: "schema-checker",
      resourceLimits: { maxOldGenerationSizeMb: heapMib },
      execArgv: [],
      env: {},
    });
    this.#worker.on("message", (message: FromSchemaThread) => this.#receive(message));
    this.#worker.on("error", (error) => this.#die(outcomeOf(error)));
    this.#worker.on("exit", (code) =>
      this.#die({ kind: "failed", error: new Error(`the thread ended with code ${code}`) }),
    );
  }

  /** Whether it can be asked again. */
  get isUsable(): boolean {
    return !this.#isGone;
  }

  /** Never rejects. The time that the thread takes to start is not counted. */
  check(question: SchemaQuestion): Promise<CheckOutcome> {
    this.#worker.ref();
    return new Promise((resolve) => {
      this.#pending = { question, settle: resolve };
      if (this.#isReady) this.#ask(question);
    });
  }

  /** Resolves when the thread is gone; a check that was under way has failed. */
  async end(): Promise<void> {
    this.#isGone = true;
    await this.#worker.terminate();
  }

  #ask(question: SchemaQuestion): void {
    this.#worker.postMessage(question);
    this.#timer = setTimeout(() => {
      // The answer may be here already, unread as this side was busy: messages are read first.
      setImmediate(() => {
        if (this.#pending?.question === question) this.#die({ kind: "too_long" });
      });
    }, this.#checkTimeoutMs);
  }

  #receive(message: FromSchemaThread): void {
    if (message.kind === "checked") {
      this.#finish(message);
      return;
    }
    this.#isReady = true;
    if (this.#pending !== undefined) this.#ask(this.#pending.question);
  }

  #die(outcome: CheckOutcome): void {
    this.#isGone = true;
    this.#finish(outcome);
  }

  #finish(outcome: CheckOutcome): void {
    const pending = this.#pending;
    this.#pending = undefined;
    clearTimeout(this.#timer);
    this.#worker.unref();
    pending?.settle(outcome);
  }
}

function outcomeOf(error: Error): CheckOutcome {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? { kind: "too_large" } : { kind: "failed", error };
}
