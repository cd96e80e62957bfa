import { UsageError } from "../base/errors.js";
import type { Source } from "../readers/source.js";
import type { RunRecord } from "./ledger.js";
import { splitsOfSources } from "./plan.js";
import { differences, type RecordedOptions } from "./recorded-options.js";

/** Changes that a message lists before it only counts the rest. */
const CHANGES_LISTED_MAX = 20;

/** What a run is started with, to be compared with what an earlier one was started with. */
export interface RunFacts {
  readonly version: string;
  readonly options: RecordedOptions;
  readonly sources: readonly Source[];
}

/** The output directory holds the work of another command. Nothing was touched. Exit code 2. */
export class ChangedError extends UsageError {
  readonly changes: readonly string[];

  constructor(outputDirectory: string, changes: readonly string[]) {
    const listed = changes.slice(0, CHANGES_LISTED_MAX).map((change) => `\n  ${change}`);
    const rest = changes.length - listed.length;
    super(
      "run_changed",
      `${outputDirectory} holds a run that was started with something else:${listed.join("")}${
        rest > 0 ? `\n  and ${rest} more` : ""
      }\nUndo that to go on with it, choose another directory, or start over with --fresh.`,
    );
    this.changes = changes;
  }
}

/**
 * Whether an earlier run can be taken up. Throws `ChangedError` when anything differs that its
 * finished splits depend on. Gives the sources that have other content now and of which no split is
 * finished (a repaired file): they are to be planned again, in their old places.
 */
export function checkResume(
  outputDirectory: string,
  saved: RunRecord,
  finishedSplits: ReadonlySet<string>,
  facts: RunFacts,
): readonly Source[] {
  const changes: string[] = [];
  if (saved.version !== facts.version) {
    changes.push(`version of Switchyard: was ${saved.version}, is ${facts.version}`);
  }
  changes.push(...differences(saved.options, facts.options));
  const repaired: Source[] = [];
  const homes = splitsOfSources(saved.plan.splits);
  const current = new Map(facts.sources.map((source) => [source.name, source]));
  for (const old of saved.plan.sources) {
    const source = current.get(old.name);
    if (source === undefined) changes.push(`input ${old.name}: was there, is gone`);
    else if (source.fingerprint === old.fingerprint) continue;
    else if (homes.get(old.name)?.some((id) => finishedSplits.has(id)) === true) {
      changes.push(`input ${old.name}: its content changed`);
    } else repaired.push(source);
  }
  const known = new Set(saved.plan.sources.map((source) => source.name));
  for (const { name } of facts.sources) {
    if (!known.has(name)) changes.push(`input ${name}: was not there, is there now`);
  }
  if (changes.length > 0) throw new ChangedError(outputDirectory, changes);
  return repaired;
}
