import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../base/durable-file.js";
import { asOutput } from "../base/output-error.js";
import type { Layout } from "../output/layout.js";
import type { SplitEvents } from "../profile/event-counts.js";
import type { SplitIds, SplitProfile } from "../profile/split-profile.js";
import type { SplitRenames } from "../target/split-renames.js";
import type { DuplicateCounts, MergeRecord, SplitRecord } from "./ledger-records.js";

/** A profile as JSON: with the number of bytes of its ids. */
export interface StoredProfile extends Omit<SplitProfile, "ids"> {
  readonly ids: readonly (Omit<SplitIds, "bytes"> & { readonly bytes: number })[];
}

/** The part of a ledger that worker threads write: the results of splits and merges. */
export class LedgerWriter {
  constructor(readonly layout: Layout) {}

  async writeSplit(record: SplitRecord): Promise<void> {
    await this.write(this.splitFile(record.id), record);
  }

  /** Call before `writeSplit`. A separate file, because it can be much larger than the record. */
  async writeEvents(splitId: string, events: SplitEvents): Promise<void> {
    await this.write(this.eventsFile(splitId), events);
  }

  /**
   * Call before `writeSplit`. The bytes of ids are in a file of their own, which is not synced: only dry runs
   * have profiles, and their ledgers do not last.
   */
  async writeProfile(splitId: string, { ids, ...profile }: SplitProfile): Promise<void> {
    const path = this.profileIdsFile(splitId);
    await asOutput(path, () => writeFile(path, Buffer.concat(ids.map(({ bytes }) => bytes))));
    const stored: StoredProfile = {
      ...profile,
      ids: ids.map(({ bytes, ...rest }) => ({ ...rest, bytes: bytes.length })),
    };
    await this.write(this.profileFile(splitId), stored);
  }

  /** Call before `writeSplit`, if events were removed. */
  async writeDuplicates(splitId: string, counts: DuplicateCounts): Promise<void> {
    await this.write(this.duplicatesFile(splitId), counts);
  }

  /** Call before `writeSplit`, if the target has rules for names. */
  async writeRenames(splitId: string, renames: SplitRenames): Promise<void> {
    await this.write(this.renamesFile(splitId), renames);
  }

  async writeMerge(record: MergeRecord): Promise<void> {
    await this.write(this.mergeFile(record.id), record);
  }

  /** Writes JSON. A crash leaves the old file or the new one. */
  protected async write(path: string, value: unknown): Promise<void> {
    const { temporaryDirectory } = this.layout;
    const text = `${JSON.stringify(value)}\n`;
    await asOutput(path, () => writeDurably(path, text, { temporaryDirectory }));
  }

  protected splitFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.json`);
  }

  protected eventsFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.events.json`);
  }

  protected profileFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.profile.json`);
  }

  protected profileIdsFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.profile.ids`);
  }

  protected duplicatesFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.duplicates.json`);
  }

  protected renamesFile(id: string): string {
    return join(this.layout.splitsDirectory, `${id}.renames.json`);
  }

  protected mergeFile(id: string): string {
    return join(this.layout.mergesDirectory, `${id}.json`);
  }
}
