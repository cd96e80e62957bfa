import { createHash } from "node:crypto";
import path from "node:path";
import { parseDay } from "../../base/day.js";
import { readOrNone } from "../../base/durable-file.js";
import { BATCH_ROWS_MAX } from "../../base/limits.js";
import type { Zone } from "../../base/zone.js";
import { type Column, cellKinds } from "../../batch/column.js";
import { outcomes } from "../../batch/event-batch.js";
import type { Kernel } from "../../batch/kernel.js";
import { nameInPart } from "../../formats/output-formats.js";
import { countOf, eventsOfDay } from "../../ledger/event-fold.js";
import type { Manifest, ManifestDay, ManifestEventCount } from "../../ledger/manifest.js";
import { EVENTS_BY_DAY_NAME, MANIFEST_NAME } from "../../output/layout.js";
import { type EventCount, EventCounts } from "../../profile/event-counts.js";
import { compare, type Difference, difference } from "./verify-difference.js";

/**
 * Counts the events in the files of an export by name and day, like the run that wrote them. Only
 * names of the manifest are counted by name.
 */
export class EventCheck {
  readonly #eventCounts: EventCounts;
  readonly #marks: number;
  readonly #timestamps: number;
  /** Names by their indexes in the event counts. */
  readonly #names: readonly string[];
  /** Lines of `events-by-day.jsonl` by day. */
  readonly #lines = new Map<string, string>();

  constructor(
    private readonly manifest: Manifest,
    private readonly kernel: Kernel,
    zone: Zone,
    /** Milliseconds of a unit of the timestamps in the parts. */
    private readonly unitMs: number,
  ) {
    this.#marks = kernel.allocate(BATCH_ROWS_MAX);
    this.#timestamps = kernel.allocate(BATCH_ROWS_MAX * 8);
    this.#eventCounts = new EventCounts(kernel, zone);
    const names = new Map(manifest.events.map(({ event }) => [nameInPart(event, manifest), event]));
    this.#eventCounts.limitTo([...names.keys()]);
    this.#names = this.#eventCounts.events().names.map(({ event }) => names.get(event) ?? event);
  }

  /** Sets the time of row `row` of the next batch; NaN if it cannot be read. */
  setTime(row: number, timestamp: number): void {
    const isReadable = !Number.isNaN(timestamp);
    this.kernel.bytes[this.#marks + row] = isReadable ? outcomes.deliver : outcomes.filtered;
    this.kernel.doubles[this.#timestamps / 8 + row] = timestamp;
  }

  /** Counts a batch; call it when the times of all rows are set. */
  count(rows: number, event: Column): void {
    const { bytes } = this.kernel;
    for (let row = 0; row < rows; row++) {
      if (bytes[event.kinds + row] === cellKinds.string) continue;
      bytes[this.#marks + row] = outcomes.filtered;
    }
    this.#eventCounts.take({
      rows,
      outcomes: this.#marks,
      event,
      timestamps: this.#timestamps,
    });
  }

  /** Ends a day; call it when all of its files are counted. */
  endDay({ day, rows }: ManifestDay): void {
    const counts = new Map<string, number>();
    const found = this.#eventCounts.takeDays().find(([number]) => number === parseDay(day)) ?? [];
    for (let at = 1; at < found.length; at += 2) {
      counts.set(this.#names[found[at]!] ?? "", found[at + 1]!);
    }
    this.#lines.set(day, eventsOfDay(day, counts, rows));
  }

  /** Returns the differences when all days have been counted. */
  async differences(directory: string): Promise<readonly Difference[]> {
    return [...this.#nameDifferences(), ...(await this.#dayDifferences(directory))];
  }

  /** Returns the differences of the file with the counts by day, as far as its checksum tells. */
  async fileDifferences(directory: string): Promise<readonly Difference[]> {
    return this.#compareFile(await readOrNone(path.join(directory, EVENTS_BY_DAY_NAME)));
  }

  #nameDifferences(): readonly Difference[] {
    const { events, otherEvents } = this.manifest;
    const found = this.#eventCounts.events();
    const counts = new Map(found.names.map((count, place) => [this.#names[place], count]));
    const isExact = otherEvents === undefined;
    const named = events.flatMap((stated) =>
      compareCounts(
        JSON.stringify(stated.event),
        counts.get(stated.event),
        this.#inUnit(stated),
        isExact,
      ),
    );
    const unlisted = found.others?.rows ?? 0;
    if (!isExact || unlisted === 0) return named;
    const message = `${unlisted} rows have event names that the manifest does not list`;
    return [...named, difference("events_differ", MANIFEST_NAME, message)];
  }

  /** Returns a count whose times have the precision of the parts. */
  #inUnit(stated: ManifestEventCount): ManifestEventCount {
    const [firstTimestamp, lastTimestamp] = [stated.firstTimestamp, stated.lastTimestamp].map(
      (time) => new Date(Math.floor(Date.parse(time) / this.unitMs) * this.unitMs).toISOString(),
    ) as [string, string];
    return this.unitMs === 1 ? stated : { ...stated, firstTimestamp, lastTimestamp };
  }

  #compareFile(text: Buffer | undefined): readonly Difference[] {
    const { bytes, sha256 } = this.manifest.eventsByDay;
    if (text === undefined) {
      return [difference("file_missing", EVENTS_BY_DAY_NAME, "the file does not exist")];
    }
    const digest = createHash("sha256").update(text).digest("hex");
    return [
      ...compare("bytes_differ", EVENTS_BY_DAY_NAME, "size in bytes", text.length, bytes),
      ...compare("sha256_differs", EVENTS_BY_DAY_NAME, "SHA-256", digest, sha256),
    ];
  }

  /**
   * Compares the counts by day. Rows beyond the limits of names and pairs cannot be identified in
   * the files.
   */
  async #dayDifferences(directory: string): Promise<readonly Difference[]> {
    const text = await readOrNone(path.join(directory, EVENTS_BY_DAY_NAME));
    const changed = this.#compareFile(text);
    if (text === undefined || changed.length > 0) return changed;
    const stated = text.toString().split("\n").slice(0, -1);
    const found = [...this.#lines];
    const wrong = found.find(
      ([, line], index) => line !== stated[index] && !/,"others":\d+\}$/.test(stated[index] ?? ""),
    );
    const day = wrong?.[0] ?? (stated.length === found.length ? undefined : "a day without rows");
    if (day === undefined) return [];
    const message = `the counts of ${day} differ from its files`;
    return [difference("events_differ", EVENTS_BY_DAY_NAME, message)];
  }
}

/** `isExact` is false if the events of other names may include rows of this name. */
function compareCounts(
  name: string,
  found: EventCount | undefined,
  stated: ManifestEventCount,
  isExact: boolean,
): readonly Difference[] {
  const rows = found?.rows ?? 0;
  if (!isExact && rows >= stated.rows) return [];
  const wrongRows = compare("events_differ", MANIFEST_NAME, `rows of ${name}`, rows, stated.rows);
  if (wrongRows.length > 0 || found === undefined || rows === 0) return wrongRows;
  const times = countOf(found);
  return (["firstTimestamp", "lastTimestamp"] as const).flatMap((key) =>
    compare("events_differ", MANIFEST_NAME, `${key} of ${name}`, times[key], stated[key]),
  );
}
