import { closeSync, fstatSync } from "node:fs";
import { SourceError } from "../base/errors.js";
import { FINGERPRINT_EDGE_BYTES } from "../base/limits.js";
import type { FileReads } from "./file-reads.js";
import { type FileState, fileState, fingerprintFile } from "./fingerprint.js";
import type { Head } from "./head.js";
import type { InputFile } from "./inputs.js";

/** What a file shows when it is opened. Its bytes stay only until the inspector's next file. */
export interface InspectedFile {
  readonly state: FileState;
  /** The first bytes of the file. */
  readonly head: Head;
  /** The last bytes of the file; all of a small one. */
  readonly tail: Uint8Array;
  readonly fingerprint: string;
}

/**
 * Looks at one file after the other, in memory that it keeps: new memory for each of ten thousands of
 * files keeps V8's collector busy for as long as looking at them takes.
 */
export class FileInspector {
  readonly #block = Buffer.allocUnsafeSlow(2 * FINGERPRINT_EDGE_BYTES);

  /** `reads` can be those of other inspectors, too. */
  constructor(private readonly reads: FileReads) {}

  /** Throws `SourceError` for what is no file, and the system's errors. */
  async inspect(file: InputFile): Promise<InspectedFile> {
    const descriptor = await this.reads.open(file.path);
    try {
      // Known to the system since it opened the file.
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) {
        const reason = "is no file. Give files, directories or patterns.";
        throw new SourceError("source_unreadable", { source: file.name }, reason);
      }
      return await this.#readEdges(descriptor, fileState(stats));
    } finally {
      closeSync(descriptor);
    }
  }

  async #readEdges(descriptor: number, state: FileState): Promise<InspectedFile> {
    const small = state.size <= this.#block.length;
    const first = this.#block.subarray(0, small ? state.size : FINGERPRINT_EDGE_BYTES);
    const bytes = first.subarray(0, await this.reads.read(descriptor, first, 0));
    const edges: Uint8Array[] = [bytes];
    if (!small) {
      const last = this.#block.subarray(FINGERPRINT_EDGE_BYTES);
      await this.reads.read(descriptor, last, state.size - last.length);
      edges.push(last);
    }
    return {
      state,
      head: { bytes, complete: small },
      tail: edges.at(-1) ?? bytes,
      fingerprint: fingerprintFile(state, edges),
    };
  }
}
