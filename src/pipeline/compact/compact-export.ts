import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../../base/durable-file.js";
import { SwitchyardError } from "../../base/errors.js";
import { SYNC_CONCURRENCY } from "../../base/limits.js";
import { takeLockFile } from "../../base/lock-file.js";
import { makeDirectory } from "../../base/make-directory.js";
import { mapBounded } from "../../base/map-bounded.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { asOutput } from "../../base/output-error.js";
import { sum } from "../../base/sum.js";
import { Kernel } from "../../batch/kernel.js";
import { EncodedPart, PartBuffer } from "../../sinks/encoded-part.js";
import { diskFiles, withOutputErrors } from "../../sinks/part-files.js";
import type { PartFormat } from "../../sinks/part-format.js";
import { PartOutput, WriteBuffer } from "../../sinks/part-output.js";
import type { PartFile } from "../../sinks/sink.js";
import { OpenSpillFiles, SpillDamage } from "../../sinks/spill/spill-files.js";
import { hasDeltaLog, updateDeltaLog } from "../delta-log.js";
import { COMPACTED_PARTS, type Layout, layoutOf, MANIFEST_NAME } from "../ledger/layout.js";
import type { Manifest, ManifestDay, ManifestFile } from "../manifest.js";
import { readManifest } from "../manifest-file.js";
import type { SignalledPlace } from "../options.js";
import { type OutputFormat, outputFormat, type PartOptions } from "../output-formats.js";
import { withLockedCopy } from "../remote/output-copy.js";
import { refuseLiving } from "../shard/shared-locks.js";
import { columnsIn } from "../verify/open-part.js";
import {
  type CompactedDay,
  compactingPaths,
  finishCompaction,
  readCompacted,
  replaceParts,
  writeCompacted,
} from "./compacted.js";

/** The result of compacting an output. */
export interface CompactResult {
  readonly outcome: "done" | "interrupted";
  readonly directory: string;
  /** Day directories that have changed. */
  readonly days: number;
  readonly filesBefore: number;
  readonly filesAfter: number;
  readonly rows: number;
  /** Size of the output. */
  readonly bytes: number;
  readonly durationMs: number;
}

/**
 * Joins the small parts of each day of a finished output, from all epochs, into parts of up to the
 * part size. Throws if the output is not finished, is in use, or differs from its manifest.
 */
export async function compactExport(
  directory: string,
  signal: AbortSignal,
): Promise<CompactResult> {
  const startedMs = performance.now();
  const manifestFile = join(directory, MANIFEST_NAME);
  const layout = layoutOf(directory, (await readManifest(manifestFile)).dataset);
  if (!existsSync(layout.planFile)) {
    throw refusal(directory, "it has no ledger, which the next run of its export needs");
  }
  const lock = await asOutput(layout.lockFile, () => takeLockFile(layout.lockFile));
  try {
    await refuseLiving(layout.lockFile);
    await finishCompaction(layout);
    const manifest = await readManifest(manifestFile);
    if (!manifest.complete)
      throw refusal(directory, "it is not complete; run its export to the end");
    const tasks = planDays(manifest);
    const { days } = await readCompacted(layout);
    const joiner = await createJoiner(directory, manifest);
    let done = 0;
    // Most of the time goes to waiting for the disk.
    await mapBounded(tasks, SYNC_CONCURRENCY, async (task) => {
      if (signal.aborted) return;
      await compactDay(layout, task, days, joiner);
      done++;
    });
    await finishCompaction(layout);
    const compacted = await readManifest(manifestFile);
    if (hasDeltaLog(layout)) await updateDeltaLog(layout, compacted);
    const { totals } = compacted;
    return {
      outcome: done < tasks.length ? "interrupted" : "done",
      directory,
      days: done,
      filesBefore: manifest.totals.files,
      filesAfter: totals.files,
      rows: totals.rows,
      bytes: totals.bytes,
      durationMs: performance.now() - startedMs,
    };
  } finally {
    await lock.release();
  }
}

interface DayTask {
  /** Relative to the output directory. */
  readonly directory: string;
  readonly day: string;
  readonly event: string | undefined;
  /** Files to be joined with each other, in order. */
  readonly groups: readonly (readonly ManifestFile[])[];
}

/** Returns the paths of the files that `compactExport` joins, relative to the output directory. */
export function joinedPaths(manifest: Manifest): readonly string[] {
  return planDays(manifest).flatMap(({ groups }) => groups.flat().map(({ path }) => path));
}

/**
 * Groups the small files of each directory into new ones of up to the part size. Leaves out
 * directories whose names differ only in case: on macOS and Windows they are one. Pure.
 */
function planDays({ days, configuration }: Manifest): readonly DayTask[] {
  const partBytes = Number(configuration["partBytes"]);
  return days.flatMap((day) =>
    byDirectory(day).flatMap((files) => {
      const [{ path, event }] = files;
      const directory = dirname(path);
      const groups = groupFiles(files, partBytes);
      const isOne = files.every(({ path }) => dirname(path) === directory);
      return isOne && groups.length > 0 ? [{ directory, day: day.day, event, groups }] : [];
    }),
  );
}

