import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { toOutputError } from "../base/output-error.js";
import { evidences } from "./link-rules.js";
import { hashText } from "./text-index.js";

/**
 * Levels of ids: only linked with others; named as a user by a statement about two ids; the user of a device.
 * A device has none.
 */
export const levels = { none: 0, linked: 1, named: 2, user: 3 } as const;

/** The records of an id are in one bucket. The buckets are the order of the table. */
export const BUCKETS = 1024;

const BUCKET_SHIFT = 22;

export function bucketOf(id: Uint8Array): number {
  return hashText(id) >>> BUCKET_SHIFT;
}

/** A link from an id to another one, or the level of an id. */
export interface LinkRecord {
  readonly from: Uint8Array;
  /** Empty for a level. */
  readonly to: Uint8Array;
  /** Index in `evidences`. */
  readonly evidence: number;
  /** True if `from` is the vendor's number of a person and `to` one of its ids. */
  readonly isMember: boolean;
  /** The level that the record gives `to`; for a level, `from`. */
  readonly level: number;
  /** Milliseconds since 1970 UTC. */
  readonly timeMs: number;
}

/** Returns true if a link is a statement that two ids are one person. */
export function isStatement({ evidence }: Pick<LinkRecord, "evidence">): boolean {
  const name = evidences[evidence];
  return name === "alias" || name === "merge" || name === "person";
}

const HEAD_BYTES = 20;
const MEMBER_BIT = 8;

/** A record to write. */
export interface NewRecord extends Omit<LinkRecord, "from" | "to"> {
  readonly from: string;
  /** Empty for a level. */
  readonly to: string;
}

const SECTION_BYTES_MIN = 2 ** 16;
/** Most bytes of a character of UTF-16. */
const CHARACTER_BYTES_MAX = 3;

/** Records of one section of a run, in the order in which they came. Its memory is used again. */
class Section {
  bytes = Buffer.alloc(SECTION_BYTES_MIN);
  /** Ends of the records, and their buckets. */
  readonly ends: number[] = [];
  readonly buckets: number[] = [];

  add({ from, to, evidence, isMember, level, timeMs }: NewRecord): void {
    const start = this.ends.at(-1) ?? 0;
    this.#makeRoom(start + HEAD_BYTES + CHARACTER_BYTES_MAX * (from.length + to.length));
    const { bytes } = this;
    const first = start + HEAD_BYTES;
    const middle = first + bytes.write(from, first);
    const end = middle + bytes.write(to, middle);
    bytes.writeUInt32LE(middle - first, start);
    bytes.writeUInt32LE(end - middle, start + 4);
    bytes.writeDoubleLE(timeMs, start + 8);
    bytes[start + 16] = evidence | (isMember ? MEMBER_BIT : 0);
    bytes[start + 17] = level;
    bytes.writeUInt16LE(0, start + 18);
    this.ends.push(end);
    this.buckets.push(hashText(bytes, first, middle) >>> BUCKET_SHIFT);
  }

  clear(): void {
    this.ends.length = 0;
    this.buckets.length = 0;
  }

  #makeRoom(size: number): void {
    if (size <= this.bytes.length) return;
    const larger = Buffer.alloc(Math.max(size, 2 * this.bytes.length));
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}

/** Gathers records and writes them as runs that are ordered by bucket: levels, then links. */
export class LinkFileWriter {
  readonly #levels = new Section();
  readonly #links = new Section();
  /** The levels that wait, so that each is written once in a run. */
  readonly #given = new Set<string>();
  readonly #runs: LinkRun[] = [];
  #file: number | undefined;
  #position = 0;
  #hasStatements = false;

  constructor(readonly path: string) {}

  add(record: NewRecord): void {
    if (record.to !== "") {
      this.#hasStatements ||= isStatement(record);
      this.#links.add(record);
      return;
    }
    const key = `${record.level}${record.from}`;
    if (this.#given.has(key)) return;
    this.#given.add(key);
    this.#levels.add(record);
  }

  /** Some links are statements about two ids, not only users of devices. */
  get hasStatements(): boolean {
    return this.#hasStatements;
  }

  /** Number of records that wait for `endRun`. */
  get waiting(): number {
    return this.#levels.ends.length + this.#links.ends.length;
  }

  endRun(): void {
    if (this.waiting === 0) return;
    this.#runs.push({ levels: this.#write(this.#levels), links: this.#write(this.#links) });
    this.#given.clear();
  }

  /** Closes the file and returns its runs. */
  close(): readonly LinkRun[] {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    return this.#runs;
  }

  #write(section: Section): Float64Array {
    const { ends, buckets, bytes: records } = section;
    const starts = new Float64Array(BUCKETS + 1);
    let start = 0;
    for (const [index, end] of ends.entries()) {
      starts[buckets[index]! + 1]! += end - start;
      start = end;
    }
    for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
    const bytes = Buffer.allocUnsafe(starts[BUCKETS]!);
    const next = starts.slice();
    start = 0;
    for (const [index, end] of ends.entries()) {
      const bucket = buckets[index]!;
      records.copy(bytes, next[bucket], start, end);
      next[bucket]! += end - start;
      start = end;
    }
    section.clear();
    const first = this.#position;
    try {
      this.#file ??= openSync(this.path, "w");
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    } catch (error) {
      throw toOutputError(this.path, error);
    }
    this.#position += bytes.length;
    return starts.map((start) => first + start);
  }
}

/** The position of the first record of each bucket in a file, and that of the end. */
export interface LinkRun {
  readonly levels: Float64Array;
  readonly links: Float64Array;
}

/** Reads the records of buckets from a file. */
export class LinkFile {
  #descriptor: number | undefined;
  #buffer = Buffer.alloc(2 ** 16);

  constructor(
    private readonly path: string,
    private readonly runs: readonly LinkRun[],
  ) {}

  /** Bytes of the records of a bucket. */
  bytesOf(bucket: number): number {
    let bytes = 0;
    for (const { levels: one, links } of this.runs)
      bytes += one[bucket + 1]! - one[bucket]! + links[bucket + 1]! - links[bucket]!;
    return bytes;
  }

  /** Passes the records of buckets [start, end) to `take`; their bytes are valid during the call. */
  read(kind: keyof LinkRun, start: number, end: number, take: (record: LinkRecord) => void): void {
    for (const run of this.runs) {
      const bytes = this.#read(run[kind][start]!, run[kind][end]!);
      for (let at = 0; at < bytes.length; ) {
        const from = at + HEAD_BYTES;
        const to = from + bytes.readUInt32LE(at);
        const next = to + bytes.readUInt32LE(at + 4);
        const flags = bytes[at + 16]!;
        take({
          from: bytes.subarray(from, to),
          to: bytes.subarray(to, next),
          evidence: flags & (MEMBER_BIT - 1),
          isMember: (flags & MEMBER_BIT) !== 0,
          level: bytes[at + 17]!,
          timeMs: bytes.readDoubleLE(at + 8),
        });
        at = next;
      }
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #read(start: number, end: number): Buffer {
    const length = end - start;
    if (length === 0) return this.#buffer.subarray(0, 0);
    if (length > this.#buffer.length) this.#buffer = Buffer.alloc(length);
    this.#descriptor ??= openSync(this.path, "r");
    for (let done = 0; done < length; ) {
      const count = readSync(this.#descriptor, this.#buffer, done, length - done, start + done);
      if (count === 0) throw new Error(`${this.path} was cut while it was read`);
      done += count;
    }
    return this.#buffer.subarray(0, length);
  }
}
