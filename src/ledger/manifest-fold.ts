import { createHash } from "node:crypto";
import { basename } from "node:path";
import { epochOf } from "../base/epoch.js";
import { SwitchyardError } from "../base/errors.js";
import { groupBy } from "../base/group-by.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import { EVENTS_BY_DAY_NAME, splitOfPartName } from "../output/layout.js";
import type { PartFile } from "../sinks/sink.js";
import { CompactedParts, fileOf } from "./compacted.js";
import type { EventFold, FoldedEvents } from "./event-fold.js";
import type { SplitRecord } from "./ledger-records.js";
import type { Manifest, ManifestDay, RowCounts } from "./manifest.js";
import type { RecordedOptions } from "./recorded-options.js";
import { type AccountFacts, foldAccounts, inOrder } from "./run-accounts.js";
import { checkAccounts } from "./split-accounts.js";

export interface ManifestFacts extends AccountFacts {
  readonly options: RecordedOptions;
}

/** The files that an export writes at its end. */
interface FoldedExport {
  readonly manifest: Manifest;
  /** Content of the file that `manifest.eventsByDay` names. */
  readonly eventsByDay: string;
}

/** The merged parts, and the days that are not merged yet. */
interface FoldedMerges {
  readonly parts: readonly PartFile[];
  readonly pending: readonly Pick<PartFile, "day" | "rows">[];
}

const noMerges: FoldedMerges = { parts: [], pending: [] };

/**
 * Adds up the records of an export and the events of the same splits. Pure, and independent of the
 * order of `records`. Throws if the sums do not add up.
 */
export function foldExport(
  facts: ManifestFacts,
  records: readonly SplitRecord[],
  fold: EventFold,
  merged = noMerges,
  compacted = new CompactedParts([]),
): FoldedExport {
  const ordered = inOrder(records);
  const parts = [...ordered.flatMap((record) => record.parts), ...merged.parts];
  const events = fold.result([...parts, ...merged.pending]);
  const pending = sum(merged.pending, ({ rows }) => rows);
  const manifest = foldManifest(facts, ordered, { parts, pending, compacted }, events);
  return { manifest, eventsByDay: events.byDay };
}

interface FoldedParts {
  /** Ordered as the records list them. */
  readonly parts: readonly PartFile[];
  readonly pending: number;
  readonly compacted: CompactedParts;
}

function foldManifest(
  facts: ManifestFacts,
  ordered: readonly SplitRecord[],
  { parts: written, pending, compacted }: FoldedParts,
  folded: FoldedEvents,
): Manifest {
  const { events, otherEvents, byDay } = folded;
  const { dataset, format, dayZone } = facts.options;
  const parts = compacted.apply(written);
  const days = foldDays(parts);
  const { manifestVersion, version, configuration, ...accounts } = foldAccounts(facts, ordered);
  const rows = sum(parts, (part) => part.rows);
  checkAccounts("total", accounts.rows, rows + pending);
  checkEvents(accounts.rows, folded);
  const { run, failures, epochs, complete: isComplete, ...counts } = accounts;
  const daysOfEpochs = foldDaysOfEpochs(written);
  const complete = isComplete && pending === 0;
  return {
    manifestVersion,
    version,
    complete,
    dataset,
    format,
    dayZone,
    configuration,
    totals: {
      rows,
      bytes: sum(parts, (part) => part.bytes),
      files: parts.length,
      days: days.length,
      firstTimestamp: isoOrNull(least(parts.map((part) => part.firstTimestamp))),
      lastTimestamp: isoOrNull(greatest(parts.map((part) => part.lastTimestamp))),
    },
    ...(pending === 0 ? {} : { pending }),
    ...counts,
    failures,
    epochs: epochs.map((epoch) => ({ ...epoch, days: daysOfEpochs.get(epoch.number) ?? [] })),
    events,
    ...omitUndefined({ otherEvents }),
    eventsByDay: {
      path: EVENTS_BY_DAY_NAME,
      bytes: Buffer.byteLength(byDay),
      sha256: createHash("sha256").update(byDay).digest("hex"),
    },
    days,
    run,
  };
}

/** Throws `accounts_differ` if the names do not account for every event. */
export function checkEvents(
  { delivered }: RowCounts,
  { events, otherEvents }: Omit<FoldedEvents, "byDay">,
): void {
  const counted = sum(events, ({ rows }) => rows) + (otherEvents?.rows ?? 0);
  if (counted === delivered) return;
  throw new SwitchyardError(
    "accounts_differ",
    `${delivered} rows delivered, but ${counted} counted by event name; this is a defect of Switchyard`,
  );
}

/** Returns the days that have files of each epoch, in order. */
function foldDaysOfEpochs(parts: readonly PartFile[]): ReadonlyMap<number, readonly string[]> {
  const days = new Map<number, Set<string>>();
  for (const { path, day } of parts) {
    const epoch = epochOf(splitOfPartName(basename(path)) ?? "");
    days.set(epoch, (days.get(epoch) ?? new Set()).add(day));
  }
  return new Map([...days].map(([epoch, names]) => [epoch, [...names].sort()]));
}

function foldDays(all: readonly PartFile[]): readonly ManifestDay[] {
  const days = [...groupBy(all, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1));
  return days.map(([day, parts]) => {
    const files = parts.map(fileOf);
    return {
      day,
      rows: sum(parts, (part) => part.rows),
      bytes: sum(parts, (part) => part.bytes),
      firstTimestamp: isoTime(least(parts.map((part) => part.firstTimestamp)) as number),
      lastTimestamp: isoTime(greatest(parts.map((part) => part.lastTimestamp)) as number),
      files,
    };
  });
}

function least(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
}

function greatest(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function isoOrNull(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : isoTime(timeMs);
}
