import { z } from "zod";
import { entityEnvelope, listEnvelope, pageQuery } from "./common.js";
import { flag, list, text } from "./fields.js";
import { consoleRoutes, extension, noParams, type Route } from "./route.js";

/** Raised when a reader of older journals would misunderstand a newer one. */
export const JOURNAL_VERSION = 1;

const attemptStates = ["running", "done", "failed", "interrupted", "killed"] as const;
const stepStates = ["waiting", ...attemptStates, "skipped"] as const;
export const stepNames = [
  "fetch",
  "validate",
  "export",
  "send",
  "qualify",
  "verify",
  "ready",
] as const;

const count = (description: string) => z.int().min(0).describe(description);
const amount = (description: string) => z.number().min(0).describe(description);
const time = (description: string) => z.int().describe(`${description}, in ms since the epoch.`);
const code = text("Stable code.");

const failure = z.object({ code, message: text("What failed, and what to do.") });

const attempt = z.object({
  number: count("1 for the first attempt."),
  command: text("The command as it can be typed again, without the program."),
  directory: text("Directory in which it was typed."),
  state: z
    .enum(attemptStates)
    .describe("`killed`: its process has ended without a result, or has not been heard of."),
  startedTime: time("Start"),
  endedTime: time("End; the last sign of life of a killed attempt; null while it runs").nullable(),
  version: text("Version of Switchyard."),
  process: z
    .object({
      id: count("Process id."),
      host: text("Name of its machine."),
      start: text("Its start, as the system writes it; null if it is not known.").nullable(),
    })
    .describe("Process of the attempt."),
  error: failure.nullable().describe("Why it ended early; null if a step says so, or it did not."),
});

const progress = z.object({
  phase: z.enum(["reading", "keys", "merging"]).describe("`keys`: looking for duplicates."),
  rows: count("Rows read or fetched in this run."),
  rejected: count("Rows rejected in this run."),
  delivered: count("Events of these rows that the service has accepted."),
  rowsPerSecond: amount("Over the last seconds."),
  bytesPerSecond: amount("Over the last seconds."),
  bytesDone: count("Bytes of the phase that are done, of `bytesTotal`."),
  bytesTotal: count("Bytes on disk of the phase; for `fetch` an estimate."),
  leftMs: amount("Time left; null while it is unknown.").nullable(),
  waiting: z
    .object({
      reason: text("Answer of the service, or error of the connection."),
      attempts: count("Attempts of the request that failed last."),
      leftMs: amount("Time until the run stops."),
    })
    .nullable()
    .describe("Set while the service accepts no events."),
});

const accounts = z
  .object({
    read: count("Rows read."),
    added: count("Further events that a transform made of rows."),
    delivered: count("Events delivered; events that an export would contain for `validate`."),
    rejected: count("Rows rejected."),
    filtered: count("Rows left out by filters."),
    duplicates: count("Events removed as duplicates."),
  })
  .describe("read + added = delivered + rejected + filtered + duplicates.");

const sample = z.object({
  source: text("Name of the source."),
  row: count("1-based; null if it is not known.").nullable(),
  byte: count("Offset in the decompressed source; null if it is not known.").nullable(),
  message: text("Why this row was rejected."),
  raw: text("The row as text, cut if long; null if it was not kept.").nullable(),
  isBase64: flag("True if `raw` is base64, because the row is not UTF-8."),
  isCut: flag("True if `raw` was cut."),
});

const reject = z.object({
  code,
  rows: count("Rows rejected for this reason."),
  advice: text("What to do about it; empty if nothing is known."),
  samples: list(sample).describe("The first of these rows."),
});

const step = z.object({
  name: z.enum(stepNames).describe("Name of the step."),
  state: z.enum(stepStates).describe("`skipped`: an earlier step ended the attempt."),
  startedTime: time("Start; null before").nullable(),
  endedTime: time("End; null before").nullable(),
  progress: progress.nullable().describe("The last progress of a step that reads or sends."),
  notes: list(z.string()).describe("What the run said meanwhile, the newest last."),
  summary: text("The result as the command prints it; empty before the end."),
  accounts: accounts.nullable().describe("Null until the end, and for steps without rows."),
  rejects: list(reject).describe("Reasons of rejected rows, the most frequent first."),
  days: list(
    z.object({
      day: text("YYYY-MM-DD in the zone of the days."),
      events: count("Events of the day."),
    }),
  ).describe("Events by day, in order; empty for steps that do not count them."),
  daysLeftOut: count("Days with events beyond the limit of the list."),
  error: failure
    .nullable()
    .describe("Why the step failed; null if it did not, or `summary` says so."),
});

