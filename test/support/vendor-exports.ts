import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { writeZip } from "../sources/zip-writer.js";
import { createRandom } from "./random.js";

export const vendors = ["amplitude", "mixpanel", "posthog", "ga4"] as const;
export type Vendor = (typeof vendors)[number];

/** What a row of a generated export is, as its generator knows. */
export interface KnownRow {
  /** Equal for repeated rows. */
  readonly index: number;
  /** File, or entry of an archive, as messages name it; and row in it, counted from 1. */
  readonly source: string;
  readonly row: number;
  /** Code with which the row is rejected; undefined for an event. */
  readonly reject: string | undefined;
  readonly name: string;
  readonly timeMs: number;
  readonly userID: string | null;
  readonly stableID: string | null;
  /** Undefined where the vendor has none. */
  readonly insertID: string | undefined;
}

export interface VendorExport {
  /** Rows of all inputs. */
  readonly rows: readonly KnownRow[];
  /** Bytes of all sources; what an archive adds to them is not counted. */
  readonly bytes: number;
  /** Files in `in/` that come later than the others. */
  readonly later: readonly string[];
}

/** What some SDKs write for a visitor without a user id. */
export const JUNK_ID = "undefined";

const START_MS = Date.UTC(2026, 2, 2);
const HOUR_MS = 3_600_000;
const HOURS = 12 * 24;

const names = [
  ...Array<string>(9).fill("page_viewed"),
  ...Array<string>(4).fill("product_added"),
  ...Array<string>(2).fill("checkout_completed"),
  "検索した",
  'quote " and, comma',
];

type Row = Omit<KnownRow, "source" | "row">;

/**
 * Writes a messy export of a vendor to `directory`/in: repeated rows, late rows, blank lines, ids that are
 * nobody's, rows that are not events. Half of its files are later ones.
 */
export function writeVendorExport(vendor: Vendor, directory: string, rows: number): VendorExport {
  const random = createRandom(20_260_302 + vendors.indexOf(vendor));
  const hours = Array.from({ length: HOURS }, (): Row[] => []);
  for (let index = 0; index < rows; index++) {
    const hour = Math.floor(random() * HOURS);
    const row = makeRow(vendor, index, hour, random);
    hours[hour]?.push(row);
    if (row.reject !== undefined) continue;
    // A request that was sent again.
    if (random() < 0.02) hours[hour]?.push(row);
    // An hour that was exported again, into a later file.
    if (random() < 0.01) hours[Math.min(hour + 1, HOURS - 1)]?.push(row);
  }
  const input = join(directory, "in");
  mkdirSync(input, { recursive: true });
  return writeFiles(vendor, input, hours, random);
}

function makeRow(vendor: Vendor, index: number, hour: number, random: () => number): Row {
  const isLate = random() < 0.02 && hour > 30;
  const uploaded = START_MS + hour * HOUR_MS + Math.floor(random() * HOUR_MS);
  const timeMs = isLate ? uploaded - Math.floor(random() * 30 * HOUR_MS) : uploaded;
  const user = Math.floor(random() ** 3 * 3_000);
  const isAnonymous = random() < 0.25;
  return {
    index,
    reject: rejectOf(vendor, index),
    name: names[Math.floor(random() * names.length)] ?? "",
    timeMs: vendor === "mixpanel" ? Math.floor(timeMs / 1000) * 1000 : timeMs,
    userID: isAnonymous ? (index % 40 === 0 ? JUNK_ID : null) : `customer-${user}`,
    stableID: `device-${user}-${Math.floor(random() * 2)}`,
    insertID: vendor === "ga4" ? undefined : `insert-${index}`,
  };
}

function rejectOf(vendor: Vendor, index: number): string | undefined {
  switch (index % 1_000) {
    case 101:
      return "malformed_row";
    case 202:
      return "time_unparsable";
    case 303:
      return "event_missing";
    case 404:
      return "unit_id_missing";
    case 505:
      if (vendor === "ga4") return undefined;
      // All that Mixpanel writes is in the properties.
      return vendor === "mixpanel" ? "time_missing" : "metadata_not_object";
    default:
      return undefined;
  }
}

