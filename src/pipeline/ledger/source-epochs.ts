import type { Source } from "../../readers/source.js";
import type { RunRecord } from "./ledger.js";
import { containersOf, type RunFacts } from "./resume.js";

type Inputs = Pick<RunFacts, "sources" | "unreadable">;

/** The inputs of today by the epoch that reads them. */
export interface SourceEpochs {
  /** One for each saved epoch; sources have the names that its plan gives them. */
  readonly known: readonly Inputs[];
  /** Inputs that no epoch knows. */
  readonly fresh: Inputs;
}

/**
 * Finds the epoch of each input. A source is known by its file, by its name, or, if another file of
 * an epoch is gone, by its content: a file that was moved or renamed is not read twice.
 */
export function assignSources(
  saved: readonly Pick<RunRecord, "plan" | "unreadable">[],
  { sources, unreadable }: Inputs,
): SourceEpochs {
  const failed = saved.map((epoch) => new Set(epoch.unreadable.map(({ source }) => source)));
  const known = saved.map(() => [] as Source[]);
  const fresh: Source[] = [];
  for (const [source, match] of new PlannedSources(saved).match(sources)) {
    const epoch = match?.epoch ?? failed.findIndex((names) => isIn(names, source.name));
    const name = match?.source.name ?? source.name;
    const target = known[epoch] ?? fresh;
    target.push(name === source.name ? source : { ...source, name });
  }
  const names = saved.map(
    ({ plan }, epoch) =>
      new Set(
        [...plan.sources.map(({ name }) => name), ...(failed[epoch] ?? [])].flatMap(containersOf),
      ),
  );
  const epochsOf = unreadable.map(({ source }) =>
    saved.map((_, epoch) => names[epoch]?.has(source) === true || isIn(failed[epoch], source)),
  );
  return {
    known: known.map((own, epoch) => ({
      sources: own,
      unreadable: unreadable.filter((_, index) => epochsOf[index]?.[epoch] === true),
    })),
    fresh: {
      sources: fresh,
      unreadable: unreadable.filter((_, index) => epochsOf[index]?.includes(true) !== true),
    },
  };
}

function isIn(names: ReadonlySet<string> | undefined, name: string): boolean {
  return containersOf(name).some((one) => names?.has(one) === true);
}

interface Planned {
  readonly epoch: number;
  readonly source: Source;
}

/** The sources of all plans. Each matches at most one source of today. */
class PlannedSources {
  readonly #left: Set<Planned>;

  constructor(saved: readonly Pick<RunRecord, "plan">[]) {
    this.#left = new Set(
      saved.flatMap(({ plan }, epoch) => plan.sources.map((source) => ({ epoch, source }))),
    );
  }

  /** Returns the sources in their order, each with the planned source that it is. */
  match(sources: readonly Source[]): ReadonlyMap<Source, Planned | undefined> {
    const matches = new Map<Source, Planned | undefined>(
      sources.map((source) => [source, undefined]),
    );
    for (const keyOf of [fileOf, nameOf, contentOf]) {
      const planned = new Map([...this.#left].map((one) => [keyOf(one.source), one]));
      for (const source of sources) {
        if (matches.get(source) !== undefined) continue;
        const match = planned.get(keyOf(source));
        if (match === undefined || !this.#left.delete(match)) continue;
        matches.set(source, match);
      }
    }
    return matches;
  }
}

function fileOf({ path, entry }: Source): string {
  return JSON.stringify([path, entry?.name]);
}

function nameOf({ name }: Source): string {
  return name;
}

function contentOf({ fingerprint }: Source): string {
  return fingerprint;
}