/** Returns the files of each directory, whatever the case of its name. */
function byDirectory({ files }: ManifestDay) {
  const directories = new Map<string, [ManifestFile, ...ManifestFile[]]>();
  for (const file of files) {
    const name = dirname(file.path).toLowerCase();
    const known = directories.get(name);
    if (known === undefined) directories.set(name, [file]);
    else known.push(file);
  }
  return [...directories.values()];
}

function groupFiles(files: readonly ManifestFile[], partBytes: number) {
  const groups: { bytes: number; files: ManifestFile[] }[] = [];
  for (const file of files) {
    const open = groups.at(-1);
    if (open === undefined || open.bytes + file.bytes > partBytes) {
      groups.push({ bytes: file.bytes, files: [file] });
    } else {
      open.bytes += file.bytes;
      open.files.push(file);
    }
  }
  return groups.map((group) => group.files).filter((group) => group.length > 1);
}

/** Joins the groups of one directory, records that, and replaces them there. */
async function compactDay(
  layout: Layout,
  { directory, day, event, groups }: DayTask,
  known: readonly CompactedDay[],
  joiner: PartJoiner,
): Promise<CompactedDay> {
  const before = known.find((one) => one.directory === directory);
  const { joined } = compactingPaths(layout, directory);
  await asOutput(joined, async () => {
    await rm(joined, { recursive: true, force: true });
    await makeDirectory(joined);
  });
  const gone = new Set(groups.flat().map(({ path }) => path));
  const parts = (before?.parts ?? []).filter(({ path }) => !gone.has(path));
  // A name is never used twice: after a kill it shows if the parts were replaced.
  let number = before?.next ?? 0;
  for (const group of groups) {
    const digits = String(number++).padStart(3, "0");
    const name = `part-${COMPACTED_PARTS}-${digits}.${joiner.extension}`;
    const facts = await joiner.join(group, join(joined, name));
    parts.push({ path: `${directory}/${name}`, day, ...omitUndefined({ event }), ...facts });
  }
  await asOutput(joined, () => syncDirectory(joined));
  const replaced = [...new Set([...(before?.replaced ?? []), ...gone])];
  const record = { directory, replaced, parts, next: number };
  await writeCompacted(layout, record);
  await asOutput(joined, () => replaceParts(layout, record));
  return record;
}

/** Joins files of an output by copying their encoded bytes. */
class PartJoiner {
  readonly #buffer = new WriteBuffer();
  readonly #content = new PartBuffer();
  readonly #files = withOutputErrors(diskFiles);

  constructor(
    private readonly directory: string,
    private readonly format: PartFormat,
  ) {}

  get extension(): string {
    return this.format.extension;
  }

  /** Writes a new file, durably. Throws `compact_refused` if a file differs from the manifest. */
  async join(
    files: readonly ManifestFile[],
    path: string,
  ): Promise<Omit<PartFile, "path" | "day" | "event">> {
    const open = new OpenSpillFiles();
    const output = new PartOutput(this.#files, this.#buffer, path);
    try {
      const encoder = this.format.openPart(output);
      for (const file of files) {
        const part = new EncodedPart(
          open,
          this.#content,
          join(this.directory, file.path),
          file.bytes,
        );
        part.check(file.sha256);
        encoder.appendPart(part);
      }
      encoder.finish();
      output.rest();
    } catch (error) {
      output.close();
      throw error instanceof SpillDamage ? damage(error) : error;
    } finally {
      open.close();
    }
    await this.#files.sync(path, "file");
    return {
      rows: sum(files, ({ rows }) => rows),
      bytes: output.size,
      sha256: output.digest(),
      firstTimestamp: Math.min(...files.map((file) => Date.parse(file.firstTimestamp))),
      lastTimestamp: Math.max(...files.map((file) => Date.parse(file.lastTimestamp))),
    };
  }
}

async function createJoiner(directory: string, manifest: Manifest): Promise<PartJoiner> {
  const { createFormat } = outputFormat(manifest.format as OutputFormat);
  const { compression, csvSafe } = manifest.configuration as unknown as PartOptions;
  const options = { ...columnsIn(manifest), compression, csvSafe };
  return new PartJoiner(directory, await createFormat(new Kernel(), options));
}

function refusal(directory: string, reason: string): SwitchyardError {
  return new SwitchyardError("compact_refused", `${directory} cannot be compacted: ${reason}`);
}

function damage({ message }: SpillDamage): SwitchyardError {
  const [fact] = message.split(":");
  return new SwitchyardError(
    "compact_refused",
    `${fact}; its day was not changed. Run its export again to write the file again, then compact`,
  );
}

const FETCHES_MAX = 4;

/**
 * Joins the small parts of an output in a store. The joined parts and the manifest are written before the
 * small ones are removed, as a store cannot do both at once. Throws what `compactExport` throws, and
 * `StoreError`.
 */
export async function compactInStore(output: SignalledPlace): Promise<CompactResult> {
  return withLockedCopy(output, async ({ mirror, directory, address }, lock) => {
    const manifest = await readManifest(join(directory, MANIFEST_NAME));
    await mapBounded(joinedPaths(manifest), FETCHES_MAX, (path) => mirror.fetchContent(path));
    const result = await compactExport(directory, output.signal);
    await mirror.publish(lock);
    return { ...result, directory: address };
  });
}
