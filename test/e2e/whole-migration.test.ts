import { mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Installation, installedPackage, nodes } from "../support/installed-package.js";
import {
  count,
  countKnown,
  dedupeWords,
  figuresIn,
  type KnownCounts,
  numbersIn,
  share,
  size,
} from "../support/known-counts.js";
import { isCi, someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";
import {
  JUNK_ID,
  type KnownRow,
  type Vendor,
  vendors,
  writeVendorExport,
} from "../support/vendor-exports.js";

killServicesAfterEach();

/** Rows of each export; SWITCHYARD_MIGRATION_ROWS sets another number. */
const ROWS = Number(process.env["SWITCHYARD_MIGRATION_ROWS"] ?? (isCi ? 5_000 : 4_000));
const secret = `secret-${"s".repeat(43)}`;
const consoleKey = `console-${"k".repeat(43)}`;

/** Runs the installed command in one directory; `--json` gives the same figures once more. */
class Runner {
  constructor(
    readonly installation: Installation,
    readonly node: string,
    readonly cwd: string,
  ) {}

  async text(exitCode: number, ...args: readonly string[]): Promise<string> {
    const env = { SWITCHYARD_SERVER_SECRET: secret, SWITCHYARD_CONSOLE_KEY: consoleKey };
    const result = await this.installation.run(args, { node: this.node, cwd: this.cwd, env });
    expect({ args, ...result }).toMatchObject({ exitCode });
    return result.stdout;
  }

  async json<T>(exitCode: number, ...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.text(exitCode, ...args, "--json")) as T;
  }
}

/** Files below a directory, and their bytes. */
function filesOf(directory: string): { files: number; bytes: number } {
  const entries = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const sizes = entries
    .map((name) => statSync(join(directory, name)))
    .filter((stat) => stat.isFile());
  return { files: sizes.length, bytes: sizes.reduce((sum, stat) => sum + stat.size, 0) };
}

