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

export function bucketOf(id: Uint8Array): number {
  return hashText(id) >>> 22;
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

/** Records of one section of a run, by bucket. */
interface Section {
  readonly records: Buffer[];
  readonly buckets: number[];
}

/** Gathers records and writes them as runs that are ordered by bucket: levels, then links. */
export class LinkFileWriter {
  readonly #levels: Section = { records: [], buckets: [] };
  readonly #links: Section = { records: [], buckets: [] };
  /** The levels that wait, so that each is written once in a run. */
  readonly #given = new Set<string>();
  readonly #runs: LinkRun[] = [];
  #file: number | undefined;
  #position = 0;
  #hasStatements = false;

  constructor(readonly path: string) {}

  add(record: LinkRecord): void {
    const section = record.to.length === 0 ? this.#levels : this.#links;
    const bytes = encode(record);
    if (record.to.length > 0) this.#hasStatements ||= isStatement(record);
    if (section === this.#levels) {
      const text = bytes.toString("latin1");
      if (this.#given.has(text)) return;
      this.#given.add(text);
    }
    section.records.push(bytes);
    section.buckets.push(bucketOf(record.from));
  }

  /** Some links are statements about two ids, not only users of devices. */
  get hasStatements(): boolean {
    return this.#hasStatements;
  }

  /** Number of records that wait for `endRun`. */
  get waiting(): number {
    return this.#levels.records.length + this.#links.records.length;
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

  #write({ records, buckets }: Section): Float64Array {
    const starts = new Float64Array(BUCKETS + 1);
    for (const [index, record] of records.entries()) starts[buckets[index]! + 1]! += record.length;
    for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
    const bytes = new Uint8Array(starts[BUCKETS]!);
    const next = starts.slice();
    for (const [index, record] of records.entries()) {
      const bucket = buckets[index]!;
      bytes.set(record, next[bucket]);
      next[bucket]! += record.length;
    }
    records.length = 0;
    buckets.length = 0;
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

function encode({ from, to, evidence, isMember, level, timeMs }: LinkRecord): Buffer {
  const record = Buffer.allocUnsafe(HEAD_BYTES + from.length + to.length);
  record.writeUInt32LE(from.length, 0);
  record.writeUInt32LE(to.length, 4);
  record.writeDoubleLE(timeMs, 8);
  record[16] = evidence | (isMember ? MEMBER_BIT : 0);
  record[17] = level;
  record.writeUInt16LE(0, 18);
  record.set(from, HEAD_BYTES);
  record.set(to, HEAD_BYTES + from.length);
  return record;
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
