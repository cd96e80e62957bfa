import { SourceError, throwIfInterrupted } from "../../base/errors.js";
import { groupBy } from "../../base/group-by.js";
import { mapBounded } from "../../base/map-bounded.js";
import { sum } from "../../base/sum.js";
import type { QuickLimits } from "../../options/options.js";
import { weightFactor } from "../../plan/plan.js";
import { isTarEntry, type Source, type SourceRange } from "../../sources/source.js";
import { drawUnits, randomOf, type Unit } from "./draw-units.js";
import type { ClassSize } from "./estimate.js";
import { type SampleTools, type UnitKind, unitKindOf, unitKinds } from "./unit-kinds.js";

/** A drawn unit that is read. */
interface SampledUnit {
  /** Index of its class. */
  readonly of: number;
  /** Among the drawn units of its class. */
  readonly index: number;
  readonly draws: number;
  /** Size of what is read of it, in the unit of its class. */
  readonly size: number;
}

/** The parts of the inputs that a quick dry run reads. */
export class QuickSample {
  /** Sources and row groups of which only the beginning is read. */
  beginnings = 0;
  readonly #classes: ClassSize[] = [];
  /** Ranges by name of their source; other sources are read as a whole. */
  readonly #ranges = new Map<string, SourceRange[]>();
  readonly #units = new Map<string, SampledUnit>();
  /** Bytes of the sampled sources, and those of them that are read. */
  #bytes = { sampled: 0, read: 0 };

  get classes(): readonly ClassSize[] {
    return this.#classes;
  }

  get units(): number {
    return this.#units.size;
  }

  /** Returns the share of `bytes` on disk, those of all sources, that is read. */
  shareOf(bytes: number): number {
    const { sampled, read } = this.#bytes;
    return bytes === 0 ? 1 : (bytes - sampled + read) / bytes;
  }

  /** Returns the ranges to read of a source; undefined for one that is read as a whole. */
  rangesOf({ name }: Source): readonly SourceRange[] | undefined {
    return this.#ranges.get(name);
  }

  /** Returns the drawn unit of a range; undefined in a source that is read as a whole. */
  unitOf(range: SourceRange): SampledUnit | undefined {
    return this.#units.get(keyOf(range));
  }

  /** Draws from sources of one class. What cannot be read is left to the run, which reports it. */
  async draw(
    members: readonly Source[],
    draws: number,
    { limits, random, tools }: Drawing,
  ): Promise<void> {
    const kind: UnitKind = unitKinds[unitKindOf(members[0] as Source)];
    const lists = await this.#unitsOf(members, (source) => kind.unitsOf(source, limits, tools));
    const [total, length] = measure(lists);
    if (total === 0) return;
    const count = kind.drawsOf(draws, total / length, limits);
    const drawn = drawUnits(joined(lists), { total, draws: count }, random);
    const parts = await mapBounded(drawn, PARTS_CONCURRENCY, ({ unit }) => {
      throwIfInterrupted(tools.options.signal);
      return attempt(() => kind.partOf(unit, limits, tools));
    });
    const slacks: number[] = [];
    let read = 0;
    for (const [place, { unit, ...draw }] of drawn.entries()) {
      const ranges = this.#ranges.get(unit.source.name) ?? [];
      const part = parts[place];
      if (part === "failed") {
        if (ranges.length === 0) ranges.push({ source: unit.source, start: 0, end: null });
        continue;
      }
      read += part?.size ?? unit.size;
      if (part === undefined) continue;
      const { range, size, isBeginning, slack } = part;
      ranges.push(range);
      slacks.push(slack);
      this.#units.set(keyOf(range), { of: this.#classes.length, ...draw, size });
      if (isBeginning) this.beginnings++;
    }
    const bytes = sum(members, ({ size }) => size);
    this.#bytes.sampled += bytes;
    this.#bytes.read += (bytes * read) / total;
    const slack = sum(slacks, (one) => one) / Math.max(1, slacks.length);
    this.#classes.push({ total, draws: count, units: drawn.length, slack });
  }

  async #unitsOf(
    members: readonly Source[],
    unitsOf: (source: Source) => Iterable<Unit> | Promise<Iterable<Unit>>,
  ): Promise<readonly Iterable<Unit>[]> {
    const lists = await mapBounded(members, UNITS_CONCURRENCY, (source) =>
      attempt(() => unitsOf(source)),
    );
    return lists.filter((list, index) => {
      if (list === "failed") return false;
      this.#ranges.set((members[index] as Source).name, []);
      return true;
    }) as Iterable<Unit>[];
  }
}

/** Footers that are read at the same time, and beginnings and cuts. */
const UNITS_CONCURRENCY = 16;
const PARTS_CONCURRENCY = 4;

/** Returns the size and the number of units. There can be many millions, so they are never in one list. */
function measure(lists: readonly Iterable<Unit>[]): readonly [total: number, length: number] {
  let [total, length] = [0, 0];
  for (const { size } of joined(lists)) {
    total += size;
    length++;
  }
  return [total, length];
}

function* joined(lists: readonly Iterable<Unit>[]): Generator<Unit> {
  for (const list of lists) yield* list;
}

interface Drawing {
  readonly limits: QuickLimits;
  readonly random: () => number;
  readonly tools: SampleTools;
}

/** Least draws of a class, for an error of its own. */
const DRAWS_MIN = 16;

/**
 * Draws the parts of the inputs that a quick dry run reads. Sources of one format and compression are a
 * class, which gets draws by its size. A class that would be read for the most part is read as a whole.
 * The same inputs give the same sample.
 */
export async function drawQuickSample(
  sources: readonly Source[],
  limits: QuickLimits,
  tools: SampleTools,
): Promise<QuickSample> {
  const sample = new QuickSample();
  const random = randomOf(sources);
  const weightOf = (source: Source) => source.size * weightFactor(source);
  const total = sum(sources, weightOf);
  for (const members of classesOf(sources)) {
    const weight = sum(members, weightOf);
    const draws = Math.max(DRAWS_MIN, Math.round((limits.units * weight) / Math.max(1, total)));
    if (weight > 2 * draws * limits.pieceBytes)
      await sample.draw(members, draws, { limits, random, tools });
  }
  return sample;
}

function classesOf(sources: readonly Source[]): readonly (readonly Source[])[] {
  const classes = groupBy(sources, (source) => {
    const { format, codecs, entry } = source;
    return JSON.stringify([unitKindOf(source), format.kind, codecs, archiveKindOf(entry)]);
  });
  return [...classes.values()];
}

function archiveKindOf(entry: Source["entry"]): unknown {
  return isTarEntry(entry) ? entry.codecs : entry?.method;
}

function keyOf({ source, start }: SourceRange): string {
  return `${start} ${source.name}`;
}

/** Returns what `work` returns, or `failed` if its source cannot be read. */
async function attempt<Result>(work: () => Result | Promise<Result>): Promise<Result | "failed"> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SourceError) return "failed";
    throw error;
  }
}
