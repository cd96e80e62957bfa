import {
  EVENT_COUNTS_NAMES_MAX,
  PROFILE_IDS_MAX,
  PROFILE_PAIRS_MAX,
  SAMPLE_BYTES_MAX,
} from "../../base/limits.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { sum } from "../../base/sum.js";
import type { EventFold } from "../../ledger/event-fold.js";
import type { ManifestEvent, RunAccounts } from "../../ledger/manifest.js";
import type { TopIds } from "../../profile/id-fold.js";
import { maskCells } from "../../profile/masked-text.js";
import type { PartSizeFold } from "../../profile/part-size-fold.js";
import { type FoldedName, foldLimits, type ProfileFold } from "../../profile/profile-fold.js";
import {
  type Estimate,
  REPORT_VERSION,
  type Report,
  type ReportEvent,
  type ReportReject,
  type ReportSample,
  type ReportSizes,
} from "../../profile/report.js";
import { type Registers, sizeAt } from "../../profile/sketches.js";
import { guessZone } from "../../profile/zone-guess.js";
import type { Format, Source } from "../../sources/source.js";
import {
  countDays,
  hoursOfDayOf,
  REPORT_DAY_EVENTS_MAX,
  REPORT_DAYS_MAX,
  reportDays,
} from "./report-days.js";

/** Sources that a report names. */
const SOURCES_MAX = 1_000;

/** Event names whose samples are shown. */
const SAMPLE_NAMES_MAX = 50;

const TOP_IDS_MAX = 10;

const UNUSED_FIELDS_MAX = 100;

const limits: Report["limits"] = {
  ...foldLimits,
  events: EVENT_COUNTS_NAMES_MAX,
  days: REPORT_DAYS_MAX,
  dayEvents: REPORT_DAY_EVENTS_MAX,
  ids: PROFILE_IDS_MAX,
  idPairs: PROFILE_PAIRS_MAX,
  topIDs: TOP_IDS_MAX,
  sources: SOURCES_MAX,
  unusedFields: UNUSED_FIELDS_MAX,
  sampledNames: SAMPLE_NAMES_MAX,
  sampleBytes: SAMPLE_BYTES_MAX,
};

/** A report without its findings and estimates. */
export type CountedReport = Omit<Report, "findings" | "verdict" | "estimates"> & {
  /** The measured parts from which the size of an export is estimated. */
  readonly partSizes: PartSizeFold;
};

/** The parts of a report that are not counted from rows. */
export interface ReportFacts {
  readonly accounts: RunAccounts;
  /** Duplicates, if they were counted exactly. */
  readonly exact: NonNullable<Report["rows"]["duplicates"]["exact"]> | undefined;
  readonly dayZone: string;
  readonly sampleShare: number;
  /** Estimates for all rows; absent if only what was read is counted. */
  readonly quick?: Report["sample"]["quick"];
  readonly threads: number;
  readonly sources: readonly Source[];
  /** Source fields without a target, the most filled first. */
  readonly unusedFields: Report["unusedFields"];
  readonly renamedFields: Report["renamedFields"];
  /** Returns advice for rejects with this code. */
  adviceOn(code: ReportReject["code"]): string;
}

function skippedLinesOf({ notices }: RunAccounts): Report["skippedLines"] {
  const { header_repeated: headers = 0, byte_order_mark_skipped: marks = 0 } = notices;
  return headers + marks === 0 ? undefined : { headers, marks };
}

/** Builds the counted part of a dry run's report. Pure. */
export function foldReport(
  facts: ReportFacts,
  profile: ProfileFold,
  eventFold: EventFold,
): CountedReport {
  const { accounts, dayZone, sampleShare, threads } = facts;
  const { events: named, otherEvents } = eventFold.result([]);
  const sorted = named.toSorted((a, b) => b.rows - a.rows || (a.event < b.event ? -1 : 1));
  const names = sorted.map(({ event }) => event);
  const hoursOfDay = hoursOfDayOf(profile.hours);
  const identity = identityOf(profile, accounts);
  const daysOfNames = countDays(eventFold.days);
  const days = reportDays(profile, eventFold, names, daysOfNames);
  const { delivered } = accounts.rows;
  const { startedAt, endedAt, durationMs } = accounts.run;
  const { future, suspicious, midnight } = profile.figures;
  return {
    reportVersion: REPORT_VERSION,
    version: accounts.version,
    run: { startedAt, endedAt, durationMs, threads },
    configuration: accounts.configuration,
    dayZone,
    inputs: inputsOf(facts),
    sample: { share: sampleShare, ...omitUndefined({ quick: facts.quick }) },
    ...omitUndefined({ limit: accounts.limit }),
    rows: rowsOf(facts, profile),
    days,
    otherDays: { rows: profile.leftOutOfHours },
    hoursOfDay,
    events: sorted.map((event) =>
      eventOf(
        event,
        { events: delivered, users: identity.users },
        profile.names.get(event.event),
        daysOfNames.get(event.event),
      ),
    ),
    otherEvents: { names: otherEvents === undefined ? 0 : null, rows: otherEvents?.rows ?? 0 },
    identity,
    times: {
      ...rangeOf(sorted, otherEvents),
      future,
      suspicious,
      midnight,
      zoneGuess: guessZone(hoursOfDay, days.filter(({ events }) => events > 0).length),
    },
    sizes: sizesOf(profile, delivered),
    userProperties: profile.userProperties.result(),
    unusedFields: facts.unusedFields.slice(0, UNUSED_FIELDS_MAX),
    missingFields: accounts.missingFields ?? [],
    renamedFields: facts.renamedFields,
    ...omitUndefined({ misplacedCommas: accounts.misplacedCommas }),
    ...omitUndefined({
      skippedLines: skippedLinesOf(accounts),
      rowsWithoutElements: accounts.notices["row_without_elements"],
    }),
    rejects: rejectsOf(facts, profile),
    samples: samplesOf(names, profile, facts.sources),
    partSizes: profile.partSizes,
    limits,
  };
}

