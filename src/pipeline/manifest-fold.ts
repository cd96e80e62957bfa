import { createHash } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import type { PartFile } from "../sinks/sink.js";
import type { EventFold, FoldedEvents } from "./event-fold.js";
import type { SplitRecord } from "./ledger/ledger.js";
import type { RecordedOptions } from "./ledger/recorded-options.js";
import {
  EVENTS_BY_DAY_NAME,
  type Manifest,
  type ManifestDay,
  type ManifestFile,
  type RowCounts,
} from "./manifest.js";
import { type AccountFacts, foldAccounts, inOrder, sum } from "./run-accounts.js";
import { checkAccounts } from "./worker/run-split.js";

export interface ManifestFacts extends AccountFacts {
  readonly options: RecordedOptions;
}

/** What is written at the end of an export. */
export interface FoldedExport {
  readonly manifest: Manifest;
  /** What stands in the file that `manifest.eventsByDay` names. */
  readonly eventsByDay: string;
}

/**
 * Adds up the records of an export and the events of the same splits. Pure, and independent of the
 * order of `records`. Throws when the sums do not add up.
 */
export function foldExport(
  facts: ManifestFacts,
  records: readonly SplitRecord[],
  fold: EventFold,
): FoldedExport {
  const ordered = inOrder(records);
  const events = fold.result(ordered.flatMap(({ parts }) => parts));
  return { manifest: foldManifest(facts, ordered, events), eventsByDay: events.byDay };
}

function foldManifest(
  facts: ManifestFacts,
  ordered: readonly SplitRecord[],
  folded: FoldedEvents,
): Manifest {
  const { events, otherEvents, byDay } = folded;
  const { dataset, format, dayZone } = facts.options;
  const days = foldDays(ordered);
  const parts = ordered.flatMap((record) => record.parts);
  const { manifestVersion, version, complete, configuration, ...accounts } = foldAccounts(
    facts,
    ordered,
  );
  const rows = sum(parts, (part) => part.rows);
  checkAccounts("total", accounts.rows, rows);
  checkEvents(accounts.rows, folded);
  const { run, failures, ...counts } = accounts;
  return {
    ...{ manifestVersion, version, complete, dataset, format, dayZone, configuration },
    totals: {
      rows,
      bytes: sum(parts, (part) => part.bytes),
      files: parts.length,
      days: days.length,
      firstTimestamp: isoOrNull(least(parts.map((part) => part.firstTimestamp))),
      lastTimestamp: isoOrNull(greatest(parts.map((part) => part.lastTimestamp))),
    },
    ...counts,
    ...{ failures, events },
    ...(otherEvents === undefined ? {} : { otherEvents }),
    eventsByDay: {
      path: EVENTS_BY_DAY_NAME,
      bytes: Buffer.byteLength(byDay),
      sha256: createHash("sha256").update(byDay).digest("hex"),
    },
    ...{ days, run },
  };
}

/** Throws where the names do not account for every event. */
export function checkEvents(
  { delivered }: RowCounts,
  { events, otherEvents }: Omit<FoldedEvents, "byDay">,
): void {
  const counted = sum(events, ({ rows }) => rows) + (otherEvents?.rows ?? 0);
  if (counted === delivered) return;
  throw new SwitchyardError(
    "accounts_differ",
    `${delivered} rows delivered, but ${counted} counted by the name of their event: this is a defect of Switchyard`,
  );
}

function foldDays(records: readonly SplitRecord[]): readonly ManifestDay[] {
  const byDay = new Map<string, PartFile[]>();
  for (const part of records.flatMap((record) => record.parts)) {
    const known = byDay.get(part.day);
    if (known === undefined) byDay.set(part.day, [part]);
    else known.push(part);
  }
  const days = [...byDay].sort(([a], [b]) => (a < b ? -1 : 1));
  return days.map(([day, parts]) => {
    const files = parts.map(
      ({ path, rows, bytes, sha256, firstTimestamp, lastTimestamp }): ManifestFile => ({
        path,
        rows,
        bytes,
        sha256,
        firstTimestamp: isoTime(firstTimestamp),
        lastTimestamp: isoTime(lastTimestamp),
      }),
    );
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