const finding = z.object({
  code,
  severity: z.enum(["error", "warning", "info"]).describe("Severity."),
  title: text("One sentence."),
  detail: text("What it means, and the evidence."),
  rows: count("Rows or events that are affected."),
  event: text("Event name, if it is about one.").nullable(),
  line: text("Line of the configuration that fixes it.").nullable(),
  isAccepted: flag("True if the configuration accepts it: it does not count in the verdict."),
});

const target = z.object({
  title: text("Name of the platform."),
  events: count("Events that would arrive or not."),
  lost: count("Events that the target would drop as they are."),
  changed: count("Other events of which it would change or not find a part."),
  rules: list(
    z.object({
      rule: text("Name of the rule."),
      isRepaired: flag("True if `repair` fixes the events."),
      events: count("Events that break the rule, or did before the repair."),
      names: list(
        z.object({
          old: text("Name in the export."),
          new: text("Name that the repair gives."),
          events: count("Events with the name."),
        }),
      ).describe("Names that break the rule, most events first."),
      otherNames: count("Names beyond the limit of the list."),
      moreNames: flag("True if there are at least as many other names.").exactOptional(),
      sources: list(z.string()).describe("Pages of the platform that say so."),
    }),
  ).describe("Rules that events break."),
});

const validation = z.object({
  tone: z.enum(["error", "warning", "good"]).describe("`error`: the export is not ready."),
  verdict: text("One sentence."),
  sampleShare: amount("Share of the inputs' bytes that was read, up to 1."),
  findings: list(finding).describe("Most severe first; accepted ones last."),
  findingsLeftOut: count("Findings beyond the limit of the list."),
  target: target.nullable().describe("What the target would do; null if it takes all as they are."),
  reportPath: text("Path of report.html; null if it was not written.").nullable(),
});

const identity = {
  id: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .describe("Stays the same for a configuration and its output."),
  name: text("Name of the configuration's directory, or of its file."),
  configuration: text("Path of the configuration file.").nullable(),
  destination: text("Where the events go: a path or a URL.").nullable(),
  updatedTime: time("Last sign of life"),
};

/** A journal: what runs of one configuration said, at its time. The ledger has the truth. */
export const migration = z
  .object({
    journalVersion: z.literal(JOURNAL_VERSION).describe("Version of the journal."),
    ...identity,
    attempts: list(attempt).min(1).describe("Runs of its commands, the newest last."),
    steps: list(step).describe("In the order of the migration."),
    validation: validation.nullable().describe("The last dry run; null before."),
    nextCommand: text("Command to type next, with the program; null if there is none.").nullable(),
  })
  .describe("Runs of one configuration.");

const listed = z.object({
  ...identity,
  attempt: attempt.describe("The last attempt."),
  steps: list(step.pick({ name: true, state: true })).describe("Steps, in their order."),
  progress: progress.nullable().describe("Progress of the running step."),
  accounts: accounts.nullable().describe("Accounts of the last step that has some."),
  tone: validation.shape.tone.nullable().describe("Verdict of the last dry run."),
});

const skipped = z.object({ file: text("Name of the file."), reason: text("Why it was skipped.") });

const idParam = z.object({ id: text("Identifier of the migration.") });
const onAll = consoleRoutes("Migrations", "/console/v1/migrations", noParams);
const onOne = consoleRoutes("Migrations", "/console/v1/migrations/{id}", idParam);

/** Runs of migrations in the data directory of the service. */
export const migrationRoutes = {
  listMigrations: onAll("GET", "", "List migrations of the data directory, newest start first", {
    ...extension,
    message: "Migrations listed successfully.",
    query: pageQuery,
    moreStatuses: [304],
    response: listEnvelope(listed).extend({
      skipped: list(skipped).describe("Files that are not journals of this version, or damaged."),
    }),
  }),
  readMigration: onOne("GET", "", "Read a migration: its attempts, steps, rejects and findings", {
    ...extension,
    message: "Migration read successfully.",
    moreStatuses: [304],
    response: entityEnvelope(migration),
  }),
  readMigrationReport: onOne("GET", "/report", "Read the report of its last dry run, as HTML", {
    ...extension,
    message: "",
    mediaType: "text/html",
    response: z.string().describe("The page."),
  }),
} satisfies Record<string, Route>;

export type Migration = z.output<typeof migration>;
export type ListedMigration = z.output<typeof listed>;
export type SkippedJournal = z.output<typeof skipped>;
export type MigrationAttempt = z.output<typeof attempt>;
export type MigrationStep = z.output<typeof step>;
export type MigrationProgress = z.output<typeof progress>;
export type MigrationAccounts = z.output<typeof accounts>;
export type MigrationReject = z.output<typeof reject>;
export type MigrationValidation = z.output<typeof validation>;
export type MigrationFailure = z.output<typeof failure>;
