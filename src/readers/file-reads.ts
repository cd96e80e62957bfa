import { constants, open, openSync, read, readSync } from "node:fs";

/** Milliseconds from which a call has waited for a disk or a network. */
const SLOW_MS = 1;

/** Calls after such a one that let others go on meanwhile. */
const WAITING_CALLS = 512;

/** Calls without a wait until one lets timers and signals have their turn. */
const BLOCKING_CALLS_MAX = 128;

/** Without it, a link to a pipe that nobody writes to would stop the thread for good. Windows has none. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens and reads files, blocking as long as that takes no time: from the page cache a file takes 28 µs
 * of processor time so, by callbacks 64 and by file handles of promises 128. As soon as a call has to
 * wait, those that follow do not block, so that a disk or a network is asked for many files at once.
 */
export class FileReads {
  #waitingCalls = 0;
  #blockingCalls = 0;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** A descriptor for reading; the caller closes it. Throws, or rejects with, the system's error. */
  open(path: string): number | Promise<number> {
    if (this.#mayBlock()) return this.#timed(() => openSync(path, OPEN_FLAGS));
    return new Promise((resolve, reject) => {
      open(path, OPEN_FLAGS, (error, descriptor) => (error ? reject(error) : resolve(descriptor)));
    });
  }

  /** The number of bytes read to the start of `target`. Throws, or rejects with, the system's error. */
  read(descriptor: number, target: Uint8Array, position: number): number | Promise<number> {
    const { length } = target;
    if (this.#mayBlock())
      return this.#timed(() => readSync(descriptor, target, 0, length, position));
    return new Promise((resolve, reject) => {
      read(descriptor, target, 0, length, position, (error, count) =>
        error ? reject(error) : resolve(count),
      );
    });
  }

  #mayBlock(): boolean {
    if (this.#waitingCalls > 0) {
      this.#waitingCalls--;
      return false;
    }
    if (this.#blockingCalls < BLOCKING_CALLS_MAX) {
      this.#blockingCalls++;
      return true;
    }
    this.#blockingCalls = 0;
    return false;
  }

  #timed(call: () => number): number {
    const begun = this.now();
    try {
      return call();
    } finally {
      if (this.now() - begun >= SLOW_MS) this.#waitingCalls = WAITING_CALLS;
    }
  }
}
