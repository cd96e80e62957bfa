import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { z } from "zod";
import { isThere, syncDirectory } from "../base/durable-file.js";
import { hasCode, SwitchyardError } from "../base/errors.js";
import { digestLines, type LineFile, readLines, writeLines } from "../base/line-file.js";
import { option } from "../base/option-text.js";
import { asOutput } from "../base/output-error.js";
import { version } from "../base/package-files.js";
import { checkValue, faultLines } from "../base/schema.js";
import {
  epochsDirectoryOf,
  type Layout,
  layoutOfEpoch,
  planLinesName,
  splitIdPattern,
} from "../output/layout.js";
import type { SplitEvents } from "../profile/event-counts.js";
import type { SplitProfile } from "../profile/split-profile.js";
import type { Source } from "../sources/source.js";
import type { SplitRenames } from "../target/split-renames.js";
import {
  type DuplicateCounts,
  knownFormats,
  LEDGER_FORMAT,
  type MergePlan,
  type MergeRecord,
  mergePlanSchema,
  mergeRecordSchema,
  type PlanFile,
  planFileSchema,
  type SplitRecord,
  splitRecordSchema,
} from "./ledger-records.js";
import { LedgerWriter, type StoredProfile } from "./ledger-writer.js";
import { formatPlan, PlanLines, type PlannedInputs } from "./plan-lines.js";

const splitFileName = new RegExp(`^${splitIdPattern}\\.json$`);

/** The facts of an epoch without its plan. */
export type RunHead = Omit<PlanFile, "format">;

/** The plan and options of a run; written before it begins. */
export interface RunRecord
  extends Omit<RunHead, "lines" | "sources" | "splits" | "unreadable">,
    PlannedInputs {}

export interface SavedEpoch<RecordOf = RunRecord> {
  readonly ledger: Ledger;
  readonly record: RecordOf;
}

/** The records of the work done in one epoch of an output directory, stored in that directory. */
export class Ledger extends LedgerWriter {
  /** Returns undefined if no run has begun. Throws `ledger_unreadable`. */
  async readHead(): Promise<RunHead | undefined> {
    const { planFile } = this.layout;
    const content = (await readJson(planFile)) as Partial<PlanFile> | null | undefined;
    if (content === undefined) return undefined;
    if (content !== null) requireKnown(planFile, content);
    const { format: _, ...head } = check(planFile, planFileSchema, content);
    return head;
  }

  /** Reads the run with its plan, which uses today's objects for sources that have not changed. */
  async readRun(today?: readonly Source[]): Promise<RunRecord | undefined> {
    const head = await this.readHead();
    if (head === undefined) return undefined;
    const { lines, sources, splits, unreadable, ...facts } = head;
    const path = join(this.layout.epochDirectory, lines.path);
    const inputs = await readPlan(path, lines, today);
    return { ...facts, ...inputs };
  }

  /**
   * Writes the lines of a plan if they do not exist, then the file that names them. A crash leaves
   * the old plan or the new one.
   */
  async writeRun({ plan, unreadable, ...facts }: RunRecord): Promise<void> {
    const { epochDirectory, temporaryDirectory, planFile } = this.layout;
    const inputs = { plan, unreadable };
    const known = (await this.readHead().catch(() => undefined))?.lines;
    const isKnown = known !== undefined && digestLines(formatPlan(inputs)).sha256 === known.sha256;
    const path = isKnown ? known.path : `plan-${facts.resumes}.jsonl`;
    const file = join(epochDirectory, path);
    const written = isKnown
      ? known
      : await asOutput(file, () => writeLines(file, formatPlan(inputs), temporaryDirectory));
    await this.write(planFile, {
      format: LEDGER_FORMAT,
      ...facts,
      lines: { ...written, path },
      sources: plan.sources.length,
      splits: plan.splits.length,
      unreadable: unreadable.length,
    } satisfies PlanFile);
    await this.removePlanLines(path);
  }

  /** Removes the lines of earlier plans, which are no longer referenced. */
  async removePlanLines(kept?: string): Promise<void> {
    const { epochDirectory } = this.layout;
    const isOld = (name: string) => planLinesName.test(name) && name !== kept;
    await asOutput(epochDirectory, async () => {
      for (const name of (await listOrNone(epochDirectory)).filter(isOld))
        await rm(join(epochDirectory, name), { force: true });
    });
  }