/** Lists the first sources; there can be millions. */
function inputsOf({ sources: read, accounts }: ReportFacts): Report["inputs"] {
  const failed = new Map(accounts.failures.map((failure) => [failure.source, failure]));
  const unopened = new Map(failed);
  for (const { name } of failed.size === 0 ? [] : read) unopened.delete(name);
  // Nothing else is known about sources that could not be opened.
  const unreadable = [...unopened.values()].map(({ source: name, code, message }) => ({
    name,
    bytes: 0,
    format: "unknown",
    failure: { code, message },
  }));
  const sources = read.slice(0, SOURCES_MAX).map(({ name, size: bytes, format }) => {
    const { code, message } = failed.get(name) ?? {};
    const failure = code === undefined || message === undefined ? undefined : { code, message };
    return omitUndefined({ name, bytes, format: format.kind, failure });
  });
  return {
    files: countFiles([...unopened.keys()], read),
    bytes: sum(read, ({ size }) => size),
    sources: [...unreadable, ...sources].slice(0, SOURCES_MAX),
    sourcesTotal: unreadable.length + read.length,
  };
}

/** Counts the files of inputs; an archive with all its entries counts as one. */
function countFiles(unopened: readonly string[], read: readonly Source[]): number {
  const archives = new Set<string>();
  let plain = 0;
  const add = (name: string) => {
    const end = name.indexOf("!");
    if (end < 0) plain++;
    else archives.add(name.slice(0, end));
  };
  for (const name of unopened) add(name);
  for (const { name } of read) add(name);
  return plain + archives.size;
}

function rowsOf({ accounts: { rows }, exact }: ReportFacts, profile: ProfileFold): Report["rows"] {
  const { read, added, delivered, rejected, filtered } = rows;
  const { withInsertID } = profile.figures;
  return {
    read,
    added,
    mapped: delivered,
    rejected,
    filtered,
    duplicates: { withInsertID, ...repeatsOf(profile), ...omitUndefined({ exact }) },
  };
}

/** Estimates the repeated insert ids, unless the profile leaves them to an exact count. */
function repeatsOf({ figures, insertIDs }: ProfileFold) {
  if (insertIDs === undefined) return {};
  const { registers, repeated, unknown } = insertIDs;
  const { count, error } = registers.estimate();
  return {
    withinSplits: repeated,
    unknown,
    estimated: Math.max(repeated, figures.withInsertID - count),
    error: Math.round(count * error),
  };
}

function eventOf(
  { event, rows, firstTimestamp, lastTimestamp }: ManifestEvent,
  total: { readonly events: number; readonly users: Estimate },
  name: FoldedName | undefined,
  days = 0,
): ReportEvent {
  return {
    event,
    rows,
    share: total.events === 0 ? 0 : rows / total.events,
    firstTimestamp,
    lastTimestamp,
    days,
    users: usersOf(name, rows, total.users),
    bytes: { mean: Math.round((name?.bytes ?? 0) / rows), max: name?.bytesMax ?? 0 },
    properties: name?.properties?.result() ?? null,
  };
}

/** Limits an estimate to what is possible. Limited by another estimate, it would be too low. */
function usersOf(name: FoldedName | undefined, rows: number, all: Estimate): Estimate | null {
  if (name?.users === undefined) return null;
  const { count, error } = name.users.estimate();
  return { count: Math.min(count, rows, all.error === 0 ? all.count : rows), error };
}

function rangeOf(
  events: readonly ManifestEvent[],
  others: ReturnType<EventFold["result"]>["otherEvents"],
): { first: string | null; last: string | null } {
  const all = others === undefined ? events : [...events, others];
  const [first] = all.map(({ firstTimestamp }) => firstTimestamp).sort(byTime);
  const last = all
    .map(({ lastTimestamp }) => lastTimestamp)
    .sort(byTime)
    .at(-1);
  return { first: first ?? null, last: last ?? null };
}

