import {
  closeSync,
  fsync,
  fsyncSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { basename } from "node:path";
import { hasCode } from "../base/errors.js";
import { sum } from "../base/sum.js";
import type { RowFault } from "./judge-answer.js";

/** The decision of the service about one request batch. */
interface Acknowledgement {
  readonly rows: number;
  readonly refused: readonly RowFault[];
}

/** Confirmed request batches of one range: all below `through`, and a few beyond it. */
interface ConfirmedRange {
  through: number;
  readonly beyond: Set<number>;
  /** Request batches that are shorter than the others, or of which events were refused. */
  readonly special: Map<number, Acknowledgement>;
}

/** The counts of a journal, for a split that is not committed. */
interface AcknowledgedRows {
  readonly delivered: number;
  readonly refused: number;
  /** Events that were sent again though they may have been stored. */
  readonly possiblyDuplicated: number;
  /** Requests that were sent again. */
  readonly retried: number;
  /** Milliseconds in which the service accepted nothing. */
  readonly waitedMs: number;
}

const CONFIRMED = "+";
const PENDING = "?";
const TROUBLE = "!";
const LIMIT = "limit";
const MAY_FOLLOW = "may";
const CLEAN = "clean";

/**
 * The journal of one split: a file that lines are appended to. `range <ordinal> <key>` names a
 * range. `+ <ordinal> <number> <rows> [<refused>]` is a confirmed request batch. `? <ordinal>
 * <number> <rows>` is a pending one: it is sent again, and its first request may have been stored.
 * `! <retried> <waitedMs>` adds to these counts. `limit <bytes>` is the size of a body that is too
 * large: larger batches have the parts that were sent in its place. `may <batches>` ends a piece: no more
 * request batches than this are sent and not confirmed in it before the next piece is stored. `clean` ends
 * the journal if no request was in progress. Flushed lines survive a kill of the process; synced lines also survive a loss of power.
 * A request batch is identified by range, number and rows: whatever changes the meaning of a number
 * must change the key of the range.
 */
export class Acknowledgements {
  readonly #file: number;
  readonly #ranges = new Map<string, ConfirmedRange>();
  readonly #ordinals = new Map<string, number>();
  readonly #pending = new Set<string>();
  /**
   * Request batches that earlier processes may have sent without a line about it: those that left the
   * journal without `clean`.
   */
  readonly pendingMax: number;
  #unwritten = "";
  /** Lines of the next piece. */
  #piece = "";
  #isUnsynced = false;
  /** Syncs in progress. */
  #syncs = 0;
  #isClosed = false;
  #pendingRows = 0;
  #tooLargeBytes = Number.POSITIVE_INFINITY;
  #retried = 0;
  #waitedMs = 0;

  /**
   * Creates the file if it does not exist. `batchRows` is the size of all request batches except
   * the last of a range. `others`: the journals that other processes have left of the split.
   * `concurrency`: request batches that a process without pieces has in progress. `hasPieces`: what is
   * added is asked for by `takePiece`. Throws the errors of the system.
   */
  constructor(
    path: string,
    private readonly batchRows: number,
    concurrency: number,
    others: readonly string[] = [],
    private readonly hasPieces = false,
  ) {
    const journals = [...others.map((other) => linesOf(readOrEmpty(other))), takeWholeLines(path)];
    this.#file = openSync(path, "a");
    // The last piece of a journal tells how it ended.
    const isLast = (index: number) => ownerOf(others[index]) !== ownerOf(others[index + 1] ?? path);
    this.pendingMax = sum(
      journals.filter((_, index) => isLast(index)),
      (lines) => pendingAfter(lines.at(-1), concurrency),
    );
    for (const lines of journals) {
      const keys: string[] = [];
      // The ordinals of others are not those of this file.
      this.#ordinals.clear();
      for (const line of lines) this.#replay(line, keys);
    }
    // Tells a later process that this one was here, even if nothing is confirmed.
    this.#unwritten = "open\n";
    this.flush();
  }

  /** Counts since the split was first started. */
  get trouble(): Pick<AcknowledgedRows, "possiblyDuplicated" | "retried" | "waitedMs"> {
    return {
      possiblyDuplicated: this.#pendingRows,
      retried: this.#retried,
      waitedMs: this.#waitedMs,
    };
  }

  /** Bytes of the smallest body that is known to be too large; infinite if there is none. */
  get tooLargeBytes(): number {
    return this.#tooLargeBytes;
  }

  /** Returns the decision about a request batch; undefined if there is none yet. */
  find(key: string, batch: number, rows: number): Acknowledgement | undefined {
    const range = this.#ranges.get(key);
    if (range === undefined || !(batch < range.through || range.beyond.has(batch))) {
      return undefined;
    }
    const special = range.special.get(batch);
    const found = special ?? { rows: this.batchRows, refused: [] };
    return found.rows === rows ? found : undefined;
  }

  /** Written by the next `flush`. */
  confirm(key: string, batch: number, acknowledgement: Acknowledgement): void {
    this.#confirm(key, batch, acknowledgement);
    const { rows, refused } = acknowledgement;
    const faults = refused.length === 0 ? "" : ` ${JSON.stringify(refused)}`;
    const ordinal = this.#ordinalOf(key);
    this.#unwritten += `${CONFIRMED} ${ordinal} ${batch} ${rows}${faults}\n`;
  }

  /** Counts a request batch that is sent again and may be stored twice. */
  notePending(key: string, batch: number, rows: number): void {
    const ordinal = this.#ordinalOf(key);
    if (this.#notePending(key, batch, rows))
      this.#unwritten += `${PENDING} ${ordinal} ${batch} ${rows}\n`;
  }

  /** Records the size of a body that is too large, before parts of one are sent. */
  limitBody(bytes: number): void {
    if (bytes >= this.#tooLargeBytes) return;
    this.#tooLargeBytes = bytes;
    this.#unwritten += `${LIMIT} ${bytes}\n`;
    this.flush();
  }

  /** Adds to the counts of retries and of the time in which the service accepted nothing. */
  addTrouble(retried: number, waitedMs: number): void {
    if (retried === 0 && waitedMs === 0) return;
    this.#retried += retried;
    this.#waitedMs += waitedMs;
    this.#unwritten += `${TROUBLE} ${retried} ${waitedMs}\n`;
  }

  /** Writes all lines to the system: a kill of this process cannot lose them any more. */
  flush(): void {
    if (this.#unwritten === "") return;
    const bytes = Buffer.from(this.#unwritten);
    if (this.hasPieces) this.#piece += this.#unwritten;
    this.#unwritten = "";
    this.#isUnsynced = true;
    for (let start = 0; start < bytes.length; ) start += writeSync(this.#file, bytes, start);
  }

  /**
   * Returns what was added since the last piece, as a journal of its own. `mayFollow`: request batches that
   * are sent at most, and not confirmed in it, before the next piece is stored.
   */
  takePiece(mayFollow: number): string {
    this.flush();
    const piece = this.#piece;
    this.#piece = "";
    this.#ordinals.clear();
    return piece.endsWith(`${CLEAN}\n`) ? piece : `${piece}${MAY_FOLLOW} ${mayFollow}\n`;
  }

  /** Syncs flushed lines to the disk without blocking this thread. */
  syncSoon(failed: (error: Error) => void): void {
    this.flush();
    if (!this.#isUnsynced) return;
    this.#isUnsynced = false;
    this.#syncs++;
    fsync(this.#file, (error) => {
      this.#syncs--;
      if (this.#isClosed) this.#closeFile();
      else if (error !== null) failed(error);
    });
  }

  /** `isClean`: no request is in progress. */
  close(isClean: boolean): void {
    if (isClean) this.#unwritten += `${CLEAN}\n`;
    this.flush();
    fsyncSync(this.#file);
    this.#isClosed = true;
    this.#closeFile();
  }

  /** Waits for syncs in progress: they would fail, or sync another file that got the descriptor. */
  #closeFile(): void {
    if (this.#syncs === 0) closeSync(this.#file);
  }

  #replay(line: string, keys: string[]): void {
    const [kind, ordinal = "", number = "", count = ""] = line.split(" ", 4);
    if (kind === "range") {
      keys[Number(ordinal)] = number;
      this.#ordinals.set(number, Number(ordinal));
      return;
    }
    if (kind === TROUBLE) {
      this.#retried += Number(ordinal);
      this.#waitedMs += Number(number);
      return;
    }
    if (kind === LIMIT) {
      this.#tooLargeBytes = Math.min(this.#tooLargeBytes, Number(ordinal));
      return;
    }
    const key = keys[Number(ordinal)];
    if (key === undefined) return;
    const [batch, rows] = [Number(number), Number(count)];
    if (kind === PENDING) this.#notePending(key, batch, rows);
    if (kind !== CONFIRMED) return;
    const faults = line.slice(`${kind} ${ordinal} ${number} ${count}`.length);
    const refused = faults === "" ? [] : (JSON.parse(faults) as readonly RowFault[]);
    this.#confirm(key, batch, { rows, refused });
  }

  #confirm(key: string, batch: number, acknowledgement: Acknowledgement): void {
    let range = this.#ranges.get(key);
    if (range === undefined) {
      range = { through: 0, beyond: new Set(), special: new Map() };
      this.#ranges.set(key, range);
    }
    range.beyond.add(batch);
    const { rows, refused } = acknowledgement;
    if (refused.length > 0 || rows !== this.batchRows) range.special.set(batch, acknowledgement);
    else range.special.delete(batch);
    while (range.beyond.delete(range.through)) range.through++;
  }

  #notePending(key: string, batch: number, rows: number): boolean {
    const name = `${key} ${batch}`;
    if (this.#pending.has(name)) return false;
    this.#pending.add(name);
    this.#pendingRows += rows;
    return true;
  }

  #ordinalOf(key: string): number {
    const known = this.#ordinals.get(key);
    if (known !== undefined) return known;
    const ordinal = this.#ordinals.size;
    this.#ordinals.set(key, ordinal);
    this.#unwritten += `range ${ordinal} ${key}\n`;
    return ordinal;
  }
}

/** Counts the decisions in the journals of a split; all 0 if there are none. */
export function countAcknowledged(...paths: readonly string[]): AcknowledgedRows {
  let [delivered, refused, possiblyDuplicated, retried, waitedMs] = [0, 0, 0, 0, 0];
  for (const line of paths.flatMap((path) => linesOf(readOrEmpty(path)))) {
    const [kind, first, second, count = "0"] = line.split(" ", 4);
    if (kind === TROUBLE) {
      retried += Number(first);
      waitedMs += Number(second);
    }
    if (kind === PENDING) possiblyDuplicated += Number(count);
    if (kind !== CONFIRMED) continue;
    const faults = line.indexOf("[");
    const rows = faults === -1 ? 0 : (JSON.parse(line.slice(faults)) as readonly unknown[]).length;
    delivered += Number(count) - rows;
    refused += rows;
  }
  return { delivered, refused, possiblyDuplicated, retried, waitedMs };
}

/** Reads whole lines. Removes a line that a loss of power cut off: the next one would continue it. */
function takeWholeLines(path: string): readonly string[] {
  const text = readOrEmpty(path);
  const whole = text.lastIndexOf(0x0a) + 1;
  if (whole < text.length) truncateSync(path, whole);
  return linesOf(text);
}

/** Returns how many request batches may have been in progress when a journal was left with this last line. */
function pendingAfter(lastLine: string | undefined, concurrency: number): number {
  if (lastLine === undefined || lastLine === CLEAN) return 0;
  const [kind, count] = lastLine.split(" ", 2);
  return kind === MAY_FOLLOW ? Number(count) : concurrency;
}

/** Returns what distinguishes the journals of processes: `<split>.<owner>.<number>.journal` is a piece of one. */
function ownerOf(path = ""): string | undefined {
  return basename(path).split(".")[1];
}

function linesOf(text: Buffer): readonly string[] {
  return text
    .toString("utf8", 0, text.lastIndexOf(0x0a) + 1)
    .split("\n")
    .slice(0, -1);
}

function readOrEmpty(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return Buffer.alloc(0);
    throw error;
  }
}
