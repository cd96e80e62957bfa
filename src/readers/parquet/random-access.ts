import { statSync } from "node:fs";
import { InputFileHandle } from "../file-bytes.js";
import { fileState } from "../fingerprint.js";
import { isPlain, type OpenOptions } from "../open-bytes.js";
import type { ReaderOptions } from "../reader.js";
import { openSeekableFile, type SeekableFile } from "../seekable-file.js";
import type { Source } from "../source.js";
import { fromSystem } from "../source-errors.js";

export type RandomAccessOptions = OpenOptions & Pick<ReaderOptions, "temporaryDirectory">;

/** Reads any part of a source's decompressed bytes. A compressed source is copied; `close` removes that. */
export class RandomAccess {
  private constructor(
    readonly source: Source,
    /** Decompressed bytes. */
    readonly size: number,
    private readonly file: SeekableFile,
    private readonly handle: InputFileHandle,
  ) {}

  /** Opens a source. Throws what `openSeekableFile` throws. */
  static async open(source: Source, options: RandomAccessOptions): Promise<RandomAccess> {
    const file = await openSeekableFile(source, options);
    try {
      const { name } = source;
      const handle = new InputFileHandle(
        isPlain(source) ? source : { name, path: file.path, fingerprint: fingerprint(file, name) },
      );
      return new RandomAccess(source, file.size, file, handle);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Fills `target`. Throws `SourceError`; `source_truncated` names `what`. */
  read(target: Uint8Array, position: number, what: string): void {
    this.handle.readFully(target, position, what);
  }

  /** Throws `source_changed` if it is not the file that was planned. */
  checkUnchanged(): void {
    this.handle.checkUnchanged();
  }

  async close(): Promise<void> {
    this.handle.close();
    await this.file.close();
  }
}

/** Returns the state of the copy, which nobody else should change. */
function fingerprint({ path }: SeekableFile, name: string): string {
  try {
    return JSON.stringify(fileState(statSync(path)));
  } catch (error) {
    throw fromSystem(name, error);
  }
}