/** Compares as times: years beyond 9999 have a sign and do not sort as text. */
function byTime(one: string, other: string): number {
  return Date.parse(one) - Date.parse(other);
}

function identityOf(profile: ProfileFold, { notices }: RunAccounts): Report["identity"] {
  const { both, userOnly, deviceOnly, none, same } = profile.figures;
  const { devicePrefixes, generatedAlone, generatedBeside } = profile.figures;
  const { emailUsers, emailDevices } = profile.figures;
  const { users, devices } = profile.ids.top(TOP_IDS_MAX);
  const junkIDs = [...profile.junkIDs].map(([key, rows]) => {
    const [field = "", ...words] = key.split(" ");
    return { field: field as "userID" | "stableID", value: words.join(" "), rows };
  });
  return {
    both,
    userOnly,
    deviceOnly,
    none,
    ...omitUndefined({ filled: notices["user_id_filled"] }),
    same,
    devicePrefixes,
    generatedAlone,
    generatedBeside,
    emailUsers,
    emailDevices,
    users: countOf(users, profile.users),
    devices: countOf(devices, profile.devices),
    junkIDs: junkIDs.sort((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1)),
    oddIDs: [...oddIDsOf("userID", users), ...oddIDsOf("stableID", devices)],
    topUsers: users.byRows,
    sharedUsers: users.byOthers,
    topDevices: devices.byRows,
    sharedDevices: devices.byOthers,
  };
}

function oddIDsOf(field: "userID" | "stableID", { odd }: TopIds): Report["identity"]["oddIDs"] {
  return odd.map(({ ids = null, twins = null, ...counts }) => ({ field, ...counts, ids, twins }));
}

function countOf({ distinct }: TopIds, registers: Registers): Estimate {
  return distinct === undefined ? registers.estimate() : { count: distinct, error: 0 };
}

function sizesOf({ figures, sizes, largest }: ProfileFold, events: number): ReportSizes {
  const max = largest[0]?.bytes ?? 0;
  // Sizes are counted in classes, whose middle can be above the largest event.
  const at = (share: number) => Math.min(sizeAt(share, sizes), max);
  return {
    // Each event ends with a line feed.
    total: figures.bytes + events,
    mean: events === 0 ? 0 : Math.round(figures.bytes / events),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max,
    largest,
  };
}

function rejectsOf(
  { accounts, adviceOn, sources }: ReportFacts,
  { rejectSamples }: ProfileFold,
): readonly ReportReject[] {
  const formats = formatsOf(sources);
  return accounts.rejects.map(({ code, rows }) => ({
    code,
    rows,
    advice: adviceOn(code),
    samples: (rejectSamples.get(code) ?? []).map(({ order: _, code: __, ...sample }) => {
      const csv = sample.isBase64 ? undefined : dialectOf(formats.get(sample.source));
      return csv === undefined ? sample : { ...sample, raw: maskCells(sample.raw, csv) };
    }),
  }));
}

function samplesOf(
  names: readonly string[],
  { samples }: ProfileFold,
  sources: readonly Source[],
): readonly ReportSample[] {
  const formats = formatsOf(sources);
  return names
    .filter((name) => samples.has(name))
    .slice(0, SAMPLE_NAMES_MAX)
    .flatMap((name) => samples.get(name) ?? [])
    .map(({ order: _, ...given }) => {
      const format = formats.get(given.source);
      const csv = dialectOf(format);
      const sample = { ...given, trace: given.trace.map(columnStep(given.raw, format)) };
      return csv === undefined ? sample : { ...sample, raw: maskCells(sample.raw, csv), csv };
    });
}

/** Returns a function that makes a path the name of a column where readers take such a column. */
function columnStep(raw: string, format: Format | undefined) {
  const isColumn = (name: string) =>
    format?.kind === "csv"
      ? format.columns.includes(name)
      : raw.includes(`${JSON.stringify(name)}:`);
  const isTable = format?.kind === "csv" || format?.kind === "parquet";
  return <T extends { readonly from: readonly string[] }>(step: T): T => {
    const names = isTable ? step.from.map((_, end) => step.from.slice(0, end + 1).join(".")) : [];
    const end = names.findLastIndex((name, index) => index > 0 && isColumn(name));
    const column = names[end];
    return column === undefined ? step : { ...step, from: [column, ...step.from.slice(end + 1)] };
  };
}

function formatsOf(sources: readonly Source[]): ReadonlyMap<string, Format> {
  return new Map(sources.map(({ name, format }) => [name, format]));
}

function dialectOf(format: Format | undefined): ReportSample["csv"] {
  if (format?.kind !== "csv") return undefined;
  const { delimiter, quote, nulls = [], columns } = format;
  const backslashes = format.backslashes !== undefined;
  return omitUndefined({ delimiter, quote, escape: format.escape, backslashes, nulls, columns });
}