/** Encoders of rows that are no rejects. */
const encoders: Readonly<Record<Vendor, (row: Row) => Record<string, unknown>>> = {
  amplitude: ({ index, name, timeMs, userID, stableID, insertID }) => ({
    $insert_id: insertID,
    event_type: name,
    event_time: new Date(timeMs).toISOString().replace("T", " ").replace("Z", "000"),
    user_id: userID,
    device_id: stableID,
    platform: index % 3 === 0 ? "iOS" : "Web",
    event_properties: propertiesOf(index),
    user_properties: { plan: index % 2 === 0 ? "free" : "yearly" },
  }),
  mixpanel: ({ index, name, timeMs, userID, stableID, insertID }) => ({
    event: name,
    properties: {
      time: timeMs / 1000,
      distinct_id: userID ?? `$device:${stableID}`,
      $user_id: userID ?? undefined,
      $device_id: stableID,
      $insert_id: insertID,
      ...propertiesOf(index),
    },
  }),
  posthog: ({ index, name, timeMs, userID, stableID, insertID }) => ({
    uuid: insertID,
    event: name,
    timestamp: new Date(timeMs).toISOString().replace("Z", "789Z"),
    distinct_id: userID ?? stableID,
    properties: { $device_id: stableID, ...propertiesOf(index) },
    person_properties: index % 5 === 0 ? null : { plan: "free" },
  }),
  ga4: ({ index, name, timeMs, userID, stableID }) => ({
    event_date: new Date(timeMs).toISOString().slice(0, 10).replaceAll("-", ""),
    event_timestamp: String(timeMs * 1000 + 789),
    event_name: name,
    event_params: [
      { key: "price", value: { int_value: String(index) } },
      { key: "code", value: { string_value: "007" } },
    ],
    user_id: userID,
    user_pseudo_id: stableID,
    user_properties: [],
    platform: "WEB",
  }),
};

/** How each vendor's fields are made wrong for a reject. */
const wrongFields: Readonly<Record<Vendor, Readonly<Record<string, object>>>> = {
  amplitude: {
    time_unparsable: { event_time: "yesterday" },
    event_missing: { event_type: null },
    unit_id_missing: { user_id: null, device_id: null },
    metadata_not_object: { event_properties: 7 },
  },
  mixpanel: {
    time_unparsable: { properties: { time: "yesterday", distinct_id: "u" } },
    event_missing: { event: null },
    unit_id_missing: { properties: { time: START_MS / 1000 } },
    time_missing: { properties: 7 },
  },
  posthog: {
    time_unparsable: { timestamp: "yesterday" },
    event_missing: { event: "" },
    unit_id_missing: { distinct_id: null, properties: {} },
    metadata_not_object: { properties: 7 },
  },
  ga4: {
    time_unparsable: { event_timestamp: "yesterday" },
    event_missing: { event_name: null },
    unit_id_missing: { user_id: null, user_pseudo_id: null },
  },
};

function lineOf(vendor: Vendor, row: Row): string {
  const fields = encoders[vendor](row);
  if (row.reject === undefined) return JSON.stringify(fields);
  const text = JSON.stringify({ ...fields, ...wrongFields[vendor][row.reject] });
  return row.reject === "malformed_row" ? text.slice(0, text.length / 2) : text;
}

function propertiesOf(index: number): Record<string, unknown> {
  return {
    price: index / 100,
    note: index % 10 === 0 ? null : "é 🍵".repeat(index % 4),
    items: index % 7 === 0 ? [{ sku: `t-${index % 50}`, count: 2 }] : [],
  };
}

function writeFiles(
  vendor: Vendor,
  input: string,
  hours: readonly (readonly Row[])[],
  random: () => number,
): VendorExport {
  const perFile = { amplitude: 1, mixpanel: 24, posthog: 6, ga4: 24 }[vendor];
  const known: KnownRow[] = [];
  const files = new Map<string, { name: string; data: Buffer; method: number }[]>();
  for (let hour = 0; hour < HOURS; hour += perFile) {
    const end = hour % 48 === 0 ? "\r\n" : "\n";
    const rows = hours.slice(hour, hour + perFile).flat();
    const blank = () => (random() < 0.002 ? end : "");
    const text = rows.map((row) => lineOf(vendor, row) + end + blank()).join("");
    const { file, entry, data } = packed(vendor, hour, text);
    const source = entry === undefined ? `in/${file}` : `in/${file}!${entry}`;
    known.push(...rows.map((row, index) => ({ ...row, source, row: index + 1 })));
    files.set(file, [...(files.get(file) ?? []), { name: entry ?? "", data, method: 0 }]);
  }
  for (const [file, entries] of files) {
    const [first] = entries;
    const data = file.endsWith(".zip") ? writeZip(entries) : (first?.data ?? "");
    writeFileSync(join(input, file), data);
  }
  const names = [...files.keys()];
  const bytes = [...files.values()].flat().reduce((sum, { data }) => sum + data.length, 0);
  return { rows: known, bytes, later: names.slice(names.length / 2) };
}

/** How each vendor packs the rows of some hours. */
function packed(vendor: Vendor, hour: number, text: string) {
  const gzip = () => gzipSync(text, { level: 1 });
  switch (vendor) {
    case "amplitude": {
      const file = `export-${hour < HOURS / 2 ? 1 : 2}.zip`;
      return { file, entry: `1/${10_000 + hour}#0.json.gz`, data: gzip() };
    }
    case "mixpanel":
      return { file: `${10_000 + hour}.jsonl`, data: Buffer.from(text) };
    case "posthog": {
      const isBrotli = hour % 4 === 0;
      const file = `${10_000 + hour}.jsonl.${isBrotli ? "br" : "gz"}`;
      return { file, data: isBrotli ? brotliCompressSync(text) : gzip() };
    }
    case "ga4":
      return { file: `events_${10_000 + hour}.json.gz`, data: gzip() };
  }
}
