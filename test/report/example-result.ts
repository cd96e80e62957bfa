import type { Manifest } from "../../src/ledger/manifest.js";
import type { ExportResult } from "../../src/run/export-spec.js";

const emptyDay = { rows: 5, bytes: 500, files: [] };
const first = "2026-01-30T00:00:00.000Z";
const last = "2026-01-31T23:59:59.999Z";

export const exampleManifest: Manifest = {
  manifestVersion: 2,
  version: "0.1.0",
  complete: true,
  dataset: "events",
  format: "parquet",
  dayZone: "UTC",
  configuration: {},
  totals: {
    rows: 1_000,
    bytes: 1e6,
    files: 2,
    days: 2,
    firstTimestamp: first,
    lastTimestamp: last,
  },
  rows: { read: 1_003, added: 0, delivered: 1_000, rejected: 3, filtered: 0 },
  rejects: [
    {
      code: "time_unparsable",
      rows: 1,
      example: { source: "b.json", byte: 77, message: 'no time: "soon"' },
    },
    {
      code: "event_missing",
      rows: 2,
      example: { source: "a\u001b[31m.json", row: 1_234, message: "event_type is\nnull" },
    },
  ],
  notices: {},
  epochs: [
    {
      number: 0,
      sources: 2,
      rows: { read: 1_003, added: 0, delivered: 1_000, rejected: 3, filtered: 0 },
      days: ["2026-01-30", "2026-01-31"],
    },
  ],
  inputs: { path: "inputs.jsonl", count: 0, bytes: 0, sha256: "0".repeat(64) },
  failures: [],
  events: [{ event: "tea", rows: 1_000, firstTimestamp: first, lastTimestamp: last }],
  eventsByDay: { path: "events-by-day.jsonl", bytes: 0, sha256: "0".repeat(64) },
  days: [
    { day: "2026-01-30", firstTimestamp: first, lastTimestamp: first, ...emptyDay },
    { day: "2026-01-31", firstTimestamp: last, lastTimestamp: last, ...emptyDay },
  ],
  run: { startedAt: first, endedAt: last, durationMs: 2_000, resumes: 0, epochs: [first] },
};

export const exampleResult: ExportResult = {
  outcome: "done",
  manifest: exampleManifest,
  manifestPath: "/data/out/manifest.json",
  epochs: exampleManifest.epochs,
  failures: [],
  tooManyRejects: false,
  alreadyDone: false,
  rowsRead: 1_003,
  bytesRead: 2e6,
  durationMs: 2_000,
};
