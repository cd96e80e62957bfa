import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../base/durable-file.js";
import { option } from "../base/option-text.js";
import { asOutput } from "../base/output-error.js";
import { version } from "../base/package-files.js";
import { checkValue } from "../base/schema.js";
import { type RunHistory, readHistory } from "../check/run-history.js";
import { Ledger, listOrNone, readHeads } from "../ledger/ledger.js";
import { type SentRun, type SplitRecord, sentRunSchema } from "../ledger/ledger-records.js";
import { optionDifferences } from "../ledger/recorded-options.js";
import { ChangedError, describeVersionChange } from "../ledger/resume.js";
import type { SendRequest } from "../options/options.js";
import { type Layout, layoutOf, SENT_RUN_NAME } from "../output/layout.js";
import { withFiles } from "../output/open-files.js";
import { openOutput } from "../output/open-output.js";
import { isOfSentRun } from "../output/output-paths.js";
import { pathInOutput, type SignalledPlace } from "../output/output-place.js";
import { isAtWork } from "../output/shared-locks.js";
import { splitIdOf } from "../plan/plan.js";
import { countAcknowledged } from "../webhook/acknowledgements.js";
import { journalsOf } from "../webhook/webhook-sink.js";
import type { DeliveryCounts, SentCounts } from "./send-result.js";

const runStates = ["done", "at_work", "interrupted"] as const;
/** `at_work`: a live process holds the lock. `interrupted`: the run's command resumes it. */
type RunState = (typeof runStates)[number];

export interface ListedRun extends SentRun, RunHistory {
  readonly state: RunState;
  readonly delivered: number;
  readonly rejected: number;
  readonly splitsDone: number;
  readonly splitsTotal: number;
}

/** Lists the runs of `send`, the latest first. Directories without a run are left out. */
export async function listRuns(place: SignalledPlace): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (const name of await namesOfRuns(place)) {
    const run = await withRun(place, name, (layout) => describeRun(layout, place, name));
    if (run !== undefined) runs.push(run);
  }
  return runs.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
}

/** The facts of a request that identify its run. */
interface RunIdentity extends Pick<SendRequest, "destination" | "cwd" | "inputs"> {
  /** The recorded options, without those that may not change while the run lasts. */
  readonly deciding: unknown;
}

/** Recorded options that do not identify a run. */
type Undeciding = "splitBytes" | "destination" | "body" | "batchRows";

/**
 * Finds the run that a request resumes: one with the same destination, directory and mapping that
 * has sent some of its inputs. New inputs become a further epoch of it. Throws `run_changed` if
 * several runs have sent inputs, or if one did with another limit, or another version with other
 * options: these may be the same command, whose preset has changed since, and the service would store
 * the events again.
 */
export async function findSentRun(
  place: SignalledPlace,
  { destination, cwd, inputs, deciding }: RunIdentity,
): Promise<SentRun | undefined> {
  const found: SentRun[] = [];
  for (const name of await namesOfRuns(place)) {
    const known = await withRun(place, name, async (layout) => {
      const run = await readSentRun(layout);
      if (run?.destination !== destination || run.directory !== cwd) return undefined;
      const plan = sharedInputs(run, inputs).length > 0 && (await new Ledger(layout).readHead());
      return plan ? { run, plan } : undefined;
    });
    if (known === undefined) continue;
    const { run, plan } = known;
    const {
      splitBytes,
      destination: _,
      body,
      batchRows,
      ...options
    } = plan.options as Record<Undeciding, unknown>;
    const changes = optionDifferences(options, deciding);
    if (changes.length === 0) found.push({ ...run, runId: name });
    else if (changes.every((change) => change.startsWith(`${option("limit")}: `)))
      throw new ChangedError(
        pathInOutput(place.directory, name),
        changes.map((change) => `${change}; the service would get the first rows again`),
      );
    else if (plan.version !== version) {
      const all = [describeVersionChange(plan.version, version), ...changes];
      throw new ChangedError(pathInOutput(place.directory, name), all);
    }
  }
  const shared = new Set(found.flatMap((run) => sharedInputs(run, inputs)));
  const latest = found.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  const whole = latest.find((run) => sharedInputs(run, inputs).length === shared.size);
  if (whole !== undefined || found.length === 0) return whole;
  throw new ChangedError(
    place.directory,
    latest.map((run) => `run ${run.runId}: has sent ${sharedInputs(run, inputs)[0]} and not all`),
  );
}

function sharedInputs(run: SentRun, inputs: readonly string[]): readonly string[] {
  const known = new Set(run.inputs);
  return [...new Set(inputs)].filter((input) => known.has(input));
}

