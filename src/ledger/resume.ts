import { UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import type { PlanChanges } from "../plan/change-plan.js";
import { splitsOfSources } from "../plan/plan.js";
import { describeFingerprintChange, holdsSame } from "../sources/fingerprint.js";
import type { Source } from "../sources/source.js";
import type { RunRecord } from "./ledger.js";
import type { SourceFailure } from "./manifest.js";
import { optionDifferences } from "./recorded-options.js";

/** Changes that a message lists; the rest is counted. */
const CHANGES_LISTED_MAX = 20;

/** The facts of a run that a resumed run must share. */
export interface RunFacts {
  readonly version: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly sources: readonly Source[];
  /** Inputs whose first bytes cannot be read; they are not in the plan. */
  readonly unreadable: readonly SourceFailure[];
}

/** The output directory holds the run of another command. Nothing was changed. Exit code 2. */
export class ChangedError extends UsageError {
  constructor(outputDirectory: string, changes: readonly string[]) {
    const listed = changes.slice(0, CHANGES_LISTED_MAX).map((change) => `\n  ${change}`);
    const rest = changes.length - listed.length;
    super(
      "run_changed",
      `${outputDirectory} contains a run with other settings:${listed.join("")}${
        rest > 0 ? `\n  and ${rest} more` : ""
      }\n${adviceOn(changes)} or start over with ${option("fresh")}.`,
    );
  }
}

/** New inputs are read in a further epoch; inputs that were read cannot be replaced. */
function adviceOn(changes: readonly string[]): string {
  if (!changes.every((change) => change.startsWith("input ")))
    return "Undo these changes to resume it, choose another directory,";
  return "Restore these inputs and pass further rows as new files,";
}

export function describeVersionChange(before: string, now: string): string {
  return `version of Switchyard: was ${before}, is ${now}`;
}

/** The state of a saved run's splits. */
interface SavedSplits {
  readonly finished: ReadonlySet<string>;
  /** Names of sources that failed and may be replaced although some of their splits are finished. */
  readonly replaceable: ReadonlySet<string>;
  /** Names of sources whose bytes are not those that were read, although their fingerprints are the same. */
  readonly edited: ReadonlySet<string>;
  /** As in `RunSink`: another version must not finish a split that this run may have begun. */
  readonly isFinal: boolean;
}

/** The result of comparing a saved run with the current one. */
export interface Comparison extends PlanChanges {
  /** Descriptions of everything that differs and that finished splits depend on. */
  readonly refused: readonly string[];
}

/**
 * Compares a saved epoch with today's inputs that belong to it. Some changes are allowed: a failed
 * file may be repaired, a good one may fail, and an input that was read may be gone.
 */
export function compareRun(saved: RunRecord, splits: SavedSplits, facts: RunFacts): Comparison {
  // Most sources are the same objects as in the plan. Only the others are compared, as there can be
  // millions.
  const [olds, news] = withoutCommon(saved.plan.sources, facts.sources);
  const known = new Set(olds.map(({ name }) => name));
  const changed = { ...facts, sources: news };
  const { refused, ...changes } = compareKnown(saved, olds, splits, changed);
  const appeared = news.filter(({ name }) => !known.has(name));
  const isFinished = splits.finished.size === saved.plan.splits.length;
  return {
    ...changes,
    appeared,
    refused: [
      ...(saved.version === facts.version || isFinished || !splits.isFinal
        ? []
        : [
            `${describeVersionChange(saved.version, facts.version)} (only ${saved.version} can finish what it began)`,
          ]),
      ...optionDifferences(saved.options, facts.options),
      ...refused,
      ...describeMoved(saved, { ...changes, appeared }),
    ],
  };
}

/** Describes changes of inputs that move the last row of a limit. */
function describeMoved(
  { limit }: RunRecord,
  { repaired, appeared, lost }: Omit<PlanChanges, "vanished">,
): readonly string[] {
  if (limit === undefined) return [];
  const names = [...[...repaired, ...appeared].map(({ name }) => name), ...lost];
  return names.map(
    (name) =>
      `${option("limit")} ${limit.rows}: its rows may be others, because input ${name} has changed`,
  );
}

/** Throws `run_changed` if a run with a limit would get further inputs. */
export function refuseGrowth(
  outputDirectory: string,
  saved: readonly Pick<RunRecord, "limit">[],
  { sources, unreadable }: Pick<RunFacts, "sources" | "unreadable">,
): void {
  const limit = saved.map((record) => record.limit).find((one) => one !== undefined);
  if (limit === undefined) return;
  const names = [...sources.map(({ name }) => name), ...unreadable.map(({ source }) => source)];
  const why = `${option("limit")} ${limit.rows}: an output of a limited run takes no further inputs`;
  throw new ChangedError(
    outputDirectory,
    names.map((name) => `${why}, such as ${name}`),
  );
}

/** Returns the items of each list that are not in the other one. */
function withoutCommon<Item>(
  ones: readonly Item[],
  others: readonly Item[],
): readonly [readonly Item[], readonly Item[]] {
  if (ones.length === others.length && ones.every((item, index) => item === others[index]))
    return [[], []];
  const known = new Set(others);
  const common = new Set(ones.filter((item) => known.has(item)));
  return [ones.filter((item) => !common.has(item)), others.filter((item) => !common.has(item))];
}

/** Compares planned inputs with those of today. */
function compareKnown(
  saved: RunRecord,
  olds: readonly Source[],
  { finished, replaceable, edited }: SavedSplits,
  { sources, unreadable }: RunFacts,
) {
  const refused: string[] = [];
  const repaired: Source[] = [];
  const lost = new Set<string>();
  const vanished = new Set<string>();
  const names = new Set(olds.map(({ name }) => name));
  const homes = splitsOfSources(saved.plan.splits, names);
  const current = new Map(sources.map((source) => [source.name, source]));
  const failures = new Map(unreadable.map((failure) => [failure.source, failure]));
  for (const old of olds) {
    const { name, fingerprint } = old;
    const source = current.get(name);
    if (source !== undefined && holdsSame(old, source) && !edited.has(name)) continue;
    const home = homes.get(name) ?? [];
    const isBegun = !replaceable.has(name) && home.some((id) => finished.has(id));
    const failure = failureOf(name, failures);
    if (source === undefined && failure === undefined) {
      if (home.every((id) => finished.has(id))) vanished.add(name);
      else refused.push(`input ${name}: is gone, but was not read to its end`);
    } else if (isBegun) {
      const change =
        source === undefined
          ? failure?.message
          : `${describeFingerprintChange(fingerprint, source.fingerprint)}${edited.has(name) ? ", other content" : ""}`;
      refused.push(`input ${name}: ${change}`);
    } else if (source === undefined) lost.add(name);
    else repaired.push(source);
  }
  return { refused, repaired, lost, vanished };
}

function failureOf(
  name: string,
  failures: ReadonlyMap<string, SourceFailure>,
): SourceFailure | undefined {
  const failedName = containersOf(name).find((container) => failures.has(container));
  return failedName === undefined ? undefined : failures.get(failedName);
}

/**
 * Returns a name and its containers (`a.zip!dir/b.json`, `a.zip`) for lookups in a map: comparing
 * 26,000 names with 5,000 others one by one took 39 s.
 */
export function containersOf(name: string): readonly string[] {
  const containers = [name];
  for (let end = name.lastIndexOf("!"); end > 0; end = name.lastIndexOf("!", end - 1)) {
    containers.push(name.slice(0, end));
  }
  return containers;
}
