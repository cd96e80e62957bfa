import { BATCH_ROWS_MAX } from "../base/limits.js";
import { createZone } from "../base/luxon-zone.js";
import type { Zone } from "../base/zone.js";
import { type Column, cellKinds } from "../batch/column.js";
import type { Kernel } from "../batch/kernel.js";
import type { TimeSource } from "./mapping.js";
import { epochUnit, isEpochFormat } from "./time-format.js";
import { createPatternParser, type ParsePattern } from "./time-pattern.js";

/** States of a row's time; the same numbers as in src/kernels/mapping/time.ts. */
const timeStates = { none: 0, known: 1, local: 2, noTime: 3 } as const;

/** Bits of the kernel's `local`: the kinds of time that are wall-clock time of the zone. */
const textsAreLocal = 1;
const epochsAreLocal = 2;

/** The limit of JavaScript dates and of zone offsets. */
const DATE_MAX_MS = 8_640_000_000_000_000;

/** `min` and `from` inclusive, `max` and `to` exclusive; milliseconds since 1970 UTC. */
export interface TimeLimits {
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
}

interface TimeCandidate {
  readonly index: number;
  readonly zone: Zone;
  readonly local: number;
  readonly unit: number;
  /** Set if the format is a pattern instead of a unit. */
  readonly parse: ParsePattern | undefined;
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
      const inUtc = zone.offsetMs(0) === 0 && /^(?:utc|gmt|z)$/i.test(zone.name);
      const local = inUtc ? 0 : textsAreLocal | (choice.shifted ? epochsAreLocal : 0);
      const { format } = choice;
      const index = indexes[position] as number;
      return isEpochFormat(format)
        ? { index, zone, local, unit: epochUnit(format), parse: undefined }
        : { index, zone, local: 0, unit: 0, parse: createPatternParser(format, zone) };
    });
  }

  /** Reads the times of the rows that have no outcome yet. */
  take(columns: readonly Column[], rows: number, outcomes: number): void {
    this.#kernel.bytes.fill(timeStates.none, this.#states, this.#states + rows);
    for (const candidate of this.#candidates) {
      const column = columns[candidate.index] as Column;
      if (candidate.parse === undefined) this.#parse(column, candidate, rows, outcomes);
      else this.#parsePattern(column, candidate.parse, rows, outcomes);
    }
  }

  /** Marks the rows without a time, and those with a time outside of the limits. */
  check(limits: TimeLimits, rows: number, outcomes: number): void {
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

  #parse(column: Column, candidate: TimeCandidate, rows: number, outcomes: number): void {
    const locals = this.#kernel.run.parseTimes(
      column.address,
      rows,
      outcomes,
      this.#states,
      this.times,
      candidate.unit,
      candidate.local,
    );
    if (locals > 0) this.#leaveZone(candidate.zone, rows, outcomes);
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

  #parsePattern(column: Column, parse: ParsePattern, rows: number, outcomes: number): void {
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
