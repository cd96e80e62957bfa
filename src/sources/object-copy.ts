import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KIB, MIB } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { fetchObject, type ObjectOptions, type SourceObject } from "./object-bytes.js";
import type { FetchedBytes, ReaderOptions } from "./read-options.js";
import { writingCopy } from "./seekable-file.js";
import type { Source } from "./source.js";

/** Bytes `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes of one request, and requests under way. */
const PIECE_BYTES = 8 * MIB;
const PIECES_AT_ONCE = 4;
/** Bytes between two ranges, at most, that are fetched too, because a further request costs more. */
const GAP_BYTES = 256 * KIB;

/**
 * A local file with the size of an object, of which only the ranges that were fetched take up disk space
 * and may be read.
 */
export class ObjectCopy {
  readonly #fetched: ByteRange[] = [];
  readonly #closing = new AbortController();
  readonly #options: ObjectOptions;

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private readonly object: SourceObject,
    options: ObjectOptions,
  ) {
    this.#options = { ...options, signal: AbortSignal.any([options.signal, this.#closing.signal]) };
  }

  /** Throws `SourceError` with code `spool_failed` if the file cannot be written. */
  static async create(
    object: SourceObject & Pick<Source, "size">,
    options: ObjectOptions & Pick<ReaderOptions, "temporaryDirectory">,
  ): Promise<ObjectCopy> {
    const path = join(options.temporaryDirectory, `spool-${randomUUID()}`);
    const file = await writingCopy(object.name, path, async () => {
      await mkdir(dirname(path), { recursive: true });
      const created = await open(path, "wx+");
      await created.truncate(object.size);
      return created;
    });
    return new ObjectCopy(path, file, object, options);
  }

  /** Valid until it is closed. */
  get descriptor(): number {
    return this.file.fd;
  }

  /** Writes bytes of the object that were fetched already. Throws `SourceError`. */
  async keep({ start, bytes }: FetchedBytes): Promise<void> {
    const { name } = this.object;
    await writingCopy(name, this.path, () => this.file.write(bytes, 0, bytes.length, start));
    this.#fetched.push({ start, end: start + bytes.length });
  }

  /** Resolves when the ranges can be read. Throws `SourceError`. */
  async fetch(ranges: readonly ByteRange[]): Promise<void> {
    const missing = piecesOf(ranges).filter((range) => !this.has(range));
    await mapBounded(missing, PIECES_AT_ONCE, async (piece) => {
      await fetchObject(this.object, piece, this.#options, (bytes, position) =>
        writingCopy(this.object.name, this.path, async () => {
          await this.file.write(bytes, 0, bytes.length, position);
        }),
      );
      this.#fetched.push(piece);
    });
  }

  /** Returns whether a range was fetched. */
  has({ start, end }: ByteRange): boolean {
    const ordered = [...this.#fetched].sort((a, b) => a.start - b.start);
    let position = start;
    for (const piece of ordered) {
      if (piece.start <= position && piece.end > position) position = piece.end;
    }
    return position >= end;
  }

  /** Stops what is being fetched, and removes the file. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.file.close();
    await rm(this.path, { force: true });
  }
}

/** Joins ranges with small gaps, and cuts long ones. */
function piecesOf(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const ordered = ranges.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  const pieces: ByteRange[] = [];
  for (const { start, end } of ordered) {
    const last = pieces.at(-1);
    let from = start;
    if (last !== undefined && start - last.end <= GAP_BYTES) {
      from = last.start;
      pieces.pop();
    }
    const until = Math.max(end, last?.end ?? 0);
    for (; until - from > PIECE_BYTES; from += PIECE_BYTES) {
      pieces.push({ start: from, end: from + PIECE_BYTES });
    }
    pieces.push({ start: from, end: until });
  }
  return pieces;
}
