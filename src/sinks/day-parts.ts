import { formatDay } from "../base/day.js";
import { PARTITION_DIRECTORIES_MAX } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import type { DayRows } from "./day-order.js";
import { type DirectoryKey, directoryOf } from "./directory-names.js";
import type { EncodedPart } from "./encoded-part.js";
import { tooManyDirectories } from "./event-order.js";
import type { PartFiles } from "./part-files.js";
import type { PartEncoder, PartFormat } from "./part-format.js";
import { PartOutput, WriteBuffer } from "./part-output.js";
import type { RowBuffer } from "./row-buffer.js";
import type { PartFile } from "./sink.js";

/** A finished part: its temporary path, and its facts. */
export interface FinishedPart {
  readonly temporaryPath: string;
  readonly part: PartFile;
  /** It waits in the staging directory: `temporaryPath` is durable, and a failed commit keeps it. */
  readonly isStaged?: boolean;
}

/** A part that waits to be joined with others of its directory. */
interface WaitingPart {
  readonly part: PartFile;
  readonly file: EncodedPart;
}

export interface DayPartsOptions {
  readonly files: PartFiles;
  readonly format: PartFormat;
  readonly partBytes: number;
  /** Bytes that all open parts may hold in memory; if they hold more, all of them are finished. */
  readonly heldBytesMax: number;
  readonly splitId: string;
  readonly dataset: string;
  /** Name of a day's directory, with `{day}` for YYYY-MM-DD. */
  readonly dayName: string;
  /** Directory of unfinished parts; absolute. */
  readonly temporaryDirectory: string;
  /**
   * Directories whose own names are on the disk, as known from commits of this thread. A commit of
   * another thread might not be complete.
   */
  readonly namedDirectories: Set<string>;
}

interface OpenedPart {
  readonly key: DirectoryKey;
  /** In the output directory. */
  readonly path: string;
  readonly output: PartOutput;
  readonly encoder: PartEncoder;
  rows: number;
  firstTimestamp: number;
  lastTimestamp: number;
}

/**
 * The parts of one split, written to a temporary directory. Files are open only while a day's rows
 * are appended, so that the number of days is not bounded by the number of open files.
 */
export class DayParts {
  /** By directory in the dataset, as the next. */
  readonly #open = new Map<string, OpenedPart>();
  readonly #counts = new Map<string, number>();
  readonly #finished: FinishedPart[] = [];
  /** Not shared with other splits: one that fails leaves bytes in it. */
  readonly #buffer = new WriteBuffer();

  constructor(private readonly options: DayPartsOptions) {}

