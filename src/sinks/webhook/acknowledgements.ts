import {
  closeSync,
  fsync,
  fsyncSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { hasCode } from "../../base/error-code.js";
import type { RowFault } from "./judge-answer.js";

/** What the service has decided about one parcel. */
export interface Acknowledgement {
  readonly rows: number;
  readonly refused: readonly RowFault[];
}

/** Parcels of one range that are settled: all below `through`, and the few beyond it. */
interface SettledRange {
  through: number;
  readonly beyond: Set<number>;
  /** Parcels that are shorter than the others, or of which events were refused. */
  readonly special: Map<number, Acknowledgement>;
}

/** What a journal says of a split that is not committed. */
export interface AcknowledgedRows {
  readonly delivered: number;
  readonly refused: number;
  /** Events that were sent again though they may have been stored. */
  readonly unknown: number;
  /** Requests that were sent again. */
  readonly retried: number;
  /** Milliseconds in which the service took nothing. */
  readonly waitedMs: number;
}

const SETTLED = "+";
const UNKNOWN = "?";
const TROUBLE = "!";
const CLEAN = "clean";

/**
 * What was acknowledged of one split, in a file that lines are appended to: `range <ordinal> <key>`,
 * `+ <ordinal> <parcel> <rows> [<refused>]`, `? <ordinal> <parcel> <rows>` for a parcel that is sent
 * again without its fate being known, `! <retried> <waitedMs>` for what has come to these since the
 * last such line, and `clean` where nothing was under way at the end. What was written survives a
 * kill of the process, what was synced the loss of power as well. Parcels are known by range, number
 * and size: whatever changes what a number means has to change the range's key.
 */
export class Acknowledgements {
  readonly #file: number;
  readonly #ranges = new Map<string, SettledRange>();
  readonly #ordinals = new Map<string, number>();
  readonly #unknown = new Set<string>();
  /** Whether an earlier process left it without saying that nothing was under way. */
  readonly wasBroken: boolean;
  #pending = "";
  #isUnsynced = false;
  #unknownRows = 0;
  #retried = 0;
  #waitedMs = 0;

  /**
   * Makes the file where it is missing. `parcelRows` is the size of all parcels but the last ones of
   * ranges. Throws the system's errors.
   */
  constructor(
    path: string,
    private readonly parcelRows: number,
  ) {
    const lines = readLines(path);
    this.#file = openSync(path, "a");
    this.wasBroken = lines.length > 0 && lines.at(-1) !== CLEAN;
    const keys: string[] = [];
    for (const line of lines) this.#replay(line, keys);
    // Tells a later process that this one was here, even if nothing is acknowledged.
    this.#pending = "open\n";
    this.flush();
  }

  /** Since the split was first begun. */
  get trouble(): Pick<AcknowledgedRows, "unknown" | "retried" | "waitedMs"> {
    return { unknown: this.#unknownRows, retried: this.#retried, waitedMs: this.#waitedMs };
  }

  /** What became of a parcel; undefined where that is still to be found out. */
  find(key: string, parcel: number, rows: number): Acknowledgement | undefined {
    const range = this.#ranges.get(key);
    if (range === undefined || !(parcel < range.through || range.beyond.has(parcel))) {
      return undefined;
    }
    const special = range.special.get(parcel);
    const found = special ?? { rows: this.parcelRows, refused: [] };
    return found.rows === rows ? found : undefined;
  }

  /** Written by the next `flush`. */
  settle(key: string, parcel: number, acknowledgement: Acknowledgement): void {
    this.#settle(key, parcel, acknowledgement);
    const { rows, refused } = acknowledgement;
    const faults = refused.length === 0 ? "" : ` ${JSON.stringify(refused)}`;
    const ordinal = this.#ordinalOf(key);
    this.#pending += `${SETTLED} ${ordinal} ${parcel} ${rows}${faults}\n`;
  }

  /** Counts a parcel that may come to the service twice. */
  doubt(key: string, parcel: number, rows: number): void {
    const ordinal = this.#ordinalOf(key);
    if (this.#doubt(key, parcel, rows))
      this.#pending += `${UNKNOWN} ${ordinal} ${parcel} ${rows}\n`;
  }

  /** Adds to what retries there were and how long the service was waited for. */
  addTrouble(retried: number, waitedMs: number): void {
    if (retried === 0 && waitedMs === 0) return;
    this.#retried += retried;
    this.#waitedMs += waitedMs;
    this.#pending += `${TROUBLE} ${retried} ${waitedMs}\n`;
  }

  /** Hands everything to the system, where a kill of this process does not reach it. */
  flush(): void {
    if (this.#pending === "") return;
    const bytes = Buffer.from(this.#pending);
    this.#pending = "";
    this.#isUnsynced = true;
    for (let start = 0; start < bytes.length; ) start += writeSync(this.#file, bytes, start);
  }

  /** Makes what was flushed survive the loss of power, beside the work of this thread. */
  syncSoon(failed: (error: Error) => void): void {
    this.flush();
    if (!this.#isUnsynced) return;
    this.#isUnsynced = false;
    fsync(this.#file, (error) => {
      if (error !== null) failed(error);
    });
  }

  /** `isClean`: nothing is under way. */
  close(isClean: boolean): void {
    if (isClean) this.#pending += `${CLEAN}\n`;
    this.flush();
    fsyncSync(this.#file);
    closeSync(this.#file);
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
    const key = keys[Number(ordinal)];
    if (key === undefined) return;
    const [parcel, rows] = [Number(number), Number(count)];
    if (kind === UNKNOWN) this.#doubt(key, parcel, rows);
    if (kind !== SETTLED) return;
    const faults = line.slice(`${kind} ${ordinal} ${number} ${count}`.length);
    const refused = faults === "" ? [] : (JSON.parse(faults) as readonly RowFault[]);
    this.#settle(key, parcel, { rows, refused });
  }

  #settle(key: string, parcel: number, acknowledgement: Acknowledgement): void {
    let range = this.#ranges.get(key);
    if (range === undefined) {
      range = { through: 0, beyond: new Set(), special: new Map() };
      this.#ranges.set(key, range);
    }
    range.beyond.add(parcel);
    const { rows, refused } = acknowledgement;
    if (refused.length > 0 || rows !== this.parcelRows) range.special.set(parcel, acknowledgement);
    else range.special.delete(parcel);
    while (range.beyond.delete(range.through)) range.through++;
  }

  #doubt(key: string, parcel: number, rows: number): boolean {
    const name = `${key} ${parcel}`;
    if (this.#unknown.has(name)) return false;
    this.#unknown.add(name);
    this.#unknownRows += rows;
    return true;
  }

  #ordinalOf(key: string): number {
    const known = this.#ordinals.get(key);
    if (known !== undefined) return known;
    const ordinal = this.#ordinals.size;
    this.#ordinals.set(key, ordinal);
    this.#pending += `range ${ordinal} ${key}\n`;
    return ordinal;
  }
}

/** What the journal of a split says has been settled; nothing where there is no journal. */
export function countAcknowledged(path: string): AcknowledgedRows {
  let [delivered, refused, unknown, retried, waitedMs] = [0, 0, 0, 0, 0];
  for (const line of linesOf(readOrEmpty(path))) {
    const [kind, first, second, count = "0"] = line.split(" ", 4);
    if (kind === TROUBLE) {
      retried += Number(first);
      waitedMs += Number(second);
    }
    if (kind === UNKNOWN) unknown += Number(count);
    if (kind !== SETTLED) continue;
    const faults = line.indexOf("[");
    const rows = faults === -1 ? 0 : (JSON.parse(line.slice(faults)) as readonly unknown[]).length;
    delivered += Number(count) - rows;
    refused += rows;
  }
  return { delivered, refused, unknown, retried, waitedMs };
}

/** A line that was cut off by the loss of power is taken away, or the next one would go on in it. */
function readLines(path: string): readonly string[] {
  const text = readOrEmpty(path);
  const whole = text.lastIndexOf(0x0a) + 1;
  if (whole < text.length) truncateSync(path, whole);
  return linesOf(text);
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
