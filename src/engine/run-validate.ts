import { omitUndefined } from "../base/omit-undefined.js";
import { builtFile } from "../base/package-files.js";
import { sum } from "../base/sum.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import { forgetKeys, keepKeys } from "../dedupe/kept-keys.js";
import { keyFileOf, keyLayoutOf, keySplitOf } from "../dedupe/key-layout.js";
import { formatOf } from "../formats/input-formats.js";
import { Ledger } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { RunAccounts } from "../ledger/manifest.js";
import { checkEvents } from "../ledger/manifest-fold.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import { foldRenames } from "../ledger/renames-fold.js";
import { foldAccounts } from "../ledger/run-accounts.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { QuickLimits, ValidateOptions, ValidateRequest } from "../options/options.js";
import { directoryFiles } from "../output/directory-files.js";
import { type Layout, layoutOf } from "../output/layout.js";
import { type Plan, weightFactor } from "../plan/plan.js";
import type { LackedTarget } from "../profile/field-tally.js";
import type { ProfileFold } from "../profile/profile-fold.js";
import { profiledTargets } from "../profile/split-profile.js";
import { rejectAdvice } from "../report/reject-advice.js";
import { targetReportOf } from "../report/target-report.js";
import { countDuplicates } from "../run/dedupe/duplicate-totals.js";
import { budgetThreads } from "../run/pool/worker-pool.js";
import { type CountedReport, foldReport, type ReportFacts } from "../run/report/fold-report.js";
import { type RunResult, run } from "../run/run.js";
import { inputReading } from "../run/run-inputs.js";
import { readerOptionsOf } from "../run/run-setup.js";
import type { RunSpec } from "../run/run-spec.js";
import { openSources } from "../run/run-tools.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Source, SourceRange } from "../sources/source.js";
import type { Discovery } from "../sources/source-discovery.js";
import { type FoldedProfiles, ProfileFolding } from "./profile-folding.js";
import type { QuickFold } from "./quick/quick-fold.js";
import type { QuickRun } from "./quick/quick-run.js";
import { type CountedFields, sampleFields } from "./survey-inputs.js";

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
 * Reads and maps inputs like an export of the same options, and profiles their events; `inputs`: only these
 * inputs of the request. Keeps nothing: the ledger is in a temporary directory, which is always removed.
 * Throws like `run`.
 */
export function runValidate(
  request: ValidateRequest,
  context: RunContext,
  inputs?: Discovery,
): Promise<ValidateResult> {
  return inTemporaryDirectory("switchyard-validate", (directory) =>
    validateIn(directory, request, context, inputs),
  );
}

async function validateIn(
  outputDirectory: string,
  request: ValidateRequest,
  context: RunContext,
  inputs: Discovery | undefined,
): Promise<ValidateResult> {
  const { sampleShare, quick, reportDirectory: _, countedKey: key, ...runOptions } = request;
  const { signal, now = Date.now } = context;
  const isWhole = sampleShare >= 1 && quick === undefined;
  const countedKey = isWhole ? key : undefined;
  const options: ValidateOptions = {
    ...runOptions,
    ...omitUndefined({ countedKey }),
    // The report, and the lines that it gives, speak of the names of the inputs.
    ...omitUndefined({ target: runOptions.target && { ...runOptions.target, keeps: true } }),
    outputDirectory,
    nowMs: now(),
  };
  const layout = layoutOf(outputDirectory, "events");
  const sampler = new RangeSampler(sampleShare);
  const quickRun = await openQuick(quick, options, layout, signal);
  const found: Found = { bytes: 0, duplicates: undefined };
  let counted: CountedReport | undefined;
  let folding: ProfileFolding | undefined;
  let quickFold: QuickFold | undefined;
  const ledger = new Ledger(layout);
  const spec: RunSpec = {
    options,
    recorded: { ...(await recordRunOptions(request)), dayZone: request.dayZone },
    read: {
      ...inputReading,
      async discover(...run) {
        const discovered = inputs ?? (await inputReading.discover(...run));
        found.bytes = sum(discovered.sources, ({ size }) => size);
        await quickRun?.draw(discovered.sources);
        return discovered;
      },
      ...(sampleShare < 1 && { planRanges: (source, _, tools) => sampler.plan(source, tools) }),
      ...quickRun?.reading,
    },
    sink: {
      entry: builtFile("validate-worker.js"),
      committed: async (record) => folding?.add(record),
      async drain(records, pool) {
        if (countedKey === undefined || options.dedupe !== undefined || signal.aborted) return;
        const keyed = { ...options, dedupe: countedKey };
        const counts = await countDuplicates(keyed, layout, records, pool, signal);
        found.duplicates = counts && { ...counts, removed: false };
      },
    },
    output: {
      layout,
      files: directoryFiles(outputDirectory),
      async begin({ plan }) {
        quickFold = quickRun?.fold(plan);
        folding = new ProfileFolding(ledger, plan, quickFold);
      },
    },
    async fold(facts, records) {
      if (folding === undefined) throw new Error("a dry run is folded before it has begun");
      const accounts = foldAccounts(facts, records);
      const folded = { accounts, ...(await folding.result()) };
      checkEvents(accounts.rows, folded.events.result([]));
      const exact = removedDuplicates(accounts) ?? found.duplicates;
      if (isWhole && !signal.aborted) await keep(options, exact, ledger, records);
      const isPartial = accounts.limit?.partial === true;
      counted = await report(options, folded, signal, {
        sampleShare: isPartial
          ? shareOf(facts.plan, found.bytes)
          : (quickRun?.shareOf(found.bytes) ?? sampler.chosenShare),
        ...omitUndefined({ quick: signal.aborted ? undefined : quickFold?.result(found.bytes) }),
        sources: facts.plan.sources,
        exact,
        renames: options.target && (await foldRenames(layout, records, options.target, [])),
      });
      return { manifest: folded.accounts };
    },
  };
  const { outcome, failures, tooManyRejects, ...ended } = await run(spec, context);
  if (counted === undefined) throw new Error("a dry run ended without its report");
  const { rowsRead, bytesRead, durationMs } = ended;
  return { outcome, counted, failures, tooManyRejects, rowsRead, bytesRead, durationMs };
}

