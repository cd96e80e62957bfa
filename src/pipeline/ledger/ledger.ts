import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../base/error-code.js";
import { SwitchyardError } from "../../base/errors.js";
import { asOutput } from "../../base/output-error.js";
import type { SplitEvents } from "../../profile/split-events.js";
import type { SplitProfile } from "../../profile/split-profile.js";
import type { Source, SourceRange } from "../../readers/source.js";
import type { SpillFile } from "../../sinks/sink.js";
import type { SourceFailure, SplitCounts } from "../manifest.js";
import { assemblePlan, type Plan } from "../plan.js";
import type { Layout } from "./layout.js";
import { brokenLedger, readLedgerFile, writeLedgerFile } from "./ledger-file.js";

/** Changes whenever an older Switchyard could not go on with a newer ledger, or the reverse. */
const LEDGER_VERSION = 5;

/** What a run set out to do, kept before it begins. */
export interface RunRecord {
  /** Version of Switchyard. */
  readonly version: string;
  /** Those that decide what is delivered. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970 UTC: what `tomorrow` meant when the run first started. */
  readonly maxTimeMs: number;
  /** ISO 8601; first start. */
  readonly startedAt: string;
  /** How many times the run was taken up again. */
  readonly resumes: number;
  readonly plan: Plan;
  /** Inputs of which not even the beginning could be read. */
  readonly unreadable: readonly SourceFailure[];
}

/** What became of one split; written after everything that it lists is durable. */
export interface SplitRecord extends SplitCounts {
  readonly id: string;
  /** `incomplete`: a source failed; what could be read was delivered, a resumed run does it again. */
  readonly status: "complete" | "incomplete";
  readonly failures: readonly SourceFailure[];
  /** Rows that are to be merged with those of other splits; absent where all are in parts. */
  readonly spill?: SpillFile;
}

/** `plan.json`: sources once, ranges as [index of the source, start, end]. */
interface PlanFile extends Omit<RunRecord, "plan"> {
  readonly ledgerVersion: number;
  readonly sources: readonly Source[];
  readonly splits: readonly (readonly [
    id: string,
    ranges: readonly (readonly [source: number, start: number, end: number | null])[],
  ])[];
}

/** What has been done in an output directory, kept beside what was produced. */
export class Ledger {
  constructor(private readonly layout: Layout) {}

  /** undefined where no run has begun. Throws where the ledger cannot be understood. */
  async readRun(): Promise<RunRecord | undefined> {
    const file = await readLedgerFile<PlanFile>(this.layout.planFile);
    if (file === undefined) return undefined;
    const { ledgerVersion, sources, splits, ...facts } = file;
    if (ledgerVersion !== LEDGER_VERSION) {
      throw new SwitchyardError(
        "ledger_unreadable",
        `${this.layout.planFile} was written by Switchyard ${facts.version} in another format: go on with that version, or start over with --fresh`,
      );
    }
    const sourceAt = (index: number): Source => {
      const source = sources[index];
      if (source === undefined) throw brokenLedger(this.layout.planFile, `no source ${index}`);
      return source;
    };
    const plan = assemblePlan(
      sources,
      splits.map(([id, ranges]) => ({
        id,
        ranges: ranges.map(
          ([index, start, end]): SourceRange => ({ source: sourceAt(index), start, end }),
        ),
      })),
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
    await writeLedgerFile(this.layout, this.layout.planFile, file);
  }

  /** Records of all splits that were committed, in the order of their ids. */
  async readSplits(): Promise<readonly SplitRecord[]> {
    const names = (await listOrNone(this.layout.splitsDirectory)).filter((name) =>
      /^\d{6}\.json$/.test(name),
    );
    const records: SplitRecord[] = [];
    for (const name of names.sort()) {
      const record = await readLedgerFile<SplitRecord>(join(this.layout.splitsDirectory, name));
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  async writeSplit(record: SplitRecord): Promise<void> {
    await writeLedgerFile(this.layout, this.#splitFile(record.id), record);
  }

  async removeSplit(id: string): Promise<void> {
    await asOutput(this.layout.splitsDirectory, async () => {
      await rm(this.#splitFile(id), { force: true });
      await rm(this.#eventsFile(id), { force: true });
      await rm(this.#profileFile(id), { force: true });
    });
  }

  /** To be called before `writeSplit`. Apart from the record: there can be many times as much of it. */
  async writeEvents(id: string, events: SplitEvents): Promise<void> {
    await writeLedgerFile(this.layout, this.#eventsFile(id), events);
  }

  /** The events of a split that was committed. Throws where they cannot be read. */
  async readEvents(id: string): Promise<SplitEvents> {
    const events = await readLedgerFile<SplitEvents>(this.#eventsFile(id));
    if (events === undefined) throw brokenLedger(this.#eventsFile(id), "it is not there");
    return events;
  }

  /** To be called before `writeSplit`. */
  async writeProfile(id: string, profile: SplitProfile): Promise<void> {
    await writeLedgerFile(this.layout, this.#profileFile(id), profile);
  }

  /** The profile of a split that was committed. Throws where it cannot be read. */
  async readProfile(id: string): Promise<SplitProfile> {
    const profile = await readLedgerFile<SplitProfile>(this.#profileFile(id));
    if (profile === undefined) throw brokenLedger(this.#profileFile(id), "it is not there");
    return profile;
  }

  /** Makes the ledger's directories and empties the one for temporary files. */
  async prepare(): Promise<void> {
    await asOutput(this.layout.ledgerDirectory, async () => {
      await rm(this.layout.temporaryDirectory, { recursive: true, force: true });
      await mkdir(this.layout.temporaryDirectory, { recursive: true });
      await mkdir(this.layout.splitsDirectory, { recursive: true });
    });
  }

  #splitFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.json`);
  }

  #eventsFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.events.json`);
  }

  #profileFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.profile.json`);
  }
}

/** Names in a directory; none where there is no such directory. */
export async function listOrNone(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