  /** Returns the records of all committed splits in the order of their ids. */
  async readSplits(): Promise<readonly SplitRecord[]> {
    const { splitsDirectory } = this.layout;
    const names = (await listOrNone(splitsDirectory)).filter((name) => splitFileName.test(name));
    const records: SplitRecord[] = [];
    for (const name of names.sort()) {
      const record = await readRecord(join(splitsDirectory, name), splitRecordSchema);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  async removeSplit(id: string): Promise<void> {
    await asOutput(this.layout.splitsDirectory, async () => {
      await rm(this.splitFile(id), { force: true });
      await rm(this.eventsFile(id), { force: true });
      await rm(this.profileFile(id), { force: true });
      await rm(this.profileIdsFile(id), { force: true });
      await rm(this.duplicatesFile(id), { force: true });
      await rm(this.renamesFile(id), { force: true });
    });
  }

  /** Returns the events of a committed split. Throws `ledger_unreadable`. */
  async readEvents(id: string): Promise<SplitEvents> {
    return (await readExisting(this.eventsFile(id))) as SplitEvents;
  }

  /** Returns the profile of a committed split. Throws `ledger_unreadable`. */
  async readProfile(id: string): Promise<SplitProfile> {
    const stored = (await readExisting(this.profileFile(id))) as StoredProfile;
    const all = await readFile(this.profileIdsFile(id));
    let end = 0;
    const ids = stored.ids.map((one) => {
      end += one.bytes;
      return { ...one, bytes: all.subarray(end - one.bytes, end) };
    });
    return { ...stored, ids };
  }

  /** Returns the removed events of a committed split that has some. Throws `ledger_unreadable`. */
  async readDuplicates(id: string): Promise<DuplicateCounts> {
    return (await readExisting(this.duplicatesFile(id))) as DuplicateCounts;
  }

  /** Returns the names of a committed split that the target does not take. Throws `ledger_unreadable`. */
  async readRenames(id: string): Promise<SplitRenames> {
    return (await readExisting(this.renamesFile(id))) as SplitRenames;
  }

  /** Returns undefined if merging has not begun. */
  async readMergePlan(): Promise<MergePlan | undefined> {
    return readRecord(this.#mergePlanFile, mergePlanSchema);
  }

  /** Call before the first merge begins. */
  async writeMergePlan(plan: MergePlan): Promise<void> {
    const { mergesDirectory } = this.layout;
    await asOutput(mergesDirectory, async () => {
      await mkdir(mergesDirectory, { recursive: true });
      await syncDirectory(dirname(mergesDirectory));
    });
    await this.write(this.#mergePlanFile, plan);
  }

  /** Returns undefined if the merge is not committed. */
  async readMerge(id: string): Promise<MergeRecord | undefined> {
    return readRecord(this.mergeFile(id), mergeRecordSchema);
  }

  /** Makes the ledger's directories and empties the one for temporary files. */
  async prepare(): Promise<void> {
    const { ledgerDirectory, temporaryDirectory } = this.layout;
    await asOutput(ledgerDirectory, () => rm(temporaryDirectory, { recursive: true, force: true }));
    await this.makeDirectories();
  }

  /** Makes the ledger's directories. */
  async makeDirectories(): Promise<void> {
    const { ledgerDirectory, epochDirectory, temporaryDirectory, splitsDirectory } = this.layout;
    await asOutput(ledgerDirectory, async () => {
      await mkdir(temporaryDirectory, { recursive: true });
      const isNew = (await mkdir(splitsDirectory, { recursive: true })) !== undefined;
      if (!isNew) return;
      // The names of the directories that may be new, from the ledger's down to the epoch's.
      for (let path = epochDirectory; ; path = dirname(path)) {
        await syncDirectory(path);
        if (path === ledgerDirectory) return;
      }
    });
  }

  get #mergePlanFile(): string {
    return join(this.layout.mergesDirectory, "plan.json");
  }
}

/**
 * Returns the ledgers of all epochs that have begun, with their runs. Throws `ledger_unreadable`,
 * also if an epoch between others is missing.
 */
export async function readEpochs(
  layout: Layout,
  today?: readonly Source[],
): Promise<readonly SavedEpoch[]> {
  return readEach(layout, (ledger) => ledger.readRun(today));
}

/** Returns the ledgers with their runs, but without plans. */
export async function readHeads(layout: Layout): Promise<readonly SavedEpoch<RunHead>[]> {
  return readEach(layout, (ledger) => ledger.readHead());
}

async function readEach<RecordOf>(
  layout: Layout,
  read: (ledger: Ledger) => Promise<RecordOf | undefined>,
): Promise<readonly SavedEpoch<RecordOf>[]> {
  const epochs: SavedEpoch<RecordOf>[] = [];
  for (;;) {
    const ledger = new Ledger(layoutOfEpoch(layout, epochs.length));
    const record = await read(ledger);
    if (record === undefined) break;
    epochs.push({ ledger, record });
  }
  const missing = layoutOfEpoch(layout, epochs.length).planFile;
  for (const name of await listOrNone(epochsDirectoryOf(layout.ledgerDirectory))) {
    const { planFile } = layoutOfEpoch(layout, Number(name));
    if (epochs.length > 0 && Number(name) > epochs.length && existsSync(planFile))
      throw unreadable(missing, "it does not exist, but later epochs do");
  }
  return epochs;
}

async function readPlan(
  path: string,
  { bytes, sha256 }: LineFile,
  today?: readonly Source[],
): Promise<PlannedInputs> {
  const lines = new PlanLines(today);
  try {
    const found = await readLines(path, (line) => lines.take(line));
    if (found.bytes === bytes && found.sha256 === sha256) return lines.result();
  } catch (error) {
    throw unreadable(
      path,
      hasCode(error, "ENOENT") ? "it does not exist" : (error as Error).message,
      error,
    );
  }
  throw unreadable(path, "its content is not what plan.json says");
}

/** Returns the names in a directory; empty if it does not exist. */
export async function listOrNone(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error, path)) return [];
    throw error;
  }
}