/** The findings of a dry run beside its rows. */
interface Found {
  /** Size of all inputs on disk. */
  bytes: number;
  duplicates: ReportFacts["exact"];
}

/** Opens the sample of a quick dry run; undefined for other runs. */
async function openQuick(
  limits: QuickLimits | undefined,
  options: ValidateOptions,
  layout: Layout,
  signal: AbortSignal,
): Promise<QuickRun | undefined> {
  if (limits === undefined) return undefined;
  const { QuickRun } = await import("./quick/quick-run.js");
  const readerOptions = readerOptionsOf(options, layout, signal);
  return new QuickRun(limits, { open: openSources(options), options: readerOptions });
}

async function report(
  options: ValidateOptions,
  { accounts, profile, events }: FoldedProfiles & { readonly accounts: RunAccounts },
  signal: AbortSignal,
  {
    renames,
    ...facts
  }: Pick<ReportFacts, "sampleShare" | "quick" | "sources" | "exact"> & {
    readonly renames: Awaited<ReturnType<typeof foldRenames>> | undefined;
  },
): Promise<CountedReport> {
  // A source that killed a worker would kill this thread.
  const failed = new Set(accounts.failures.map(({ source }) => source));
  const sound = facts.sources.filter(({ name }) => !failed.has(name));
  const counts = countedFields(profile, accounts);
  const fields = signal.aborted
    ? { unusedFields: [], renamedFields: [] }
    : await sampleFields(options, sound, counts, signal);
  const { dayZone, target: rules } = options;
  const target =
    rules && renames && targetReportOf(rules, { accounts, ...renames, shifted: profile.shifted });
  const { threads } = budgetThreads(options);
  const adviceOn: ReportFacts["adviceOn"] = (code) => rejectAdvice[code];
  const counted = { ...facts, ...fields, accounts, adviceOn, dayZone, threads };
  return { ...foldReport(counted, profile, events), ...omitUndefined({ target }) };
}

/** Keeps the keys of a run that has found duplicates; removes those of an earlier one. */
async function keep(
  options: ValidateOptions,
  found: ReportFacts["exact"],
  ledger: Ledger,
  records: readonly SplitRecord[],
): Promise<void> {
  const { keptKeysDirectory: directory, countedKey } = options;
  if (directory === undefined) return;
  const dedupe = options.dedupe ?? countedKey;
  const hasFound = dedupe !== undefined && (found?.rows ?? 0) > 0;
  const begun = hasFound ? await ledger.readRun() : undefined;
  if (begun === undefined || dedupe === undefined) {
    await forgetKeys(directory);
    return;
  }
  const paths = keyLayoutOf(ledger.layout);
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
 * piece. Bytes are those without compression, as estimated: inputs of both kinds can be together.
 * Call it in the order of the sources.
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

  /** Cuts a source into small pieces, and returns the chosen ones. */
  async plan(source: Source, options: ReaderOptions): Promise<readonly SourceRange[]> {
    const ranges = await inputReading.planRanges(source, pieceBytesOf(source), options);
    const bytes = (source.size * weightFactor(source)) / Math.max(1, ranges.length);
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
