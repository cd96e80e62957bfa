import { rmSync } from "node:fs";
import { SwitchyardError, throwIfInterrupted } from "../base/errors.js";
import { MIB } from "../base/limits.js";
import { option } from "../base/option-text.js";
import {
  BUCKETS,
  bucketOf,
  isStatement,
  LinkFile,
  LinkFileWriter,
  type LinkRecord,
  levels,
} from "./link-file.js";
import { NUMBER_START } from "./link-records.js";
import { evidences } from "./link-rules.js";
import { NOBODY, People, SEVERAL } from "./people.js";
import { TextIndex } from "./text-index.js";

/** A row of the table. */
export interface Identity {
  readonly anonymousID: string;
  /** Undefined for an anonymous id of several people. */
  readonly userID: string | undefined;
  /** Milliseconds since 1970 UTC of the earliest link. */
  readonly firstSeenMs: number;
  /** Name of `evidences`. */
  readonly evidence: string;
}

/** Bytes of the records of one partition, about. */
const PARTITION_BYTES = 32 * MIB;
/** Records that a run of moved links has. */
const MOVED_MAX = 2 ** 16;
/** The share of the memory of the run that ids of statements may take. */
const PEOPLE_SHARE = 1 / 2;

const isNumber = (id: Uint8Array) => id[0] === NUMBER_START.charCodeAt(0);

/** The tools of a resolution. */
interface ResolveOptions {
  /** For a file of links. */
  readonly temporaryPath: string;
  readonly memoryBytes: number;
  /** False if no split has a statement about two ids. */
  readonly hasStatements: boolean;
  /** Bytes of the links of ids that are resolved together; the result does not depend on it. */
  readonly partitionBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Makes the rows of the table from the links of all splits, ordered by the bucket and the bytes of the
 * anonymous id. One partition of the ids is in memory at a time, and all ids that statements name.
 */
export class LinkResolver {
  /** Ids of users that were seen as devices of another user, and stay apart. */
  apart = 0;
  readonly #people = new People();
  readonly #files: LinkFile[];
  readonly #moved: LinkFileWriter;

  constructor(
    files: readonly LinkFile[],
    private readonly options: ResolveOptions,
  ) {
    this.#files = [...files];
    this.#moved = new LinkFileWriter(options.temporaryPath);
  }

  /** Passes the rows of one partition after the other to `write`. */
  async resolve(write: (rows: readonly Identity[]) => Promise<void>): Promise<void> {
    const partitions = this.#partitions();
    try {
      if (this.options.hasStatements) this.#unite(partitions);
      this.#people.settle();
      for (const [start, end] of partitions) {
        throwIfInterrupted(this.options.signal);
        await write(this.#partitionRows(start, end));
      }
    } finally {
      for (const file of this.#files) file.close();
      rmSync(this.#moved.path, { force: true });
    }
  }

  #unite(partitions: readonly (readonly [start: number, end: number])[]): void {
    for (const [start, end] of partitions) this.#takeStatements(start, end);
    this.#moved.endRun();
    this.#files.push(new LinkFile(this.#moved.path, this.#moved.close()));
    for (const [start, end] of partitions)
      this.#read("levels", start, end, ({ from, level }) => this.#people.raise(from, level));
  }

  /** Returns ranges of buckets of about the same size. */
  #partitions(): readonly (readonly [start: number, end: number])[] {
    const partitions: [number, number][] = [];
    const { partitionBytes = PARTITION_BYTES } = this.options;
    let [start, bytes] = [0, 0];
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      for (const file of this.#files) bytes += file.bytesOf(bucket);
      if (bytes < partitionBytes && bucket < BUCKETS - 1) continue;
      partitions.push([start, bucket + 1]);
      [start, bytes] = [bucket + 1, 0];
    }
    return partitions;
  }

  #read(
    kind: "levels" | "links",
    start: number,
    end: number,
    take: (record: LinkRecord) => void,
  ): void {
    for (const file of this.#files) {
      throwIfInterrupted(this.options.signal);
      file.read(kind, start, end, take);
    }
  }

