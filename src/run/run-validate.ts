import { inTemporaryDirectory } from "../base/make-directory.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import { forgetKeys, keepKeys } from "../dedupe/kept-keys.js";
import { keyFileOf, keyLayoutOf, keySplitOf } from "../dedupe/key-layout.js";
import { formatOf } from "../formats/input-formats.js";
import { EventFold } from "../ledger/event-fold.js";
import { Ledger, type RunRecord } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { RunAccounts } from "../ledger/manifest.js";
import { checkEvents } from "../ledger/manifest-fold.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import { type AccountFacts, foldAccounts, inOrder } from "../ledger/run-accounts.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { ValidateOptions, ValidateRequest } from "../options/options.js";
import { layoutOf } from "../output/layout.js";
import type { Plan } from "../plan/plan.js";
import type { FieldTally, LackedTarget } from "../profile/field-tally.js";
import { ProfileFold } from "../profile/profile-fold.js";
import { profiledTargets } from "../profile/split-profile.js";
import type { Source, SourceRange } from "../sources/source.js";
import { countDuplicates } from "./dedupe/duplicate-totals.js";
import { budgetThreads } from "./pool/thread-count.js";
import { type CountedReport, foldReport, type ReportFacts } from "./report/fold-report.js";
import type { RunJob, RunOutside } from "./run-job.js";
import { type RunResult, runSplits } from "./run-splits.js";

/** Counts of the rows that were read. */
export interface CountedFields {
  /** Counts of the fields of some rows. */
  readonly counts: FieldTally;
  /** All rows without a value for a target. */
  readonly lacking: ReadonlyMap<LackedTarget, number>;
}

/** Texts of a report that the caller provides. */
export interface ReportWords extends Pick<ReportFacts, "adviceOn"> {
  /** Samples the sources for fields without a target, and finds those that were renamed. */
  fieldsOf(
    sources: readonly Source[],
    counted: CountedFields,
  ): Promise<Pick<ReportFacts, "unusedFields" | "renamedFields">>;
}

/** The result of a dry run. */
export interface ValidateResult
  extends Pick<
    RunResult<RunAccounts>,
    "outcome" | "failures" | "tooManyRejects" | "rowsRead" | "bytesRead" | "durationMs"
  > {
  /** Counts of what was read, also if the run was interrupted. */
  readonly counted: CountedReport;
}

/**
 * Reads and maps inputs like an export of the same options, and profiles their events. Keeps
 * nothing: the ledger is in a temporary directory below `scratchDirectory`, which is always
 * removed. Throws like `runSplits`.
 */
export async function runValidate(
  request: ValidateRequest,
  context: RunContext,
  outside: RunOutside,
  words: ReportWords,
  scratchDirectory?: string,
): Promise<ValidateResult> {
  const { sampleShare, reportDirectory: _, countedKey: key, ...runOptions } = request;
  const readsAll = sampleShare >= 1;
  const countedKey = readsAll ? key : undefined;
  const { dayZone } = request;
  const recorded = { ...(await recordRunOptions(request)), dayZone };
  const sampler = new RangeSampler(sampleShare);
  const validate = async (outputDirectory: string) => {
    const options: ValidateOptions = {
      ...runOptions,
      ...omitUndefined({ countedKey }),
      outputDirectory,
      nowMs: outside.now(),
    };
    const layout = layoutOf(outputDirectory, "events");
    const ledger = new Ledger(layout);
    let counted: CountedReport | undefined;
    /** Size of all inputs on disk. */
    let bytes = 0;
    let countedDuplicates: ReportFacts["exact"];
    let begun: RunRecord | undefined;
    const job: RunJob<RunAccounts> = {
      options,
      recorded,
      layout,
      async begun(record) {
        begun = record;
      },
      async splitsEnded(records, pool) {
        if (countedKey === undefined || options.dedupe !== undefined) return;
        if (context.signal.aborted) return;
        const keyed = { ...options, dedupe: countedKey };
        const found = await countDuplicates(keyed, layout, records, pool, context.signal);
        countedDuplicates = found && { ...found, removed: false };
      },
      async fold(accountFacts, records) {
        const { accounts, profile, events } = await foldProfiles(accountFacts, records, ledger);
        const { threads } = budgetThreads(options);
        const { sources } = accountFacts.plan;
        // A source that killed a worker would kill this thread.
        const failed = new Set(accounts.failures.map(({ source }) => source));
        const sound = sources.filter(({ name }) => !failed.has(name));
        const fields = context.signal.aborted
          ? { unusedFields: [], renamedFields: [] }
          : await words.fieldsOf(sound, countedFields(profile, accounts));
        const isPartial = accounts.limit?.partial === true;
        const sampleShare = isPartial ? shareOf(accountFacts.plan, bytes) : sampler.chosenShare;
        const sampled = { sampleShare, sources, ...fields };
        const { adviceOn } = words;
        const exact = removedDuplicates(accounts) ?? countedDuplicates;
        if (readsAll && !context.signal.aborted) await keep(options, exact, begun, records);
        const facts = { ...sampled, adviceOn, accounts, exact, dayZone, threads };
        counted = foldReport(facts, profile, events);
        return { manifest: accounts };
      },
    };
    const counting: RunOutside = {
      ...outside,
      async discover(...inputs) {
        const found = await outside.discover(...inputs);
        bytes = sum(found.sources, ({ size }) => size);
        return found;
      },
    };
    const result = await runSplits(job, context, readsAll ? counting : sampled(outside, sampler));
    if (counted === undefined) throw new Error("a dry run ended without its report");
    const { outcome, failures, tooManyRejects, rowsRead, bytesRead, durationMs } = result;
    return { outcome, counted, failures, tooManyRejects, rowsRead, bytesRead, durationMs };
  };
  return inTemporaryDirectory("switchyard-validate-", validate, scratchDirectory);
}