/** Returns the names of directories that may be runs. */
async function namesOfRuns(place: SignalledPlace): Promise<readonly string[]> {
  const paths = await (await openOutput(place)).list("", place.signal);
  return paths.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
}

/** Calls `work` with the layout of a run, or of a copy of the files that record its progress. */
export async function withRun<Result>(
  place: SignalledPlace,
  name: string,
  work: (layout: Layout) => Promise<Result>,
): Promise<Result> {
  return withFiles(placeOfRun(place, name), isOfSentRun, ({ directory }) =>
    work(layoutOf(directory, "events")),
  );
}

function placeOfRun(place: SignalledPlace, name: string): SignalledPlace {
  return { ...place, directory: pathInOutput(place.directory, name) };
}

async function describeRun(
  layout: Layout,
  place: SignalledPlace,
  name: string,
): Promise<ListedRun | undefined> {
  const run = await readSentRun(layout);
  if (run === undefined) return undefined;
  const { delivered, rejected, splitsDone, splitsTotal } = await countSent(layout);
  const isDone = splitsTotal > 0 && splitsDone === splitsTotal;
  const state = (await isAtWork(await openOutput(placeOfRun(place, name)), place.signal))
    ? "at_work"
    : isDone
      ? "done"
      : "interrupted";
  return {
    ...run,
    ...(await readHistory(layout)),
    state,
    delivered,
    rejected,
    splitsDone,
    splitsTotal,
  };
}

export async function writeSentRun(layout: Layout, run: SentRun): Promise<void> {
  const path = sentRunFile(layout);
  const { temporaryDirectory } = layout;
  const text = `${JSON.stringify(run, null, 2)}\n`;
  await asOutput(path, () => writeDurably(path, text, { temporaryDirectory }));
}

/** Returns undefined if the directory holds no run. */
async function readSentRun(layout: Layout): Promise<SentRun | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(sentRunFile(layout), "utf8"));
    return checkValue(sentRunSchema, content).value;
  } catch {
    return undefined;
  }
}

function sentRunFile({ outputDirectory }: Layout): string {
  return join(outputDirectory, SENT_RUN_NAME);
}

/**
 * Counts what all epochs of a run have sent: finished splits by their records, the others by their
 * journals.
 */
export async function countSent(layout: Layout): Promise<SentCounts> {
  let sent: SentCounts = {
    delivered: 0,
    rejected: 0,
    retried: 0,
    possiblyDuplicated: 0,
    waitedMs: 0,
    splitsDone: 0,
    splitsTotal: 0,
  };
  for (const [epoch, { ledger, record: run }] of (await readHeads(layout)).entries()) {
    const records = new Map((await ledger.readSplits()).map((record) => [record.id, record]));
    const { acknowledgedDirectory } = ledger.layout;
    const names = await listOrNone(acknowledgedDirectory);
    for (let index = 0; index < run.splits; index++) {
      const id = splitIdOf(index, epoch);
      const record = records.get(id);
      const journals = record === undefined ? journalsOf(id, names) : [];
      const paths = journals.map((name) => join(acknowledgedDirectory, name));
      sent = record === undefined ? addJournals(sent, paths) : addRecord(sent, record);
    }
    sent = { ...sent, splitsTotal: sent.splitsTotal + run.splits };
  }
  return sent;
}

/** Returns the counts of a webhook sink under the names that it uses. */
export function deliveryOf(counts: Readonly<Record<string, number>> = {}): DeliveryCounts {
  return {
    delivered: counts["delivered"] ?? 0,
    retried: counts["retried"] ?? 0,
    possiblyDuplicated: counts["possiblyDuplicated"] ?? 0,
    waitedMs: counts["waitedMs"] ?? 0,
  };
}

function addRecord(sent: SentCounts, { rows, counts, status }: SplitRecord): SentCounts {
  const { rejected } = rows;
  const splitsDone = sent.splitsDone + (status === "complete" ? 1 : 0);
  return { ...add(sent, { ...deliveryOf(counts), rejected }), splitsDone };
}

function addJournals(sent: SentCounts, paths: readonly string[]): SentCounts {
  const counts = countAcknowledged(...paths);
  const { delivered, refused: rejected, possiblyDuplicated, retried, waitedMs } = counts;
  return add(sent, { delivered, rejected, retried, possiblyDuplicated, waitedMs });
}

function add(sent: SentCounts, more: Omit<SentCounts, "splitsDone" | "splitsTotal">): SentCounts {
  return {
    ...sent,
    delivered: sent.delivered + more.delivered,
    rejected: sent.rejected + more.rejected,
    retried: sent.retried + more.retried,
    possiblyDuplicated: sent.possiblyDuplicated + more.possiblyDuplicated,
    waitedMs: sent.waitedMs + more.waitedMs,
  };
}
