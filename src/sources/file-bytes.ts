import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { ByteSource } from "./byte-source.js";
import { describeStateChange, type FileState, fileState, stateOf } from "./fingerprint.js";
import type { Source } from "./source.js";
import { changed, fromSystem, truncated } from "./source-errors.js";

/** The members of a source that are needed to open its file. */
type SourceFile = Pick<Source, "name" | "path" | "fingerprint">;

/**
 * A file opened for reading and compared with its fingerprint in the plan. Reads are synchronous: most
 * bytes come from the page cache, where a read costs less than a promise.
 */
export class InputFileHandle {
  /** For other readers, valid while the handle is open. */
  readonly descriptor: number;
  readonly #planned: FileState;
  #open = true;

  /** Throws `SourceError` if the file is missing, unreadable or has changed since it was planned. */
  constructor(private readonly file: SourceFile) {
    this.#planned = stateOf(file.fingerprint);
    try {
      this.descriptor = openSync(file.path, "r");
    } catch (error) {
      throw fromSystem(file.name, error);
    }
    try {
      this.checkUnchanged();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Bytes of the file, as planned. */
  get size(): number {
    return this.#planned.size;
  }

  /** Fills the start of `target`; fewer bytes only at the end of the file. */
  read(target: Uint8Array, position: number): number {
    // The descriptor may belong to another file now.
    if (!this.#open) throw new Error(`read of ${this.file.name} after it was closed`);
    try {
      return readSync(this.descriptor, target, 0, target.length, position);
    } catch (error) {
      throw fromSystem(this.file.name, error);
    }
  }

  /** Fills `target`; throws `source_truncated`, naming `what`, if the file ends before. */
  readFully(target: Uint8Array, position: number, what: string): void {
    if (this.read(target, position) < target.length) throw truncated(this.file.name, what, {});
  }

  /** Throws `source_changed` if size or modification time differ from the plan. */
  checkUnchanged(): void {
    const state = fileState(fstatSync(this.descriptor));
    const difference = describeStateChange(this.#planned, state);
    if (difference !== null) throw changed(this.file.name, difference);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.descriptor);
  }
}

/** Bytes `start` (inclusive) to `end` (exclusive) of a file, straight into the caller's memory. */
export class FileBytes implements ByteSource {
  #position: number;

  /** Owns the handle from now on. */
  constructor(
    private readonly file: SourceFile,
    private readonly handle: InputFileHandle,
    private readonly start: number,
    private readonly end: number,
    private readonly signal: AbortSignal,
  ) {
    this.#position = start;
  }

  get consumed(): number {
    return this.#position - this.start;
  }

  read(target: Uint8Array): number {
    this.signal.throwIfAborted();
    const wanted = Math.min(target.length, this.end - this.#position);
    if (wanted <= 0) {
      this.handle.checkUnchanged();
      return 0;
    }
    const part = wanted === target.length ? target : target.subarray(0, wanted);
    const count = this.handle.read(part, this.#position);
    if (count === 0) {
      this.handle.checkUnchanged();
      throw changed(this.file.name, `it ends at byte ${this.#position} of ${this.end}`);
    }
    this.#position += count;
    return count;
  }

  async close(): Promise<void> {
    this.handle.close();
  }
}