function sorted(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

/** Lines of the summary of `validate`. */
function validateLines(known: KnownCounts): readonly (readonly string[])[] {
  const days = [...known.deliveredByDay.keys()].sort();
  const errors = known.rejects.size;
  const names = sorted(known.mappedByName);
  const shares = names.slice(0, 4).map(([, rows]) => share(rows, known.mapped));
  const more = names.length > 4 ? [String(names.length - 4)] : [];
  return [
    ["Read", count(known.read)],
    ["verdict", share(known.mapped, known.read), count(known.read), String(errors)],
    ["rows", ...[known.read, known.mapped, known.rejected].map(count)],
    ...(known.hasInsertIDs
      ? [["repeated", count(known.duplicates), share(known.duplicates, known.mapped)]]
      : []),
    ["days", String(days.length), days[0] ?? "", days.at(-1) ?? ""],
    ["events", ...shares, ...more],
    [
      "identity",
      count(known.users),
      share(known.withUser, known.mapped),
      count(known.devices),
      share(known.withDevice, known.mapped),
    ],
    ["qualify", String(names.length)],
    ...sorted(known.rejects).map(([, rows]) => ["error", count(rows)]),
  ];
}

/** Lines of the summaries that begin with one of these labels. */
function linesOf(text: string, ...labels: readonly string[]): readonly (readonly string[])[] {
  return figuresIn(text).filter(([label = ""]) => labels.includes(label));
}

function checkValidate(text: string, known: KnownCounts): void {
  const expected = validateLines(known);
  const labels = [...new Set(expected.map(([label = ""]) => label))];
  // Other findings are counted in these, which the next check compares.
  const isFixed = ([label]: readonly string[]) =>
    !["verdict", "Findings:", "warning"].includes(label ?? "");
  expect(linesOf(text, ...labels).filter(isFixed)).toEqual(expected.filter(isFixed));
  const [verdict = []] = linesOf(text, "verdict");
  expect(verdict.slice(0, 4)).toEqual(expected.find(([label]) => label === "verdict")?.slice(0, 4));
}

interface ValidateResult {
  readonly rows: { readonly duplicates: { readonly exact?: Duplicates } };
  readonly rejects: readonly {
    readonly code: string;
    readonly rows: number;
    readonly samples: readonly { readonly source: string; readonly row: number }[];
  }[];
}

interface Duplicates {
  readonly rows: number;
  readonly days: readonly { readonly day: string; readonly rows: number }[];
  readonly events: readonly { readonly event: string; readonly rows: number }[];
}

/** Without insert ids nothing is known of repeated rows before `--dedupe by=` says what repeats. */
function checkDuplicates(duplicates: Duplicates | undefined, all: KnownCounts): void {
  if (!all.hasInsertIDs) {
    expect(duplicates).toBeUndefined();
    return;
  }
  const { rows, days, events } = duplicates ?? { rows: 0, days: [], events: [] };
  expect(rows).toBe(all.duplicates);
  expect(new Map(days.map((one) => [one.day, one.rows]))).toEqual(all.duplicatesByDay);
  expect(new Map(events.map((one) => [one.event, one.rows]))).toEqual(all.duplicatesByName);
}

function checkRejects(rejects: ValidateResult["rejects"], rows: readonly KnownRow[]): void {
  const codes = new Map(rows.map(({ source, row, reject }) => [`${source} ${row}`, reject]));
  for (const { code, samples } of rejects) {
    expect(samples.map(({ source, row }) => codes.get(`${source} ${row}`))).toEqual(
      samples.map(() => code),
    );
  }
}

/** Lines of the summary of `export` and `send`. */
function deliveryLines(known: KnownCounts): readonly (readonly string[])[] {
  const rows = [known.read, known.delivered, known.rejected, known.duplicates].filter((n) => n > 0);
  return [["rows", ...rows.map(count)]];
}

/** Returns all vendors for the Node that runs the tests, and one for each other: they run the same code. */
function vendorsOf(node: string): readonly Vendor[] {
  const index = nodes.indexOf(node);
  if (index === 0) return someOf(vendors, vendors.length);
  return vendors.filter((_, place) => place === (index - 1) % vendors.length);
}

describe.each(someOf(nodes, nodes.length))("with %s", (node) => {
  test.each(vendorsOf(node))(
    "every figure of a migration from %s is right",
    { timeout: 900_000 },
    (vendor) => migrate(vendor, node),
  );
});

async function migrate(vendor: Vendor, node: string): Promise<void> {
  const directory = scratchDirectory(`migration-${vendor}`);
  const run = new Runner(await installedPackage(), node, directory);
  const { rows, bytes, later } = writeVendorExport(vendor, directory, ROWS);
  const sources = new Set(rows.map(({ source }) => source));
  const all = countKnown(rows, false);

  const { survey } = await run.json<{ survey: Survey }>(0, "init", "in");
  expect(survey).toMatchObject({
    sources: sources.size,
    bytes,
  });
  const { trial, sample } = survey;
  const ofTrial = Object.values(trial.rejects).reduce((sum, n) => sum + n, trial.delivered);
  expect([ofTrial, sample.rows + sample.faults]).toEqual([trial.rows, trial.rows]);
  expect(survey.mapping.preset).toBe(vendor);

  checkValidate(await run.text(3, "validate"), countKnown(rows, true));
  // From the report that was just written; nothing is read again.
  await run.text(0, "validate", "--apply");
  const applied = await run.json<ValidateResult>(3, "validate");
  const report = JSON.parse(readFileSync(join(directory, "report/report.json"), "utf8"));
  expect(report.rows).toEqual(applied.rows);
  expect(numbersIn(applied.rows)).toMatchObject({
    read: all.read,
    mapped: all.mapped,
    rejected: all.rejected,
    filtered: 0,
    added: 0,
  });
  checkDuplicates(applied.rows.duplicates.exact, all);
  expect(new Map(applied.rejects.map(({ code, rows }) => [code, rows]))).toEqual(all.rejects);
  checkRejects(applied.rejects, rows);
  // The ids that are nobody's are gone: the fix is in the configuration.
  expect(readFileSync(join(directory, "pipeline.config.json"), "utf8")).toContain(JUNK_ID);

  await exportInTwoSteps(run, vendor, rows, later);
  await compactAndVerify(run, all);
  await sendAndQualify(run, vendor, all);
}

interface Survey {
  readonly sample: { readonly rows: number; readonly faults: number };
  readonly trial: {
    readonly rows: number;
    readonly delivered: number;
    readonly rejects: Readonly<Record<string, number>>;
  };
  readonly mapping: { readonly preset: string };
}

/** Exports the earlier files, and then all. */
async function exportInTwoSteps(
  run: Runner,
  vendor: Vendor,
  rows: readonly KnownRow[],
  later: readonly string[],
): Promise<void> {
  mkdirSync(join(run.cwd, "later"));
  const move = (from: string, to: string) => {
    for (const name of later) renameSync(join(run.cwd, from, name), join(run.cwd, to, name));
  };
  const isLater = ({ source }: KnownRow) =>
    later.some((name) => source === `in/${name}` || source.startsWith(`in/${name}!`));
  const [all, early] = [rows, rows.filter((row) => !isLater(row))].map((some) =>
    countKnown(some, false),
  );
  if (all === undefined || early === undefined) throw new Error("no counts");
  const words = ["export", "in", "--to", "out", ...dedupeWords(vendor)];

  move("in", "later");
  const text = await run.text(3, ...words);
  const days = [...early.deliveredByDay.keys()].sort();
  const files = filesOf(join(run.cwd, "out/events"));
  expect(linesOf(text, "Exported", "rows", "days", "files", "Rejected:")).toEqual([
    ["Exported", count(early.delivered), String(days.length)],
    ...deliveryLines(early),
    ["days", String(days.length), days[0], days.at(-1)],
    ["files", count(files.files), size(files.bytes)],
    ["Rejected:", count(early.rejected)],
  ]);

  move("later", "in");
  const result = await run.json<{ rejects: ValidateResult["rejects"]; totals: object }>(
    3,
    ...words,
  );
  const { files: parts, bytes } = filesOf(join(run.cwd, "out/events"));
  expect(result).toMatchObject({
    rowsRead: all.read - early.read,
    rows: {
      read: all.read,
      added: 0,
      delivered: all.delivered,
      rejected: all.rejected,
      filtered: 0,
      duplicates: all.duplicates,
    },
    totals: {
      rows: all.delivered,
      bytes,
      files: parts,
      days: all.deliveredByDay.size,
      firstTimestamp: new Date(all.firstMs).toISOString(),
      lastTimestamp: new Date(all.lastMs).toISOString(),
    },
  });
  expect(new Map(result.rejects.map(({ code, rows }) => [code, rows]))).toEqual(all.rejects);
}

async function compactAndVerify(run: Runner, all: KnownCounts): Promise<void> {
  const events = join(run.cwd, "out/events");
  const changed = readdirSync(events).filter((day) => readdirSync(join(events, day)).length > 1);
  // A row of the second step is late: its day has parts of both.
  expect(changed.length).toBeGreaterThan(0);
  const before = filesOf(events);
  const compacted = await run.json(0, "compact", "out");
  const after = filesOf(events);
  expect(after.files).toBe(all.deliveredByDay.size);
  expect(compacted).toMatchObject({
    days: changed.length,
    filesBefore: before.files,
    filesAfter: after.files,
    rows: all.delivered,
    bytes: after.bytes,
  });
  const figures = { files: after.files, rows: all.delivered, bytes: after.bytes };
  const days = all.deliveredByDay.size;
  expect(await run.json(0, "verify", "out", "--read")).toMatchObject({
    ...figures,
    days,
    differences: [],
  });
  const text = await run.text(0, "verify", "out");
  expect(figuresIn(text)).toEqual([
    [
      count(figures.rows),
      count(figures.rows),
      count(figures.files),
      count(days),
      size(figures.bytes),
    ],
  ]);
}

async function sendAndQualify(run: Runner, vendor: Vendor, all: KnownCounts): Promise<void> {
  const service = await startServiceProcess(join(run.cwd, "data"), {
    command: [run.node, run.installation.command],
    env: { SWITCHYARD_SERVER_SECRET: secret, SWITCHYARD_CONSOLE_KEY: consoleKey },
  });
  const words = ["send", "in", "--to", service.url, "--batch-size", "500", ...dedupeWords(vendor)];
  const sent = await run.text(3, ...words);
  expect(linesOf(sent, "Sent", "rows", "Rejected:")).toEqual([
    ["Sent", count(all.delivered)],
    ...deliveryLines(all),
    ["Rejected:", count(all.rejected)],
  ]);
  const stored = await service.call("/v1/events/summary", consoleKey);
  const { data } = stored.json as { data: { day: string; event: string; count: number }[] };
  const storedCounts = data.map((one) => [`${one.day} ${one.event}`, one.count] as const);
  expect(new Map(storedCounts)).toEqual(all.deliveredByDayAndName);

  const qualified = await run.text(0, "qualify", "out", "--console", service.url, "--yes");
  const names = [...all.deliveredByName.keys()];
  for (const name of names) {
    const days = [...all.deliveredByDayAndName.keys()]
      .filter((key) => key.slice(11) === name)
      .sort();
    const range = `${days[0]?.slice(0, 10)} to ${days.at(-1)?.slice(0, 10)}`;
    const events = `${count(all.deliveredByName.get(name) ?? 0)} events`;
    expect(qualified).toContain(`create    ${name}: ${events}, ${range}\n`);
  }
  expect(qualified).toContain(`${names.length} of ${names.length} applied.`);
  const plan = await run.json(0, "qualify", "out", "--console", service.url);
  expect(plan).toMatchObject({ plan: names.map(() => ({ action: "unchanged" })), otherRows: 0 });
  expect(await service.stop()).toBe(0);
}