/** Reads a record; undefined if there is none. Throws `ledger_unreadable`. */
export async function readRecord<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const content = await readJson(path);
  return content === undefined ? undefined : check(path, schema, content);
}

async function readExisting(path: string): Promise<unknown> {
  const content = await readJson(path);
  if (content === undefined) throw unreadable(path, "it does not exist");
  return content;
}

async function readJson(path: string): Promise<unknown> {
  try {
    // Decoded as a whole: in the pieces that are read it takes three times as long.
    return JSON.parse((await readFile(path)).toString());
  } catch (error) {
    if (isMissing(error, path)) return undefined;
    throw unreadable(path, (error as Error).message, error);
  }
}

/**
 * Returns true if a file does not exist. Asks a second time, because some network file systems give ENOENT
 * for a file that another call finds, and a manifest without its record would be wrong.
 */
function isMissing(error: unknown, path: string): boolean {
  return hasCode(error, "ENOENT") && !isThere(path);
}

/** Throws `ledger_unreadable` if this version does not know the format of a plan. */
function requireKnown(planFile: string, { format, version: of }: Partial<PlanFile>): void {
  if (format !== undefined && knownFormats.includes(format)) return;
  const what = format === undefined ? "a format older than 0.3.0" : `format ${format}`;
  throw new SwitchyardError(
    "ledger_unreadable",
    `${planFile} was written by Switchyard ${of ?? "of an unknown version"} in ${what}; ` +
      `${version} resumes ${knownFormats.map((known) => `format ${known}`).join(", ")}. ` +
      `Run that version again (npx switchyard@<version>), choose another directory, or start over with ${option("fresh")}.`,
  );
}

function check<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  content: unknown,
): z.output<Schema> {
  const { faults } = checkValue(schema, content);
  // The content itself: `value` has its keys in another order, and they get into the manifest.
  if (faults === undefined) return content as z.output<Schema>;
  throw unreadable(path, faultLines(faults)[0] ?? "not a record");
}

function unreadable(path: string, reason: string, cause?: unknown): SwitchyardError {
  return new SwitchyardError(
    "ledger_unreadable",
    `${path} cannot be read (${reason}); start over with ${option("fresh")}`,
    { cause },
  );
}