/** Keeps the keys of a run that has found duplicates; removes those of an earlier one. */
async function keep(
  options: ValidateOptions,
  found: ReportFacts["exact"],
  begun: RunRecord | undefined,
  records: readonly SplitRecord[],
): Promise<void> {
  const { keptKeysDirectory: directory, countedKey, outputDirectory } = options;
  if (directory === undefined) return;
  const dedupe = options.dedupe ?? countedKey;
  if (begun === undefined || dedupe === undefined || (found?.rows ?? 0) === 0) {
    await forgetKeys(directory);
    return;
  }
  const paths = keyLayoutOf(layoutOf(outputDirectory, "events"));
  const { plan, maxTimeMs } = begun;
  await keepKeys(directory, {
    options: { ...options, dedupe },
    maxTimeMs,
    splits: plan.splits,
    records,
    // Keys that were only counted are named like the splits of the run.
    keyFileOf: (split) =>
      keyFileOf(paths, options.dedupe === undefined ? split.id : keySplitOf(split).id),
  });
}

/** Returns the duplicates that `dedupe` removed; undefined without `dedupe`. */
function removedDuplicates({ rows, duplicates }: RunAccounts): ReportFacts["exact"] {
  return duplicates && { ...duplicates, rows: rows.duplicates ?? 0, removed: true };
}

/** Returns the share of all bytes that a plan reads, which is less than 1 for the first rows. */
function shareOf({ splits }: Plan, bytes: number): number {
  const share = sum(splits, (split) => split.bytes) / bytes;
  return Math.min(share, LIMITED_SHARE_MAX);
}

/** The share of a plan that leaves out a few bytes. */
const LIMITED_SHARE_MAX = 0.9999;

/** Cuts sources into small pieces and plans a sample of the pieces. */
function sampled(outside: RunOutside, sampler: RangeSampler): RunOutside {
  return {
    ...outside,
    async planRanges(source, _, options) {
      const pieces = await outside.planRanges(source, pieceBytesOf(source), options);
      return sampler.choose(source, pieces);
    },
  };
}

async function foldProfiles(
  facts: AccountFacts,
  records: readonly SplitRecord[],
  ledger: Pick<Ledger, "readProfile">,
) {
  const accounts = foldAccounts(facts, records);
  const events = new EventFold();
  const profile = new ProfileFold();
  // Fold one at a time and in order: the order of the splits decides what exceeds a limit.
  for (const { id } of inOrder(records)) {
    const split = await ledger.readProfile(id);
    profile.add(split, events.add(split.events));
  }
  checkEvents(accounts.rows, events.result([]));
  return { accounts, events, profile };
}

/** Reject codes of rows without a value for some targets. */
const rejectedTargets = [
  ["event_missing", ["event"]],
  ["time_missing", ["timestamp"]],
  ["unit_id_missing", ["userID", "stableID"]],
] as const;

function countedFields(
  { fields: counts, emptyTargets }: ProfileFold,
  { rejects }: RunAccounts,
): CountedFields {
  const lacking = new Map<LackedTarget, number>();
  const add = (target: LackedTarget, rows: number) =>
    lacking.set(target, (lacking.get(target) ?? 0) + rows);
  for (const rows of emptyTargets.values()) {
    for (const [index, target] of profiledTargets.entries()) add(target, rows[index] ?? 0);
  }
  for (const [code, targets] of rejectedTargets) {
    const { rows = 0 } = rejects.find((reject) => reject.code === code) ?? {};
    for (const target of targets) add(target, rows);
  }
  return { counts, lacking };
}

/** Maximum of pieces of one source. */
const PIECES_MAX = 65_536;

/** Returns the size in bytes of the pieces that a source is sampled in. */
function pieceBytesOf({ format, size }: Source): number {
  return Math.max(formatOf(format).samplePieceBytes, Math.ceil(size / PIECES_MAX));
}

/**
 * Chooses a share of all pieces, evenly spread over the inputs. It takes a piece whenever the share
 * of the bytes passed so far has grown by the size of a piece. A source that cannot be cut is one
 * piece. Call it in the order of the sources.
 */
class RangeSampler {
  #total = 0;
  #chosen = 0;
  /** Bytes of the share that no piece has taken yet. */
  #due = 0;

  constructor(private readonly share: number) {}

  /** The share of all bytes that is read. */
  get chosenShare(): number {
    return this.#total === 0 ? 1 : this.#chosen / this.#total;
  }

  choose(source: Source, ranges: readonly SourceRange[]): readonly SourceRange[] {
    const bytes = source.size / Math.max(1, ranges.length);
    return ranges.filter(() => this.#take(bytes));
  }

  /** Always takes the first piece, so that a sample is never empty. */
  #take(bytes: number): boolean {
    const isFirst = this.#total === 0;
    this.#total += bytes;
    this.#due += bytes * this.share;
    if (this.#due < bytes && !isFirst) return false;
    this.#due = isFirst ? 0 : this.#due - bytes;
    this.#chosen += bytes;
    return true;
  }
}