  /** Appends rows of a row buffer; `days` are ranges of `order`. */
  append(rowBuffer: RowBuffer, order: number, days: readonly DayRows[]): void {
    this.#closingFiles(() => {
      for (const { day, events, ...rows } of days) {
        const key = { day: formatDay(day) };
        if (events === undefined) this.#appendRows(rowBuffer, order, key, rows);
        for (const { event, ...range } of events ?? [])
          this.#appendRows(rowBuffer, order, { ...key, event }, range);
      }
    });
    let heldBytes = 0;
    for (const { encoder } of this.#open.values()) heldBytes += encoder.heldBytes;
    if (heldBytes > this.options.heldBytesMax) this.finishOpen();
  }

  /**
   * Joins parts of a directory, in order, with its open part and further ones of up to `partBytes`. A
   * part that is left alone keeps its file and its name.
   */
  join(waiting: readonly WaitingPart[]): void {
    const [first] = waiting;
    if (first === undefined) return;
    const { partBytes, dayName } = this.options;
    const directory = directoryOf(dayName, first.part);
    this.#closingFiles(() => {
      for (const [index, { part, file }] of waiting.entries()) {
        const open = this.#open.get(directory);
        const isFull = open !== undefined && open.output.size + part.bytes > partBytes;
        if (isFull) this.#finishPart(directory, open);
        const next = waiting[index + 1]?.part.bytes ?? Number.POSITIVE_INFINITY;
        const isAlone = (open === undefined || isFull) && part.bytes + next > partBytes;
        if (isAlone) this.#keepPart(part, file);
        else
          this.#joinPart(this.#open.get(directory) ?? this.#openPart(directory, part), part, file);
      }
      this.#open.get(directory)?.output.rest();
    });
  }

  /** Finishes the open parts. Later rows of their days go to further parts. */
  finishOpen(): void {
    this.#closingFiles(() => {
      for (const [directory, part] of this.#open) this.#finishPart(directory, part);
    });
  }

  /** Finishes the open parts and returns all parts, ordered by path. */
  finish(): readonly FinishedPart[] {
    this.finishOpen();
    return this.#finished.sort((a, b) => (a.part.path < b.part.path ? -1 : 1));
  }

  #appendRows(
    rowBuffer: RowBuffer,
    order: number,
    key: DirectoryKey,
    { start, end }: Pick<DayRows, "start" | "end">,
  ): void {
    const directory = directoryOf(this.options.dayName, key);
    for (let from = start; from < end; ) {
      const part = this.#open.get(directory) ?? this.#openPart(directory, key);
      const to = part.encoder.append(rowBuffer, order, from, end);
      const [first, last] = rowBuffer.timestampRange(order, from, to);
      part.rows += to - from;
      part.firstTimestamp = Math.min(part.firstTimestamp, first);
      part.lastTimestamp = Math.max(part.lastTimestamp, last);
      from = to;
      if (part.output.size >= this.options.partBytes) this.#finishPart(directory, part);
    }
    this.#open.get(directory)?.output.rest();
  }

  #keepPart(part: PartFile, file: EncodedPart): void {
    file.checkSize();
    this.#finished.push({ temporaryPath: file.path, part, isStaged: true });
  }

  #joinPart(open: OpenedPart, part: PartFile, file: EncodedPart): void {
    file.check(part.sha256);
    open.encoder.appendPart(file);
    open.rows += part.rows;
    open.firstTimestamp = Math.min(open.firstTimestamp, part.firstTimestamp);
    open.lastTimestamp = Math.max(open.lastTimestamp, part.lastTimestamp);
  }

  /** Closes all files if `work` throws; nothing can be appended afterwards. */
  #closingFiles(work: () => void): void {
    try {
      work();
    } catch (error) {
      for (const { output } of this.#open.values()) output.discard();
      throw error;
    }
  }

  #openPart(directory: string, { day, event }: DirectoryKey): OpenedPart {
    const { files, format, splitId, dataset, temporaryDirectory } = this.options;
    // File systems of macOS and Windows have one directory for names that differ in case.
    const counted = directory.toLowerCase();
    const number = this.#counts.get(counted) ?? 0;
    this.#counts.set(counted, number + 1);
    if (event !== undefined && this.#counts.size > PARTITION_DIRECTORIES_MAX)
      throw tooManyDirectories(`${PARTITION_DIRECTORIES_MAX} directories`);
    const name = `part-${splitId}-${String(number).padStart(3, "0")}.${format.extension}`;
    const temporaryName = `${directory.replaceAll("/", "+")}.${name}`;
    const output = new PartOutput(files, this.#buffer, `${temporaryDirectory}/${temporaryName}`);
    const part: OpenedPart = {
      key: { day, event },
      path: `${dataset}/${directory}/${name}`,
      output,
      encoder: format.openPart(output),
      rows: 0,
      firstTimestamp: Number.POSITIVE_INFINITY,
      lastTimestamp: Number.NEGATIVE_INFINITY,
    };
    this.#open.set(directory, part);
    return part;
  }

  #finishPart(directory: string, part: OpenedPart): void {
    const { output, encoder, key, path, rows, firstTimestamp, lastTimestamp } = part;
    encoder.finish();
    output.rest();
    this.#open.delete(directory);
    this.#finished.push({
      temporaryPath: output.path,
      part: {
        path,
        day: key.day,
        ...omitUndefined({ event: key.event }),
        rows,
        bytes: output.size,
        sha256: output.digest(),
        firstTimestamp,
        lastTimestamp,
      },
    });
  }
}
