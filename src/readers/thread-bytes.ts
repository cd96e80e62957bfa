import { Worker } from "node:worker_threads";
import { SourceError } from "../base/errors.js";
import { builtFile } from "../base/package-files.js";
import type { ByteSource } from "./byte-source.js";
import type { DecodeTask, FromDecoder } from "./decode-messages.js";
import type { ReaderOptions } from "./reader.js";
import type { SourceBytes } from "./source.js";

const entry = builtFile("decode-thread.js");

type Chunk = Extract<FromDecoder, { kind: "chunk" }>;

/**
 * A source decoded by a thread of its own, a few chunks ahead of the reader. Gives the same bytes and
 * errors as decoding on the reader's thread.
 */
export class ThreadBytes implements ByteSource {
  readonly #worker: Worker;
  readonly #signal: AbortSignal;
  readonly #chunks: Chunk[] = [];
  /** Bytes of the first chunk that the reader has. */
  #taken = 0;
  #consumed = 0;
  /** The thread has said its last word: what broke the source, or nothing. */
  #ended = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(
    source: SourceBytes,
    { ratioMax, signal }: Pick<ReaderOptions, "ratioMax" | "signal">,
  ) {
    const workerData: DecodeTask = { source, ratioMax };
    this.#signal = signal;
    this.#worker = new Worker(entry, { workerData });
    this.#worker.on("message", (message: FromDecoder) => this.#take(message));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () =>
      this.#end(new Error(`the thread that decodes ${source.name} died`)),
    );
  }

  get consumed(): number {
    return this.#consumed;
  }

  async read(target: Uint8Array): Promise<number> {
    this.#signal.throwIfAborted();
    for (;;) {
      const [chunk] = this.#chunks;
      if (chunk !== undefined) return this.#copy(chunk, target);
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#ended) return 0;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#signal.throwIfAborted();
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #copy(chunk: Chunk, target: Uint8Array): number {
    const count = Math.min(target.length, chunk.length - this.#taken);
    target.set(new Uint8Array(chunk.buffer, this.#taken, count));
    this.#taken += count;
    if (this.#taken === chunk.length) {
      this.#taken = 0;
      this.#consumed = chunk.consumed;
      this.#chunks.shift();
      this.#worker.postMessage(chunk.buffer, [chunk.buffer]);
    }
    return count;
  }

  #take(message: FromDecoder): void {
    switch (message.kind) {
      case "chunk":
        this.#chunks.push(message);
        break;
      case "end":
        this.#consumed = message.consumed;
        this.#end();
        break;
      case "broken": {
        const { code, place, reason } = message.error;
        this.#end(new SourceError(code, place, reason));
        break;
      }
    }
    this.#wakeUp();
  }

  #end(failure?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#wakeUp();
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
