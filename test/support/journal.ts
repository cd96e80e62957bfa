import type { Migration, MigrationAttempt, MigrationStep } from "../../src/contract/migration.js";
import type { MigrationJournals } from "../../src/storage/migration-journals.js";

export const journalId = "0123456789ab";

export const endedAttempt: MigrationAttempt = {
  number: 1,
  command: "migrate",
  directory: "/data/acme",
  state: "done",
  startedTime: 1_000,
  endedTime: 9_000,
  version: "0.3.0",
  process: { id: 4_242, host: "somewhere", start: null },
  error: null,
};

export const endedStep: MigrationStep = {
  name: "validate",
  state: "done",
  startedTime: 1_000,
  endedTime: 2_000,
  progress: {
    phase: "reading",
    rows: 10,
    rejected: 1,
    delivered: 0,
    rowsPerSecond: 10.5,
    bytesPerSecond: 100,
    bytesDone: 1_000,
    bytesTotal: 1_000,
    leftMs: null,
    waiting: null,
  },
  notes: ["Resumed."],
  summary: "Validated",
  accounts: { read: 10, added: 0, delivered: 9, rejected: 1, filtered: 0, duplicates: 0 },
  rejects: [
    {
      code: "time_missing",
      rows: 1,
      advice: "map another field to the time",
      samples: [
        {
          source: "a.ndjson",
          row: 3,
          byte: 40,
          message: "no time",
          raw: '{"event":"<script>"}',
          isBase64: false,
          isCut: false,
        },
      ],
    },
  ],
  days: [{ day: "2026-01-13", events: 9 }],
  daysLeftOut: 0,
  error: null,
};

export const journal: Migration = {
  journalVersion: 1,
  id: journalId,
  name: "acme",
  configuration: "/data/acme/pipeline.config.json",
  destination: "/data/acme/out",
  updatedTime: 9_000,
  attempts: [endedAttempt],
  steps: [endedStep],
  validation: {
    tone: "warning",
    verdict: "Nearly ready.",
    sampleShare: 1,
    findings: [
      {
        code: "times_future",
        severity: "warning",
        title: "Events of the future",
        detail: "1 event",
        rows: 1,
        event: "open",
        line: null,
        isAccepted: false,
      },
    ],
    findingsLeftOut: 0,
    target: {
      title: "Statsig",
      events: 9,
      lost: 1,
      changed: 0,
      rules: [
        {
          rule: "name",
          isRepaired: false,
          events: 1,
          names: [{ old: "a b", new: "a_b", events: 1 }],
          otherNames: 0,
          sources: ["https://docs.example.com"],
        },
      ],
    },
    reportPath: "/data/acme/report.html",
  },
  nextCommand: null,
};

const html = "<!doctype html><title>Report</title>";

/** Journals in memory. */
export function heldJournals(...migrations: readonly (Migration | string)[]): MigrationJournals {
  return {
    list: async () => ({
      migrations: migrations.filter((one) => typeof one !== "string"),
      skipped: migrations.flatMap((reason) =>
        typeof reason === "string" ? [{ file: "x.json", reason }] : [],
      ),
    }),
    read: async (id) => migrations.find((one) => typeof one === "string" || one.id === id),
    readReport: async (path) =>
      path === journal.validation?.reportPath
        ? { html, policy: "default-src 'none'; script-src 'sha256-x='" }
        : undefined,
  };
}
