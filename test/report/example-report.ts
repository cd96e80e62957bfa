import type {
  Report,
  ReportDay,
  ReportEvent,
  ReportProperties,
  ReportProperty,
} from "../../src/profile/report.js";

const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(2026, 0, 1);
const DAYS = 28;
const HOUR_EVENTS = 100;

const exact = (count: number) => ({ count, error: 0 });

const noProperties: ReportProperties = {
  rows: 0,
  keys: [],
  otherKeys: { keys: 0, values: 0 },
};

export function dayOf(place: number): string {
  return new Date(FIRST_DAY_MS + place * DAY_MS).toISOString().slice(0, 10);
}

/** Every event has a value for every target. */
export const noneEmpty: ReportDay["empty"] = {
  userID: 0,
  stableID: 0,
  value: 0,
  user: 0,
  metadata: 0,
  insertID: 0,
};

/** A day on which both names of the example come evenly. */
export function evenDay(place: number, hourEvents = HOUR_EVENTS): ReportDay {
  const events = 24 * hourEvents;
  return {
    day: dayOf(place),
    events,
    hours: Array.from({ length: 24 }, () => hourEvents),
    byEvent: [[0, events / 2] as const, [1, events / 2] as const],
    rejected: 0,
    empty: noneEmpty,
  };
}

/** `days` with another number of events in one of its hours. */
export function withHour(day: ReportDay, hour: number, events: number): ReportDay {
  const hours = day.hours.with(hour, events);
  return { ...day, hours, events: hours.reduce((sum, one) => sum + one, 0) };
}

export function evenDays(count = DAYS): readonly ReportDay[] {
  return Array.from({ length: count }, (_, place) => evenDay(place));
}

export function exampleEvent(event: string, more: Partial<ReportEvent> = {}): ReportEvent {
  return {
    event,
    rows: 33_600,
    share: 0.5,
    days: DAYS,
    firstTimestamp: "2026-01-01T00:00:00.000Z",
    lastTimestamp: "2026-01-28T23:59:59.000Z",
    users: exact(200),
    bytes: { mean: 200, max: 400 },
    properties: noProperties,
    ...more,
  };
}

export function exampleProperty(key: string, more: Partial<ReportProperty> = {}): ReportProperty {
  return {
    key,
    rows: 1_000,
    fill: 1,
    types: { string: 1_000 },
    distinct: exact(2),
    topValues: [
      { value: "green", rows: 600 },
      { value: "black", rows: 400 },
    ],
    bytes: { min: 5, mean: 5, max: 5 },
    numbers: null,
    topValuesError: 0,
    days: null,
    examples: [],
    ...more,
  };
}

export function properties(...keys: readonly ReportProperty[]): ReportProperties {
  return { ...noProperties, rows: 1_000, keys };
}

const mapping = {
  event: [{ path: ["event_type"] }],
  timestamp: [{ path: ["event_time"], format: "auto", zone: "UTC", shifted: false }],
  userID: [{ path: ["user_id"] }],
  stableID: [{ path: ["device_id"] }],
};

/** A month of an export with nothing to say about. */
export const cleanReport: Report = {
  reportVersion: 1,
  version: "0.1.0",
  run: {
    startedAt: "2026-02-01T00:00:00.000Z",
    endedAt: "2026-02-01T00:00:02.000Z",
    durationMs: 2_000,
    threads: 2,
  },
  configuration: {
    mapping,
    privacy: { drop: [], hash: [] },
    transform: null,
    includeEvents: [],
    excludeEvents: [],
    rowBytesMax: 16_777_216,
  },
  dayZone: "UTC",
  inputs: {
    files: 1,
    bytes: 1e8,
    sourcesTotal: 1,
    sources: [{ name: "events.json.gz", bytes: 1e8, format: "ndjson" }],
  },
  sample: { share: 1 },
  rows: {
    read: 67_200,
    added: 0,
    mapped: 67_200,
    rejected: 0,
    filtered: 0,
    duplicates: { withInsertID: 67_200, withinSplits: 0, unknown: 0, estimated: 300, error: 500 },
  },
  findings: [],
  verdict: { tone: "good", sentence: "Ready: every one of 67,200 rows becomes an event." },
  days: evenDays(),
  otherDays: { rows: 0 },
  hoursOfDay: Array.from({ length: 24 }, () => HOUR_EVENTS * DAYS),
  events: [exampleEvent("brewed"), exampleEvent("bought")],
  otherEvents: { names: 0, rows: 0 },
  identity: {
    both: 60_000,
    userOnly: 0,
    deviceOnly: 7_200,
    none: 0,
    same: 0,
    devicePrefixes: 0,
    generatedAlone: 0,
    generatedBeside: 0,
    emailUsers: 0,
    emailDevices: 0,
    users: exact(200),
    devices: exact(220),
    junkIDs: [],
    oddIDs: [],
    topUsers: [{ id: "mina", rows: 900, others: exact(2) }],
    sharedUsers: [{ id: "mina", rows: 900, others: exact(2) }],
    topDevices: [{ id: "d1", rows: 900, others: exact(1) }],
    sharedDevices: [],
  },
  times: {
    first: "2026-01-01T00:00:00.000Z",
    last: "2026-01-28T23:59:59.000Z",
    future: 0,
    suspicious: 0,
    midnight: 3,
    zoneGuess: { shiftHours: 0, confidence: "none", evidence: "Events are even over the day." },
  },
  sizes: {
    total: 13_440_000,
    mean: 200,
    p50: 200,
    p95: 300,
    p99: 350,
    max: 400,
    largest: [{ event: "bought", bytes: 400, source: "events.json.gz", row: 7 }],
  },
  userProperties: noProperties,
  renamedFields: [],
  missingFields: [],
  unusedFields: [],
  rejects: [],
  samples: [
    {
      event: "brewed",
      source: "events.json.gz",
      row: 1,
      byte: 0,
      raw: '{"event_type":"brewed","event_time":"2026-01-01 00:00:00.123000","user_id":"mina"}',
      result: '{"event":"brewed","user":{"userID":"mina"},"timestamp":1767225600123,"metadata":{}}',
      trace: [
        { target: "event", from: ["event_type"], to: ["event"] },
        { target: "timestamp", from: ["event_time"], to: ["timestamp"] },
        { target: "userID", from: ["user_id"], to: ["user", "userID"] },
      ],
    },
  ],
  estimates: {
    export: { bytes: 2_000_000, durationMs: 2_000 },
    send: { eventsPerSecond: 1_000, durationMs: 67_200 },
    qualifyingEvents: [
      { name: "brewed", event: "brewed" },
      { name: "bought", event: "bought" },
    ],
  },
  limits: {},
};
