import { join, relative, sep } from "node:path";
import { mapBounded } from "../../base/map-bounded.js";
import type { PartFile } from "../../sinks/sink.js";
import { findRange, spillIndexPathOf, spillPathOf } from "../../sinks/spill/spill-files.js";
import { stagedPathOf } from "../../sinks/staged-parts.js";
import { type Layout, rejectsNameOf } from "../ledger/layout.js";
import type { MergeRecord, SplitRecord } from "../ledger/ledger-records.js";
import type { MergeWork } from "../merge/run-merge.js";
import type { RunPublisher } from "../run-job.js";
import type { LeaseLock } from "./lease-lock.js";
import type { OutputMirror } from "./output-mirror.js";

/** Ranges of spilled rows that are fetched at the same time, for one merge. */
const FETCHES_MAX = 8;

/** Writes the results of splits and merges to a store, and then frees their space on the disk. */
export class StorePublisher implements RunPublisher {
  constructor(
    private readonly mirror: OutputMirror,
    /** Returns the lock that is currently held. */
    private readonly lock: () => LeaseLock,
  ) {}

  async planned(): Promise<void> {
    await this.mirror.reset(this.lock());
  }

  async splitDone({ id, parts, staged = [] }: SplitRecord, layout: Layout): Promise<void> {
    const { outputDirectory, splitsDirectory, rejectsDirectory, duplicatesDirectory } = layout;
    const paths = parts.map(({ path }) => path);
    const spill = spillPathOf(outputDirectory, id);
    const ofLedger = ["events", "profile", "duplicates"].map((kind) => `${id}.${kind}.json`);
    const files = [
      ...staged.map((part) => stagedPathOf(outputDirectory, part)),
      spill,
      spillIndexPathOf(spill),
      join(rejectsDirectory, rejectsNameOf(id)),
      join(duplicatesDirectory, rejectsNameOf(id)),
      ...[...ofLedger, `${id}.json`].map((name) => join(splitsDirectory, name)),
    ];
    await this.#publish([...paths, ...files.map((file) => pathIn(layout, file))], parts);
    await this.#drop(paths);
  }

  async gather({ splits, staged }: MergeWork, layout: Layout): Promise<void> {
    const { outputDirectory } = layout;
    await mapBounded(staged, FETCHES_MAX, (part) =>
      this.mirror.fetchContent(pathIn(layout, stagedPathOf(outputDirectory, part))),
    );
    await mapBounded(splits, FETCHES_MAX, async ({ splitId, ...packs }) => {
      const spill = spillPathOf(outputDirectory, splitId);
      const { start, end } = findRange(spill, packs);
      await this.mirror.fetchBytes(pathIn(layout, spill), start, end);
    });
  }

  async mergeDone({ id, parts }: MergeRecord, layout: Layout): Promise<void> {
    const paths = parts.map(({ path }) => path);
    const ofLedger = ["plan", id].map((name) => join(layout.mergesDirectory, `${name}.json`));
    await this.#publish([...paths, ...ofLedger.map((file) => pathIn(layout, file))], parts);
    await this.#drop(paths);
  }

  async #publish(paths: readonly string[], parts: readonly PartFile[]): Promise<void> {
    const digests = new Map(parts.map(({ path, sha256 }) => [path, sha256]));
    await this.mirror.publishFiles(paths, this.lock(), digests);
  }

  async #drop(paths: readonly string[]): Promise<void> {
    for (const path of paths) await this.mirror.dropContent(path);
  }
}

function pathIn({ outputDirectory }: Layout, file: string): string {
  return relative(outputDirectory, file).replaceAll(sep, "/");
}
