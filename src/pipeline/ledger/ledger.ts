import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { z } from "zod";
import { syncDirectory } from "../../base/durable-file.js";
import { hasCode } from "../../base/error-code.js";
import { SwitchyardError } from "../../base/errors.js";
import { asOutput } from "../../base/output-error.js";
import { checkValue, faultLines } from "../../base/schema.js";
import type { SplitEvents } from "../../profile/event-counts.js";
import type { SplitProfile } from "../../profile/split-profile.js";
import type { SourceRange } from "../../readers/source.js";
import { assemblePlan, type Plan } from "../plan.js";
import { epochsDirectoryOf, type Layout, layoutOfEpoch, splitIdPattern } from "./layout.js";
import {
  type DuplicateCounts,
  type MergePlan,
  type MergeRecord,
  mergePlanSchema,
  mergeRecordSchema,
  type PlanFile,
  planFileSchema,
  type SplitRecord,
  splitRecordSchema,
} from "./ledger-records.js";
import { LedgerWriter } from "./ledger-writer.js";

const splitFileName = new RegExp(`^${splitIdPattern}\\.json$`);

/** Changes when an older Switchyard could not resume a newer ledger, or the reverse. */
const LEDGER_VERSION = 5;

/** The plan and options of a run; written before it begins. */
export interface RunRecord extends Omit<PlanFile, "ledgerVersion" | "sources" | "splits"> {
  readonly plan: Plan;
}

export interface SavedEpoch {
  readonly ledger: Ledger;
  readonly record: RunRecord;
}

/** The records of the work done in one epoch of an output directory, stored in that directory. */
export class Ledger extends LedgerWriter {
  /** Returns undefined if no run has begun. Throws `ledger_unreadable`. */
  async readRun(): Promise<RunRecord | undefined> {
    const { planFile } = this.layout;
    const content = (await readJson(planFile)) as Partial<PlanFile> | null | undefined;
    if (content === undefined) return undefined;
    if (content !== null && content.ledgerVersion !== LEDGER_VERSION) {
      throw new SwitchyardError(
        "ledger_unreadable",
        `${planFile} was written by Switchyard ${content.version} in another format; resume with that version, or start over with --fresh`,
      );
    }
    const {
      ledgerVersion: _,
      sources,
      splits,
      ...facts
    } = check(planFile, planFileSchema, content);
    const rangeOf = ([index, start, end]: readonly [
      number,
      number,
      number | null,
    ]): SourceRange => {
      const source = sources[index];
      if (source === undefined) throw unreadable(planFile, `there is no source ${index}`);
      return { source, start, end };
    };
    const plan = assemblePlan(
      sources,
      splits.map(([id, ranges]) => ({ id, ranges: ranges.map(rangeOf) })),
    );
    return { ...facts, plan };
  }

  async writeRun({ plan, ...facts }: RunRecord): Promise<void> {
    const indexes = new Map(plan.sources.map((source, index) => [source, index]));
    const file: PlanFile = {
      ledgerVersion: LEDGER_VERSION,
      ...facts,
      sources: plan.sources,
      splits: plan.splits.map(({ id, ranges }) => [
        id,
        ranges.map(({ source, start, end }) => [indexes.get(source) as number, start, end]),
      ]),
    };
    await this.write(this.layout.planFile, file);
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
      await rm(this.duplicatesFile(id), { force: true });
    });
  }

  /** Returns the events of a committed split. Throws `ledger_unreadable`. */
  async readEvents(id: string): Promise<SplitEvents> {
    return (await readExisting(this.eventsFile(id))) as SplitEvents;
  }

  /** Returns the profile of a committed split. Throws `ledger_unreadable`. */
  async readProfile(id: string): Promise<SplitProfile> {
    return (await readExisting(this.profileFile(id))) as SplitProfile;
  }

  /** Returns the removed events of a committed split that has some. Throws `ledger_unreadable`. */
  async readDuplicates(id: string): Promise<DuplicateCounts> {
    return (await readExisting(this.duplicatesFile(id))) as DuplicateCounts;
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
    const { ledgerDirectory, epochDirectory, temporaryDirectory, splitsDirectory } = this.layout;
    await asOutput(ledgerDirectory, async () => {
      await rm(temporaryDirectory, { recursive: true, force: true });
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
 * also if an epoch is missing between others.
 */
export async function readEpochs(layout: Layout): Promise<readonly SavedEpoch[]> {
  const epochs: SavedEpoch[] = [];
  for (;;) {
    const ledger = new Ledger(layoutOfEpoch(layout, epochs.length));
    const record = await ledger.readRun();
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

/** Returns the names in a directory, or none if it does not exist. */
export async function listOrNone(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** Returns undefined if the file does not exist. Throws `ledger_unreadable`. */
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
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw unreadable(path, (error as Error).message, error);
  }
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
    `${path} cannot be read (${reason}); start over with --fresh`,
    { cause },
  );
}
