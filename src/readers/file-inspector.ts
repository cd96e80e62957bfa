import { closeSync, fstatSync } from "node:fs";
import { SourceError } from "../base/errors.js";
import { FINGERPRINT_EDGE_BYTES } from "../base/limits.js";
import type { FileReads } from "./file-reads.js";
import { type FileState, fileState, fingerprintFile } from "./fingerprint.js";
import type { Head } from "./head.js";
import type { InputFile } from "./inputs.js";
import { LookMemory } from "./look-memory.js";

/** What a file shows when it is opened. Its bytes stay only until the inspector's next file. */
export interface InspectedFile {
  readonly state: FileState;
  /** The first bytes of the file. */
  readonly head: Head;
  /** The last bytes of the file; all of a small one. */
  readonly tail: Uint8Array;
  readonly fingerprint: string;
}

/** Looks at one file after the other. */
export class FileInspector {
  /** Its edges hold what was inspected last. */
  readonly memory = new LookMemory();

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
    const block = this.memory.edges;
    const small = state.size <= block.length;
    const first = block.subarray(0, small ? state.size : FINGERPRINT_EDGE_BYTES);
    const bytes = first.subarray(0, await this.reads.read(descriptor, first, 0));
    const edges: Uint8Array[] = [bytes];
    if (!small) {
      const last = block.subarray(FINGERPRINT_EDGE_BYTES);
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
