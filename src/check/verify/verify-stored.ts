import { readFile } from "node:fs/promises";
import path from "node:path";
import { STORED_DIFFERENCES_MAX } from "../../base/limits.js";
import { createZone } from "../../base/luxon-zone.js";
import { Kernel } from "../../batch/kernel.js";
import { columnsIn } from "../../formats/open-part.js";
import { type OutputFormat, outputFormat } from "../../formats/output-formats.js";
import type { Manifest } from "../../ledger/manifest.js";
import { readManifest } from "../../ledger/manifest-file.js";
import { EVENTS_BY_DAY_NAME, MANIFEST_NAME } from "../../output/layout.js";
import { withFiles } from "../../output/open-files.js";
import { isAccount } from "../../output/output-paths.js";
import type { OutputPlace } from "../../output/output-place.js";
import type { OpenReader } from "../../readers/reader.js";
import {
  type CountPair,
  type DayLine,
  pairsByDay,
  pairsByName,
  type StoredEvents,
} from "./stored-counts.js";
import { compareSample, type ExportReading, takeSample } from "./stored-sample.js";
import { type Difference, difference } from "./verify-difference.js";

/** A comparison of stored events with an export of the same events. */
export interface StoredResult {
  readonly outcome: "verified" | "different";
  /** Stored events of the days and names of the export. */
  readonly events: number;
  /** Number of compared counts, and their kind: by name only if the days of the export are not in UTC. */
  readonly counts: number;
  readonly countedBy: "day and name" | "name";
  /** Events that were compared field by field. */
  readonly sampled: number;
  /** Events that the service refused and that may therefore be missing. */
  readonly refused: number;
  readonly differences: readonly Difference[];
}

interface VerifyStoredTask {
  /** An export that is verified itself. */
  readonly place: OutputPlace;
  readonly stored: StoredEvents;
  /** Number of events that the service refused during sending. */
  readonly refused: number;
}

/**
 * Proves that a service has the events of an export: equal counts of each name and day, and a
 * sample that is equal field by field. Throws `ManifestError`, and the signal's reason.
 */
export async function verifyStored(
  { place, stored, refused }: VerifyStoredTask,
  { signal, openReader }: { readonly signal: AbortSignal; readonly openReader: OpenReader },
): Promise<StoredResult> {
  return withFiles({ ...place, signal }, isAccount, (files) => {
    const fetch = (file: string) => files.fetch([file]);
    const { directory } = files;
    return compareStored({ directory, fetch, stored, refused }, { signal, openReader });
  });
}

interface CompareTask extends Omit<VerifyStoredTask, "place"> {
  readonly directory: string;
  readonly fetch: ExportReading["fetch"];
}

async function compareStored(
  { directory, fetch, stored, refused }: CompareTask,
  { signal, openReader }: { readonly signal: AbortSignal; readonly openReader: OpenReader },
): Promise<StoredResult> {
  const manifest = await readManifest(path.join(directory, MANIFEST_NAME));
  const lines = await readDayLines(directory);
  const isByDay = manifest.dayZone === "UTC";
  const counts = new CountComparison(refused);
  for await (const pair of isByDay ? pairsByDay(lines, stored) : pairsByName(manifest, stored)) {
    signal.throwIfAborted();
    counts.take(pair);
  }
  const sample = await takeSample(lines, stored);
  const fields = await compareFields(sample, manifest, { directory, fetch, openReader, signal });
  const differences = [...counts.differences(), ...fields];
  return {
    outcome: differences.length === 0 ? "verified" : "different",
    events: counts.stored,
    counts: counts.compared,
    countedBy: isByDay ? "day and name" : "name",
    sampled: sample.length,
    refused,
    differences,
  };
}

async function readDayLines(directory: string): Promise<readonly DayLine[]> {
  const text = await readFile(path.join(directory, EVENTS_BY_DAY_NAME), "utf8");
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as DayLine);
}

function compareFields(
  sample: Awaited<ReturnType<typeof takeSample>>,
  manifest: Manifest,
  outside: {
    readonly directory: string;
    readonly fetch: ExportReading["fetch"];
    readonly openReader: OpenReader;
    readonly signal: AbortSignal;
  },
): Promise<readonly Difference[]> {
  const { openPart } = outputFormat(manifest.format as OutputFormat);
  const columns = columnsIn(manifest);
  const reading = { ...outside, openPart, columns, kernel: new Kernel() };
  return compareSample(sample, manifest, createZone(manifest.dayZone), reading);
}

/**
 * Compares pairs of counts. Events that the service refused may be missing, whatever their name and
 * day.
 */
class CountComparison {
  #compared = 0;
  #stored = 0;
  #missing = 0;
  #hidden = 0;
  readonly #short: Difference[] = [];
  readonly #over: Difference[] = [];

  constructor(private readonly refused: number) {}

  get compared(): number {
    return this.#compared;
  }

  get stored(): number {
    return this.#stored;
  }

  take({ what, mapped, stored }: CountPair): void {
    this.#compared++;
    this.#stored += stored;
    if (stored === mapped) return;
    this.#missing += Math.max(0, mapped - stored);
    const list = stored < mapped ? this.#short : this.#over;
    if (list.length >= STORED_DIFFERENCES_MAX) {
      this.#hidden++;
      return;
    }
    const message = `${what}: the service has ${stored}, the export has ${mapped}`;
    list.push(difference("stored_count_differs", "service", message));
  }

  differences(): readonly Difference[] {
    const short = this.#missing === this.refused ? [] : this.#short;
    const listed = [...short, ...this.#over];
    if (listed.length === 0 || this.#hidden === 0) return listed;
    const message = `${this.#hidden} further counts differ`;
    return [...listed, difference("stored_count_differs", "service", message)];
  }
}
