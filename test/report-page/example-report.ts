import { resolveMapping } from "../../src/mapper/resolve-mapping.js";
import { REPORT_VERSION, type Report, type ReportEvent } from "../../src/profile/report.js";
import { verdictOf } from "../../src/report/verdict.js";
import { createRandom } from "../support/random.js";
import { exampleDays } from "./example-days.js";
import { exampleFindings, exampleRejects, exampleSamples } from "./example-parts.js";
import { exampleProperties } from "./example-properties.js";

export interface ExampleOptions {
  readonly days?: number;
  readonly names?: number;
}

const familiarNames = [
  "Page Viewed",
  "Product Viewed",
  "Session Started",
  "Search Submitted",
  "Product Added",
  "Checkout Started",
  "Order Completed",
  "Signed In",
  "Push Opened",
  "Coupon Applied",
  "Wishlist Updated",
  "Filter Used",
  "Video Played",
  "Review Posted",
  "Signed Up",
];

/** A report as rich as a real one, and the same every time: 90 days and 40 names if not told otherwise. */
export function exampleReport({ days = 90, names = 40 }: ExampleOptions = {}): Report {
  const random = createRandom(5);
  const all = exampleDays(days, names, random);
  const rowsOf = Array.from({ length: names }, () => 0);
  const seen = Array.from({ length: names }, () => [] as string[]);
  for (const { day, byEvent } of all) {
    for (const [event, rows] of byEvent) {
      rowsOf[event] = (rowsOf[event] ?? 0) + rows;
      seen[event]?.push(day);
    }
  }
  const mapped = rowsOf.reduce((sum, rows) => sum + rows, 0);
  const events = rowsOf.map((rows, place): ReportEvent => {
    const on = seen[place] ?? [];
    return {
      event: familiarNames[place] ?? `feature_${String(place).padStart(5, "0")}_used`,
      rows,
      share: mapped === 0 ? 0 : rows / mapped,
      firstTimestamp: `${on[0] ?? "2026-01-01"}T00:04:09.120Z`,
      lastTimestamp: `${on.at(-1) ?? "2026-01-01"}T23:51:44.003Z`,
      days: on.length,
      users: { count: Math.ceil(rows / 6), error: 0.0081 },
      bytes: { mean: 480 + place * 7, max: 4_100 + place * 31 },
      properties: place < 200 ? exampleProperties(place, rows) : null,
    };
  });
  const facts = frame(mapped, events);
  const findings = exampleFindings(all, events);
  return {
    ...facts,
    days: all,
    hoursOfDay: all.reduce(
      (sums, { hours }) => sums.map((sum, hour) => sum + (hours[hour] ?? 0)),
      Array.from({ length: 24 }, () => 0),
    ),
    events,
    findings,
    verdict: verdictOf({ ...facts, findings }, { rows: 0 }),
  };
}

function frame(
  mapped: number,
  events: readonly ReportEvent[],
): Omit<Report, "days" | "hoursOfDay" | "events" | "findings" | "verdict"> {
  const rejects = exampleRejects();
  const rejected = rejects.reduce((sum, { rows }) => sum + rows, 0);
  return {
    reportVersion: REPORT_VERSION,
    version: "0.1.0",
    run: {
      startedAt: "2026-04-02T09:30:00.000Z",
      endedAt: "2026-04-02T09:30:04.210Z",
      durationMs: 4_210,
      threads: 4,
    },
    configuration: { mapping: resolveMapping("amplitude"), minTime: "2015-01-01" },
    dayZone: "UTC",
    inputs: {
      files: 3,
      bytes: 1_352_000_000,
      sources: [
        { name: "exports/2026-01.jsonl.gz", bytes: 452_000_000, format: "jsonl" },
        { name: "exports/2026-02.jsonl.gz", bytes: 447_000_000, format: "jsonl" },
        { name: "exports/2026-03.parquet", bytes: 453_000_000, format: "parquet" },
      ],
      sourcesTotal: 3,
    },
    sample: { share: 1 },
    rows: {
      read: mapped + rejected + 2_000,
      added: 0,
      mapped,
      rejected,
      filtered: 2_000,
      duplicates: {
        withInsertID: mapped,
        withinSplits: 214,
        unknown: 0,
        estimated: 1_830,
        error: 410,
      },
    },
    otherDays: { rows: 0 },
    otherEvents: { names: 0, rows: 0 },
    identity: {
      both: Math.floor(mapped * 0.62),
      userOnly: Math.floor(mapped * 0.08),
      deviceOnly: mapped - Math.floor(mapped * 0.62) - Math.floor(mapped * 0.08) - 96,
      none: 96,
      same: 0,
      devicePrefixes: 0,
      generatedAlone: 0,
      generatedBeside: 0,
      emailUsers: 0,
      emailDevices: 0,
      users: { count: 48_210, error: 0.0081 },
      devices: { count: 71_904, error: 0.0081 },
      oddIDs: [],
      junkIDs: [
        { field: "userID", value: "", rows: 812 },
        { field: "userID", value: "undefined", rows: 301 },
        { field: "stableID", value: "00000000-0000-0000-0000-000000000000", rows: 77 },
      ],
      topUsers: ["load-test", "user_001841", "user_000007"].map((id, place) => ({
        id,
        rows: 18_000 - place * 6_000,
        others: { count: 3 + place, error: 0 },
      })),
      sharedUsers: [],
      sharedDevices: [],
      topDevices: ["kiosk-04", "device-88f1"].map((id, place) => ({
        id,
        rows: 9_000 - place * 4_000,
        others: { count: 2_140 - place * 2_000, error: place === 0 ? 0.0081 : 0 },
      })),
    },
    times: {
      first: "2026-01-01T00:00:03.120Z",
      last: "2026-03-31T23:59:58.004Z",
      future: 12,
      suspicious: 40,
      midnight: 310,
      zoneGuess: {
        shiftHours: 8,
        confidence: "strong",
        evidence:
          "The quietest six hours are 10:00 to 16:00, eight hours later than where people sleep: the times look like America/Los_Angeles without a zone.",
      },
    },
    sizes: {
      total: mapped * 540,
      mean: 540,
      p50: 498,
      p95: 1_120,
      p99: 2_400,
      max: 61_204,
      largest: events.slice(0, 4).map(({ event }, place) => ({
        event,
        bytes: 61_204 - place * 9_000,
        source: "exports/2026-02.jsonl.gz",
        row: 88_120 + place,
        byte: 91_002_112 + place * 700,
      })),
    },
    userProperties: exampleProperties(3, mapped),
    renamedFields: [],
    missingFields: [],
    unusedFields: [],
    rejects,
    samples: exampleSamples(events),
    estimates: {
      export: { bytes: mapped * 96, durationMs: 5_100 },
      send: { eventsPerSecond: 10_000, durationMs: (mapped / 10_000) * 1_000 },
      qualifyingEvents: events.slice(0, 60).map(({ event }, place) => ({
        name: event,
        event,
        ...(place === 6 ? { refused: "a qualifying event of this name is there already" } : {}),
      })),
    },
    limits: { events: 20_000, keysPerEvent: 200, topValues: 10, samples: 100, bytesOfRow: 4_096 },
  };
}
