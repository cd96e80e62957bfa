import { BATCH_ROWS_MAX } from "../base/limits.js";
import { createZone } from "../base/luxon-zone.js";
import type { Zone } from "../base/zone.js";
import { type Column, cellKinds } from "../batch/column.js";
import type { Kernel } from "../batch/kernel.js";
import { CellTarget } from "./cell-target.js";
import type { TimeSource } from "./field-schemas.js";
import { createDaysParser, daysUnit, epochOf } from "./time-format.js";
import { createPatternParser, type ParsePattern } from "./time-pattern.js";
import { parseTimeWords } from "./time-words.js";

/** States of a row's time; the same numbers as in src/kernels/mapping/time.ts. */
const timeStates = { none: 0, known: 1, local: 2, noTime: 3, refused: 4 } as const;

/** Bits of the kernel's `local`: the kinds of time that are wall-clock time of the zone. */
const textsAreLocal = 1;
const epochsAreLocal = 2;

/** The limit of JavaScript dates and of zone offsets. */
const DATE_MAX_MS = 8_640_000_000_000_000;

/** `min` and `from` inclusive, `max` and `to` exclusive; milliseconds since 1970 UTC. */
export interface TimeBounds {
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
}

/** A way to read the texts and numbers of a field: by the kernel, or by a function. */
type TimeStep =
  | { readonly unit: number; readonly epochMs: number; readonly local: number }
  | { readonly parse: ParsePattern };

interface TimeCandidate {
  readonly index: number;
  /** The decoded texts, if they are JSON. */
  readonly decoded: CellTarget | undefined;
  readonly zone: Zone;
  /** Tried in order; a step gets the values that no step before it could read. */
  readonly steps: readonly TimeStep[];
}

/** The timestamps of a batch. Each row uses its first time field that is not null. */
export class TimeTarget {
  /** Address of a double for each row: milliseconds since 1970 UTC. */
  readonly times: number;
  readonly #states: number;
  readonly #kernel: Kernel;
  readonly #candidates: readonly TimeCandidate[];

  constructor(kernel: Kernel, choices: readonly TimeSource[], indexes: readonly number[]) {
    this.#kernel = kernel;
    this.times = kernel.allocate(BATCH_ROWS_MAX * 8);
    this.#states = kernel.allocate(BATCH_ROWS_MAX);
    this.#candidates = choices.map((choice, position) => {
      const zone = createZone(choice.zone);
      const steps = [choice.format].flat().flatMap((format) => stepsOf(format, choice, zone));
      const index = indexes[position] as number;
      const { path, as } = choice;
      const decoded = as && new CellTarget(kernel, [{ path, as }], [index], { emptyIsNull: false });
      return { index, decoded, zone, steps };
    });
  }

  /** Reads the times of the rows that have no outcome yet. */
  take(columns: readonly Column[], rows: number, outcomes: number): void {
    this.#kernel.bytes.fill(timeStates.none, this.#states, this.#states + rows);
    for (const candidate of this.#candidates) {
      candidate.decoded?.take(columns, rows);
      const column = candidate.decoded?.column ?? (columns[candidate.index] as Column);
      for (const [index, step] of candidate.steps.entries()) {
        if (index > 0 && !this.#replace(timeStates.noTime, timeStates.none, rows)) break;
        if ("parse" in step) this.#parseTexts(column, step.parse, rows, outcomes);
        else this.#parse(column, step, candidate.zone, rows, outcomes);
      }
      // A later field does not read the rows that have a value here.
      this.#replace(timeStates.noTime, timeStates.refused, rows);
    }
  }

  /** Returns the index of the field that a row's time is from. */
  choice(columns: readonly Column[], row: number): number {
    return this.#candidates.findIndex(({ index, decoded }) =>
      decoded === undefined
        ? (columns[index] as Column).kind(row) !== cellKinds.null
        : decoded.choice(columns, row) !== undefined,
    );
  }

  /** Replaces a state of rows. Returns true if a row had it. */
  #replace(before: number, after: number, rows: number): boolean {
    const states = this.#kernel.bytes.subarray(this.#states, this.#states + rows);
    const first = states.indexOf(before);
    if (first < 0) return false;
    for (let row = first; row < rows; row++) if (states[row] === before) states[row] = after;
    return true;
  }

  /** Marks the rows without a time, and those with a time outside of the limits. */
  check(limits: TimeBounds, rows: number, outcomes: number): void {
    this.#kernel.run.checkTimes(
      outcomes,
      this.#states,
      this.times,
      rows,
      limits.minTimeMs,
      limits.maxTimeMs,
      limits.fromTimeMs,
      limits.toTimeMs,
    );
  }

  #parse(
    column: Column,
    { unit, epochMs, local }: Extract<TimeStep, { unit: number }>,
    zone: Zone,
    rows: number,
    outcomes: number,
  ): void {
    const locals = this.#kernel.run.parseTimes(
      column.address,
      rows,
      outcomes,
      this.#states,
      this.times,
      unit,
      epochMs,
      local,
    );
    if (locals > 0) this.#leaveZone(zone, rows, outcomes);
  }

  /** Converts the wall-clock times that the kernel left to UTC. */
  #leaveZone(zone: Zone, rows: number, outcomes: number): void {
    const { bytes, doubles } = this.#kernel;
    const first = this.times / 8;
    for (let row = 0; row < rows; row++) {
      const state = this.#states + row;
      if (bytes[outcomes + row] !== 0 || bytes[state] !== timeStates.local) continue;
      const local = doubles[first + row]!;
      if (Math.abs(local) < DATE_MAX_MS) doubles[first + row] = zone.utcMs(local);
      bytes[state] = timeStates.known;
    }
  }

  #parseTexts(column: Column, parse: ParsePattern, rows: number, outcomes: number): void {
    const { bytes, doubles } = this.#kernel;
    for (let row = 0; row < rows; row++) {
      if (bytes[outcomes + row] !== 0 || bytes[this.#states + row] !== timeStates.none) continue;
      const kind = column.kind(row);
      if (kind === cellKinds.null) continue;
      const isText = kind === cellKinds.string || kind === cellKinds.number;
      const time = isText ? parse(column.text(row) as string) : undefined;
      bytes[this.#states + row] = time === undefined ? timeStates.noTime : timeStates.known;
      if (time !== undefined) doubles[this.times / 8 + row] = time;
    }
  }
}

/** Returns the steps of one format; `auto` has a second one for unusual texts. */
function stepsOf(format: string, { shifted }: TimeSource, zone: Zone): readonly TimeStep[] {
  const inUtc = zone.offsetMs(0) === 0 && /^(?:utc|gmt|z)$/i.test(zone.name);
  const local = inUtc ? 0 : textsAreLocal | (shifted ? epochsAreLocal : 0);
  const zoned = (timeMs: number | undefined, isLocal: boolean) =>
    timeMs !== undefined && isLocal ? zone.utcMs(timeMs) : timeMs;
  const epoch = epochOf(format);
  if (epoch === undefined) return [{ parse: createPatternParser(format, zone) }];
  const { unit, epochMs } = epoch;
  if (unit === daysUnit) {
    const days = createDaysParser(epochMs);
    return [{ parse: (text) => zoned(days(text), (local & epochsAreLocal) !== 0) }];
  }
  const step: TimeStep = { unit, epochMs, local };
  if (format !== "auto") return [step];
  const parse = (text: string) => {
    const time = parseTimeWords(text);
    return zoned(time?.timeMs, time?.isLocal === true);
  };
  return [step, { parse }];
}
