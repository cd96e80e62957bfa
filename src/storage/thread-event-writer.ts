import { Worker } from "node:worker_threads";
import { SwitchyardError } from "../base/errors.js";
import type { EventCommit } from "./event-store.js";
import type { EventWriter } from "./event-writer.js";
import type { EventWriterSetup, FromEventWriter, ToEventWriter } from "./event-writer-messages.js";
import type { PackedIntake } from "./packed-events.js";

/**
 * Writes events in a thread of its own. A thread that dies is replaced at the next write: what it was
 * writing counts as failed, as nobody knows whether it was stored.
 */
export class ThreadEventWriter implements EventWriter {
  readonly #entry: URL;
  readonly #setup: EventWriterSetup;
  #thread: WriterThread | undefined;

  /** `entry` is the compiled `event-writer-thread`. */
  constructor(entry: URL, setup: EventWriterSetup) {
    this.#entry = entry;
    this.#setup = setup;
  }

  /** Resolves once the database is open and up to date; throws what kept it from that. */
  async start(): Promise<void> {
    await this.#running();
  }

  async write(batch: readonly PackedIntake[]): Promise<EventCommit> {
    const thread = await this.#running();
    const answer = await thread.ask({ kind: "write", batch });
    switch (answer.kind) {
      case "stored":
        return answer.commit;
      case "failed":
        throw new SwitchyardError(answer.failure.code, answer.failure.message);
      case "ready":
        throw new Error("the writer's thread was ready twice");
    }
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  async #running(): Promise<WriterThread> {
    if (this.#thread?.isAlive === true) return this.#thread;
    const thread = new WriterThread(this.#entry, this.#setup);
    const answer = await thread.answer();
    if (answer.kind === "failed") {
      await thread.close();
      throw new SwitchyardError(answer.failure.code, answer.failure.message);
    }
    this.#thread = thread;
    return thread;
  }
}

/** One thread: one question at a time, one answer or a death. */
class WriterThread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #waiting: { resolve(message: FromEventWriter): void; reject(error: Error): void } | undefined;
  #death: Error | undefined;

  constructor(entry: URL, workerData: EventWriterSetup) {
    this.#worker = new Worker(entry, { workerData });
    this.#worker.on("message", (message: FromEventWriter) => {
      this.#waiting?.resolve(message);
      this.#waiting = undefined;
    });
    this.#worker.on("error", (error) => this.#die(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", (code) => {
        this.#die(new Error(`its thread ended with code ${code}`));
        resolve();
      });
    });
  }

  get isAlive(): boolean {
    return this.#death === undefined;
  }

  ask(message: ToEventWriter): Promise<FromEventWriter> {
    this.#worker.postMessage(message);
    return this.answer();
  }

  /** The next message. Rejects when the thread dies instead. */
  answer(): Promise<FromEventWriter> {
    return new Promise((resolve, reject) => {
      if (this.#death === undefined) this.#waiting = { resolve, reject };
      else reject(this.#death);
    });
  }

  async close(): Promise<void> {
    this.#worker.postMessage({ kind: "close" } satisfies ToEventWriter);
    await this.#exited;
  }

  #die(cause: Error): void {
    if (this.#death !== undefined) return;
    this.#death = new Error(`the thread that writes them died (${cause.message})`, { cause });
    this.#waiting?.reject(this.#death);
    this.#waiting = undefined;
  }
}
