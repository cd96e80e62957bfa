import { statSync } from "node:fs";
import { InputFileHandle } from "../sources/file-bytes.js";
import { fileState } from "../sources/fingerprint.js";
import { type ByteRange, ObjectCopy } from "../sources/object-copy.js";
import { isPlain } from "../sources/open-bytes.js";
import type { OpenOptions, ReaderOptions } from "../sources/read-options.js";

import { openSeekableFile, type SeekableFile } from "../sources/seekable-file.js";
import type { Source } from "../sources/source.js";
import { fromSystem } from "../sources/source-errors.js";
import { isObjectUrl } from "../store/object-url.js";

export type RandomAccessOptions = OpenOptions & Pick<ReaderOptions, "temporaryDirectory">;

/** Reads any part of a source's decompressed bytes. A compressed source is copied; `close` removes that. */
export class RandomAccess {
  private constructor(
    readonly source: Source,
    /** Decompressed bytes. */
    readonly size: number,
    private readonly file: Pick<SeekableFile, "close">,
    private readonly handle: InputFileHandle,
    private readonly copy?: ObjectCopy,
  ) {}

  /** Opens a source. Throws what `openSeekableFile` throws. */
  static async open(source: Source, options: RandomAccessOptions): Promise<RandomAccess> {
    if (isPlain(source) && isObjectUrl(source.path))
      return RandomAccess.openObject(source, options);
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

  /** Opens an object, of which `prepare` fetches the ranges that are read. */
  private static async openObject(
    source: Source,
    options: RandomAccessOptions,
  ): Promise<RandomAccess> {
    const copy = await ObjectCopy.create(source, options);
    try {
      if (options.fetched !== undefined) await copy.keep(options.fetched);
      const { name } = source;
      const place = { name, path: copy.path, fingerprint: fingerprint(copy, name) };
      return new RandomAccess(source, source.size, copy, new InputFileHandle(place), copy);
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  /** True if ranges have to be prepared. */
  get isRemote(): boolean {
    return this.copy !== undefined;
  }

  /** Resolves when the ranges can be read; only objects need it. Throws `SourceError`. */
  async prepare(ranges: readonly ByteRange[]): Promise<void> {
    const { size } = this;
    await this.copy?.fetch(
      ranges.map(({ start, end }) => ({ start: Math.max(0, start), end: Math.min(size, end) })),
    );
  }

  /** Fills `target`. Throws `SourceError`. */
  read(target: Uint8Array, position: number): void {
    const { copy, size } = this;
    const end = Math.min(size, position + target.length);
    if (copy?.has({ start: position, end }) === false) {
      throw new Error(`bytes ${position} to ${end} of ${this.source.name} were not prepared`);
    }
    this.handle.readFully(target, position, "the Parquet file");
  }

  /** Throws `source_changed` if it is not the file that was planned. */
  checkUnchanged(): void {
    // Each request for a part of an object checks its ETag.
    if (this.copy === undefined) this.handle.checkUnchanged();
  }

  async close(): Promise<void> {
    this.handle.close();
    await this.file.close();
  }
}

/** Returns the state of the copy, which no other process should change. */
function fingerprint({ path }: Pick<SeekableFile, "path">, name: string): string {
  try {
    return JSON.stringify(fileState(statSync(path)));
  } catch (error) {
    throw fromSystem(name, error);
  }
}
