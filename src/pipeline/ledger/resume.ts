import { UsageError } from "../../base/errors.js";
import { describeFingerprintChange } from "../../readers/fingerprint.js";
import type { Source } from "../../readers/source.js";
import type { SourceFailure } from "../manifest.js";
import { splitsOfSources } from "../plan.js";
import type { RunRecord } from "./ledger.js";
import { differences } from "./recorded-options.js";

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

/** The changes that a saved plan needs before it is resumed. */
export interface PlanChanges {
  /** Sources with new content; to be planned again in their old splits. */
  readonly repaired: readonly Source[];
  /** Sources that could not be read before. */
  readonly appeared: readonly Source[];
  /** Names of sources that cannot be read now. */
  readonly lost: ReadonlySet<string>;
}

/** The output directory holds the run of another command. Nothing was changed. Exit code 2. */
export class ChangedError extends UsageError {
  readonly changes: readonly string[];

  constructor(outputDirectory: string, changes: readonly string[]) {
    const listed = changes.slice(0, CHANGES_LISTED_MAX).map((change) => `\n  ${change}`);
    const rest = changes.length - listed.length;
    super(
      "run_changed",
      `${outputDirectory} holds a run that was started differently:${listed.join("")}${
        rest > 0 ? `\n  and ${rest} more` : ""
      }\nUndo these changes to resume it, choose another directory, or start over with --fresh.`,
    );
    this.changes = changes;
  }
}

/** Returns a text that names the version that began a run; only that version can resume it. */
export function describeVersionChange(before: string, now: string): string {
  return `version of Switchyard: was ${before}, is ${now} (only ${before} can resume the run)`;
}

/** The state of a saved run's splits. */
export interface SavedSplits {
  readonly finished: ReadonlySet<string>;
  /** Names of sources that failed and may be replaced although some of their splits are finished. */
  readonly replaceable: ReadonlySet<string>;
}

/**
 * Checks that an earlier run can be resumed. Throws `ChangedError` if anything differs that its
 * finished splits depend on. Other inputs may have changed: failed files that were repaired, or the
 * reverse.
 */
export function checkResume(
  outputDirectory: string,
  saved: RunRecord,
  { finished, replaceable }: SavedSplits,
  facts: RunFacts,
): PlanChanges {
  const homes = splitsOfSources(saved.plan.splits);
  const isFinished = (name: string) =>
    !replaceable.has(name) && homes.get(name)?.some((id) => finished.has(id)) === true;
  const known = compareKnown(saved, facts, isFinished);
  const fresh = compareNew(saved, facts);
  const changes = [
    ...(saved.version === facts.version
      ? []
      : [describeVersionChange(saved.version, facts.version)]),
    ...differences(saved.options, facts.options),
    ...known.changes,
    ...fresh.changes,
  ];
  if (changes.length > 0) throw new ChangedError(outputDirectory, changes);
  return { repaired: known.repaired, appeared: fresh.appeared, lost: known.lost };
}

/** Compares the inputs of the saved run with those of today. */
function compareKnown(
  saved: RunRecord,
  { sources, unreadable }: RunFacts,
  isFinished: (name: string) => boolean,
) {
  const changes: string[] = [];
  const repaired: Source[] = [];
  const lost = new Set<string>();
  const current = new Map(sources.map((source) => [source.name, source]));
  const failures = new Map(unreadable.map((failure) => [failure.source, failure]));
  for (const old of saved.plan.sources) {
    const { name, fingerprint } = old;
    const source = current.get(name);
    if (source !== undefined && holdsSame(old, source)) continue;
    const failedName = containersOf(name).find((container) => failures.has(container));
    const failure = failedName === undefined ? undefined : failures.get(failedName);
    if (source === undefined && failure === undefined) {
      changes.push(`input ${name}: was there, is gone`);
    } else if (isFinished(name)) {
      const change =
        source === undefined
          ? failure?.message
          : describeFingerprintChange(fingerprint, source.fingerprint);
      changes.push(`input ${name}: ${change}`);
    } else if (source === undefined) lost.add(name);
    else repaired.push(source);
  }
  const there = new Set([...current.keys(), ...failures.keys()].flatMap(containersOf));
  for (const { source: name } of saved.unreadable) {
    const isThere = there.has(name) || containersOf(name).some((one) => failures.has(one));
    if (!isThere) changes.push(`input ${name}: was there, is gone`);
  }
  return { changes, repaired, lost };
}

/** Finds inputs that the saved run does not know. */
function compareNew(saved: RunRecord, { sources, unreadable }: RunFacts) {
  const changes: string[] = [];
  const appeared: Source[] = [];
  const known = new Set(saved.plan.sources.map(({ name }) => name));
  const failed = new Set(saved.unreadable.map((failure) => failure.source));
  const wasThere = new Set([...known, ...failed].flatMap(containersOf));
  const wasUnreadable = (name: string) => containersOf(name).some((one) => failed.has(one));
  for (const source of sources) {
    if (known.has(source.name)) continue;
    if (wasUnreadable(source.name)) appeared.push(source);
    else changes.push(`input ${source.name}: was not there, is there now`);
  }
  for (const { source: name } of unreadable) {
    const isOld = wasUnreadable(name) || wasThere.has(name);
    if (!isOld) changes.push(`input ${name}: was not there, is there now`);
  }
  return { changes, appeared };
}

/**
 * Returns true if a source has the same content as before. A zip entry is identified by its
 * checksum: if a broken zip is replaced by a complete one, entries that were read stay valid.
 */
export function holdsSame(before: Source, now: Source): boolean {
  const [a, b] = [before.entry, now.entry];
  if (a === undefined || b === undefined) return before.fingerprint === now.fingerprint;
  return (
    a.name === b.name &&
    a.crc32 === b.crc32 &&
    a.compressedSize === b.compressedSize &&
    a.uncompressedSize === b.uncompressedSize
  );
}

/**
 * Returns a name and its containers (`a.zip!dir/b.json`, `a.zip`) for lookups in a map: comparing
 * 26,000 names with 5,000 others one by one took 39 s.
 */
function containersOf(name: string): readonly string[] {
  const containers = [name];
  for (let end = name.lastIndexOf("!"); end > 0; end = name.lastIndexOf("!", end - 1)) {
    containers.push(name.slice(0, end));
  }
  return containers;
}
