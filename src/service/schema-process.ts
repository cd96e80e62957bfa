import { type ChildProcess, fork } from "node:child_process";
import type { SchemaFault, SchemaQuestion } from "./schema-checker.js";

/** What a process is asked. */
export interface ToSchemaProcess {
  readonly question: SchemaQuestion;
  readonly checkTimeoutMs: number;
}

/** What it sends: that it can begin, then one answer to each question. */
export type FromSchemaProcess =
  | { readonly kind: "ready" }
  | { readonly kind: "checked"; readonly faults: readonly SchemaFault[] }
  | { readonly kind: "too_long" };

/** How a check ended. `too_large`: its process died of it; `failed`: it never began. */
export type CheckOutcome =
  | Exclude<FromSchemaProcess, { readonly kind: "ready" }>
  | { readonly kind: "too_large" }
  | { readonly kind: "failed"; readonly cause: unknown };

export interface SchemaProcessOptions {
  /** Compiled entry file. */
  readonly entry: URL;
  /** Milliseconds that one check may take, once the process is ready. */
  readonly checkTimeoutMs: number;
  /** MiB of JavaScript heap. */
  readonly heapMib: number;
}

/** Times its timeout that a check may take before its process is killed, which has not ended it. */
const KILL_FACTOR = 2;

interface Pending {
  readonly question: SchemaQuestion;
  settle(outcome: CheckOutcome): void;
}

/** One process that checks schemas: one at a time. Does not keep this process alive while it is idle. */
export class SchemaProcess {
  readonly #checkTimeoutMs: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #isReady = false;
  #isGone = false;
  #pending: Pending | undefined;
  #killTimer: NodeJS.Timeout | undefined;

  constructor({ entry, checkTimeoutMs, heapMib }: SchemaProcessOptions) {
    this.#checkTimeoutMs = checkTimeoutMs;
    this.#child = fork(entry, {
      execArgv: [`--max-old-space-size=${heapMib}`],
      env: {},
      // A process that runs out of memory prints its stack: of no use to anybody here.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child.on("message", (message: FromSchemaProcess) => this.#receive(message));
    this.#exited = new Promise((resolve) => {
      const die = (cause: unknown) => {
        this.#die(this.#isReady ? { kind: "too_large" } : { kind: "failed", cause });
        resolve();
      };
      this.#child.once("error", die);
      this.#child.once("exit", (code, signal) =>
        die(new Error(`the process that checks schemas ended with ${signal ?? code}`)),
      );
    });
  }

  /** Whether it can be asked again. */
  get isUsable(): boolean {
    return !this.#isGone;
  }

  /** Never rejects. The time that the process takes to start is not counted. */
  check(question: SchemaQuestion): Promise<CheckOutcome> {
    this.#child.ref();
    this.#child.channel?.ref();
    return new Promise((settle) => {
      this.#pending = { question, settle };
      if (this.#isReady) this.#ask(question);
    });
  }

  /** Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#isGone = true;
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  #ask(question: SchemaQuestion): void {
    const message: ToSchemaProcess = { question, checkTimeoutMs: this.#checkTimeoutMs };
    // A failure to send is told by the exit as well.
    this.#child.send(message, () => {});
    this.#killTimer = setTimeout(() => {
      // The answer may be here already, unread as this process was busy: messages are read first.
      setImmediate(() => {
        if (this.#pending?.question === question) this.#die({ kind: "too_long" });
      });
    }, KILL_FACTOR * this.#checkTimeoutMs);
  }

  #receive(message: FromSchemaProcess): void {
    if (message.kind !== "ready") {
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
    clearTimeout(this.#killTimer);
    this.#child.unref();
    this.#child.channel?.unref();
    pending?.settle(outcome);
  }
}