  /** Returns the ids of a partition that have a level, and the levels by number. */
  #levelsOf(start: number, end: number) {
    const ids = new TextIndex();
    const known: number[] = [];
    this.#read("levels", start, end, ({ from, level }) => {
      const id = ids.add(from);
      known[id] = Math.max(known[id] ?? levels.none, level);
    });
    return (from: Uint8Array) => known[ids.find(from)] ?? levels.none;
  }

  /** Gives the links from ids that have a level to `People`, and moves those of merged numbers. */
  #takeStatements(start: number, end: number): void {
    const levelOf = this.#levelsOf(start, end);
    const people = this.#people;
    this.#read("links", start, end, (record) => {
      const { from, to, timeMs, evidence, isMember, level } = record;
      const own = levelOf(from);
      if (own === levels.none) return;
      if (isMember && level === levels.none) this.#move(record);
      else if (isMember) people.unite(to, from, timeMs, evidence);
      else if (isStatement(record)) people.unite(from, to, timeMs, evidence);
      else if (own < levels.user) people.see(from, to, timeMs, evidence);
    });
    const { memoryBytes } = this.options;
    if (people.memoryBytes <= memoryBytes * PEOPLE_SHARE) return;
    throw new SwitchyardError(
      "memory_too_small",
      `${people.ids.size} ids that aliases and merges name do not fit into half of ${option("memory")} (${Math.floor(memoryBytes / MIB)}MiB); raise ${option("memory")}`,
    );
  }

  /** Makes a device of a merged number a link from the device. */
  #move(record: LinkRecord): void {
    const [from, to] = [textOf(record.to), textOf(record.from)];
    this.#moved.add({ ...record, from, to, isMember: false });
    if (this.#moved.waiting >= MOVED_MAX) this.#moved.endRun();
  }

  #partitionRows(start: number, end: number): readonly Identity[] {
    const levelOf = this.#levelsOf(start, end);
    const people = this.#people;
    const partition = new Partition(people);
    this.#read("levels", start, end, ({ from }) => {
      if (people.ids.find(from) >= 0) partition.addKnown(from);
    });
    this.#read("links", start, end, (record) => {
      const { from, isMember } = record;
      if (isMember || isNumber(from)) return;
      const level = levelOf(from);
      if (level === levels.none) partition.addDevice(record);
      else if (people.ids.find(from) >= 0) partition.addKnown(from);
      if (level === levels.user && !isStatement(record)) partition.addApart(from);
    });
    this.apart += partition.apart.size;
    return partition.rows();
  }
}

/** The anonymous ids of one partition, and their users. */
class Partition {
  /** Ids of users that were seen as devices. */
  readonly apart = new TextIndex();
  readonly #ids = new TextIndex();
  readonly #users = new TextIndex();
  /** By number: that of the user, `NOBODY` or `SEVERAL`; the time of the first link, and its evidence. */
  readonly #userOf: number[] = [];
  readonly #times: number[] = [];
  readonly #evidences: number[] = [];

  constructor(private readonly people: People) {}

  addApart(id: Uint8Array): void {
    this.apart.add(id);
  }

  /** Adds an id that statements name. */
  addKnown(id: Uint8Array): void {
    const { people } = this;
    const number = people.ids.find(id);
    const user = people.userOf(number);
    if (user === number || user === NOBODY || isNumber(id)) return;
    const [timeMs, evidence] = people.firstOf(number);
    const own = this.#add(id, timeMs, evidence);
    this.#userOf[own] = user === SEVERAL ? SEVERAL : this.#users.add(people.ids.text(user));
  }

  /** Adds a link of a device. */
  addDevice({ from, to, level, timeMs, evidence }: LinkRecord): void {
    const { people } = this;
    const number = people.ids.find(to);
    const found = number < 0 ? NOBODY : people.userOf(number);
    if (found === NOBODY && (number >= 0 || level < levels.named)) return;
    const own = this.#add(from, timeMs, evidence);
    const text = number < 0 ? to : found === SEVERAL ? undefined : people.ids.text(found);
    const user = text === undefined ? SEVERAL : this.#users.add(text);
    const known = this.#userOf[own] ?? NOBODY;
    this.#userOf[own] = known === NOBODY || known === user ? user : SEVERAL;
  }

  rows(): readonly Identity[] {
    const order = this.#userOf.map((_, id) => ({ id, bucket: bucketOf(this.#ids.text(id)) }));
    order.sort(
      (a, b) => a.bucket - b.bucket || Buffer.compare(this.#ids.text(a.id), this.#ids.text(b.id)),
    );
    return order.map(({ id }) => {
      const user = this.#userOf[id] ?? NOBODY;
      const isShared = user === SEVERAL;
      return {
        anonymousID: textOf(this.#ids.text(id)),
        userID: isShared ? undefined : textOf(this.#users.text(user)),
        firstSeenMs: this.#times[id] ?? 0,
        evidence: isShared ? "shared" : (evidences[this.#evidences[id] ?? 0] ?? ""),
      };
    });
  }

  #add(id: Uint8Array, timeMs: number, evidence: number): number {
    const own = this.#ids.add(id);
    const [known = Number.POSITIVE_INFINITY, by = evidences.length] = [
      this.#times[own],
      this.#evidences[own],
    ];
    if (timeMs < known || (timeMs === known && evidence < by)) {
      this.#times[own] = timeMs;
      this.#evidences[own] = evidence;
    }
    return own;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
