import type { Layout } from "../output/layout.js";
import type { Source } from "../sources/source.js";
import { plainSource } from "../sources/source-table.js";
import { type RunRecord, readEpochs, type SavedEpoch } from "./ledger.js";
import { containersOf, type RunFacts } from "./resume.js";

type Inputs = Pick<RunFacts, "sources" | "unreadable">;
type Saved = Pick<RunRecord, "plan" | "unreadable" | "limit">;

/** The inputs of today by the epoch that reads them. */
interface SourceEpochs {
  /** One for each saved epoch; sources have the names that its plan gives them. */
  readonly known: readonly Inputs[];
  /** Inputs that no epoch knows; none if the limit of rows ended before the last input. */
  readonly fresh: Inputs;
}

/** Reads the epochs of an output, and finds the epoch of each input. Throws `ledger_unreadable`. */
export async function matchEpochs(
  layout: Layout,
  inputs: Inputs,
): Promise<SourceEpochs & { readonly saved: readonly SavedEpoch[] }> {
  const saved = await readEpochs(layout, inputs.sources);
  const records = saved.map(({ record }) => record);
  return { saved, ...assignSources(records, inputs) };
}

/**
 * Finds the epoch of each input. A source is known by its file, by its name, or, if another file of
 * an epoch is gone, by its content: a file that was moved or renamed is not read twice.
 */
export function assignSources(
  saved: readonly Saved[],
  { sources, unreadable }: Inputs,
): SourceEpochs {
  if (saved.length === 0) return { known: [], fresh: { sources, unreadable } };
  const failed = saved.map((epoch) => new Set(epoch.unreadable.map(({ source }) => source)));
  const known = saved.map(() => [] as Source[]);
  const fresh: Source[] = [];
  const { epochs: matched, names } = matchSources(saved, sources);
  for (const [index, source] of sources.entries()) {
    const match = matched[index] ?? -1;
    const epoch = match >= 0 ? match : failed.findIndex((one) => isIn(one, source.name));
    const name = names.get(source);
    const isRenamed = name !== undefined && name !== source.name;
    (known[epoch] ?? fresh).push(isRenamed ? { ...plainSource(source), name } : source);
  }
  const epochsOf = createUnreadableMatch(saved, failed);
  const epochs = unreadable.map(({ source }) => epochsOf(source));
  const isPartial = saved.some(({ limit }) => limit?.partial === true);
  return {
    known: known.map((own, epoch) => ({
      sources: own,
      unreadable: unreadable.filter((_, index) => epochs[index]?.[epoch] === true),
    })),
    fresh: isPartial
      ? { sources: [], unreadable: [] }
      : {
          sources: fresh,
          unreadable: unreadable.filter((_, index) => epochs[index]?.includes(true) !== true),
        },
  };
}

/** Returns a function that finds the epochs that have planned an input, which cannot be read now, or parts of it. */
function createUnreadableMatch(
  saved: readonly Saved[],
  failed: readonly ReadonlySet<string>[],
): (name: string) => readonly boolean[] {
  let names: readonly ReadonlySet<string>[] | undefined;
  return (name) => {
    names ??= saved.map(
      ({ plan }, epoch) =>
        new Set(
          [...plan.sources.map((source) => source.name), ...(failed[epoch] ?? [])].flatMap(
            containersOf,
          ),
        ),
    );
    return names.map((planned, epoch) => planned.has(name) || isIn(failed[epoch], name));
  };
}

function isIn(names: ReadonlySet<string> | undefined, name: string): boolean {
  if (names === undefined || names.size === 0) return false;
  return containersOf(name).some((one) => names.has(one));
}

interface SourceMatches {
  /** The epoch of each source, or -1. */
  readonly epochs: readonly number[];
  /** Names that plans give to sources, if they differ. */
  readonly names: ReadonlyMap<Source, string>;
}

/**
 * Finds the planned source that each source is; a planned one matches at most one. Most are the very
 * sources of a plan; only what is left is looked up, as there can be millions.
 */
function matchSources(saved: readonly Saved[], sources: readonly Source[]): SourceMatches {
  const left = new Map<Source, number>();
  for (const [epoch, { plan }] of saved.entries())
    for (const source of plan.sources) left.set(source, epoch);
  const take = (planned: Source) => {
    const epoch = left.get(planned) ?? -1;
    left.delete(planned);
    return epoch;
  };
  const epochs = sources.map(take);
  const names = new Map<Source, string>();
  for (const keyOf of [fileOf, nameOf, contentOf]) {
    if (left.size === 0) break;
    const planned = new Map([...left.keys()].map((source) => [keyOf(source), source]));
    for (const [index, source] of sources.entries()) {
      const match = epochs[index] === -1 ? planned.get(keyOf(source)) : undefined;
      if (match === undefined || !left.has(match)) continue;
      epochs[index] = take(match);
      names.set(source, match.name);
    }
  }
  return { epochs, names };
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
