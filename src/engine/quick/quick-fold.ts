import { formatDay } from "../../base/day.js";
import { sum } from "../../base/sum.js";
import type { SplitRecord } from "../../ledger/ledger-records.js";
import type { Plan } from "../../plan/plan.js";
import type { QuickReport } from "../../profile/report.js";
import type { SplitProfile } from "../../profile/split-profile.js";
import { describeUnknown } from "../../report/quick-text.js";
import { DensityTally, type Figure, figureOf } from "./estimate.js";
import type { QuickSample } from "./quick-sample.js";

/** The probability that all figures of a report are within their errors. */
const CONFIDENCE = 0.99;
const NAMES_MAX = 100;
const HOURS = 24;

const rowFigures = ["read", "added", "delivered", "rejected", "filtered"] as const;

/** Estimates the rows of all inputs from the splits of a sample. Add these in their order. */
export class QuickFold {
  /** By kind and name, such as `event bought`: the tally of each class. */
  readonly #tallies = new Map<string, (DensityTally | undefined)[]>();
  /** Rows of sources that were read as a whole, by kind and name. */
  readonly #exact = new Map<string, number>();
  readonly #splits: ReadonlyMap<string, Plan["splits"][number]>;

  constructor(
    private readonly sample: QuickSample,
    plan: Plan,
  ) {
    this.#splits = new Map(plan.splits.map((split) => [split.id, split]));
  }

  /** `isNamed` is true for each name of the split that is counted by name. */
  add(record: SplitRecord, { events, hours }: SplitProfile, isNamed: readonly boolean[]): void {
    const { ranges = [] } = this.#splits.get(record.id) ?? {};
    const [range] = ranges;
    const unit = range === undefined ? undefined : this.sample.unitOf(range);
    const take = (name: string, rows: number) => {
      if (rows === 0) return;
      if (unit === undefined) {
        this.#exact.set(name, (this.#exact.get(name) ?? 0) + rows);
        return;
      }
      const tallies = this.#tallies.get(name) ?? [];
      this.#tallies.set(name, tallies);
      const tally = tallies[unit.of] ?? new DensityTally();
      tallies[unit.of] = tally;
      tally.add(unit.index, unit.draws, rows / unit.size);
    };
    for (const figure of rowFigures) take(`rows ${figure}`, record.rows[figure]);
    for (const { code, rows } of record.rejects) take(`reject ${code}`, rows);
    for (const [index, { event, rows }] of events.names.entries())
      if (isNamed[index] === true) take(`event ${event}`, rows);
    for (const [day, rows] of daysOf(hours)) take(`day ${day}`, rows);
  }

  /** `bytes`: those of all sources on disk. */
  result(bytes: number): QuickReport {
    const { units, beginnings } = this.sample;
    // A reader looks at all figures: each has its part of the probability of an error (Bonferroni).
    const named = ["reject", "event", "day"].map((kind) => this.#namesOf(kind).length);
    const figures = rowFigures.length + sum(named, (count) => Math.min(count, NAMES_MAX));
    const alpha = (1 - CONFIDENCE) / figures;
    const rows = (figure: (typeof rowFigures)[number]) => this.#figure(`rows ${figure}`, alpha);
    const days = this.#named("day", alpha).map(([day, events]) => ({ day: Number(day), events }));
    const facts = {
      isExact: units === 0,
      confidence: CONFIDENCE,
      units,
      beginnings,
      rows: {
        read: rows("read"),
        added: rows("added"),
        mapped: rows("delivered"),
        rejected: rows("rejected"),
        filtered: rows("filtered"),
      },
      rejects: this.#named("reject", alpha).map(([code, figure]) => ({ code, rows: figure })),
      events: this.#named("event", alpha)
        .slice(0, NAMES_MAX)
        .map(([event, figure]) => ({ event, rows: figure })),
      days: days
        .sort((one, other) => one.day - other.day)
        .map(({ day, events }) => ({ day: formatDay(day), events })),
    };
    return { ...facts, unknown: describeUnknown(facts, this.sample.shareOf(bytes)) };
  }

  /** Returns the figures of a kind by name, the largest first. */
  #named(kind: string, alpha: number): readonly (readonly [name: string, figure: Figure])[] {
    return this.#namesOf(kind)
      .map((name) => [name.slice(kind.length + 1), this.#figure(name, alpha)] as const)
      .sort(([one, { count }], [other, figure]) => figure.count - count || (one < other ? -1 : 1));
  }

  #namesOf(kind: string): readonly string[] {
    const names = [...new Set([...this.#tallies.keys(), ...this.#exact.keys()])];
    return names.filter((name) => name.startsWith(`${kind} `));
  }

  #figure(name: string, alpha: number): Figure {
    const tallies = this.#tallies.get(name) ?? [];
    const parts = this.sample.classes.flatMap((size, of) => tallies[of]?.part(size) ?? []);
    return figureOf(this.#exact.get(name) ?? 0, parts, alpha);
  }
}

function daysOf(hours: SplitProfile["hours"]): ReadonlyMap<number, number> {
  const days = new Map<number, number>();
  for (const [hour, rows] of hours) {
    const day = Math.floor(hour / HOURS);
    days.set(day, (days.get(day) ?? 0) + rows);
  }
  return days;
}
