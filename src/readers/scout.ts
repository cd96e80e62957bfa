import { Worker } from "node:worker_threads";
import { MIB, SCOUT_HEAP_BYTES } from "../base/limits.js";
import { builtFile } from "../base/package-files.js";
import type { Discovery } from "./discovery.js";
import type { FromScout, ScoutTask, ToScout } from "./scout-messages.js";

const entry = builtFile("scout-thread.js");

/** A thread that looks at files ahead of the run. */
export class Scout {
  readonly #worker: Worker;
  /** Those who wait for an answer, in the order of their files. */
  readonly #waiting: ((found: Discovery | null) => void)[] = [];
  #isDead = false;

  /** Throws where the system grants no further thread. */
  constructor(workerData: ScoutTask) {
    const resourceLimits = { maxOldGenerationSizeMb: Math.floor(SCOUT_HEAP_BYTES / MIB) };
    this.#worker = new Worker(entry, { workerData, resourceLimits });
    this.#worker.on("message", (found: FromScout) => this.#waiting.shift()?.(found));
    // Whoever looks at the same files again learns more than what it died of.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => {
      this.#isDead = true;
      for (const answer of this.#waiting.splice(0)) answer(null);
    });
  }

  /** As `discoverSources`; null where the thread is dead, or dies meanwhile. */
  look(files: ToScout): Promise<Discovery | null> {
    return new Promise((resolve) => {
      if (this.#isDead) return resolve(null);
      this.#worker.postMessage(files);
      this.#waiting.push(resolve);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
