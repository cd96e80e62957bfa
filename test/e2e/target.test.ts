import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Manifest } from "../../src/ledger/manifest.js";
import type { Report } from "../../src/profile/report.js";
import { repairName } from "../../src/target/rename.js";
import type { Renames } from "../../src/target/renames.js";
import { loadTarget } from "../../src/target/targets.js";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const { names: rules } = loadTarget("statsig");
if (rules === undefined) throw new Error("the target has no rules for names");

/** Events of three names, of which the target drops two; one of three is on another day there. */
const rows = Array.from({ length: 240 }, (_, index) => ({
  event_type: ["$pageview", "Save & Close", "checkout"][index % 3],
  event_time: new Date(Date.UTC(2026, 0, 10, index % 24)).toISOString(),
  user_id: `u${index}`,
  $insert_id: `i-${index}`,
  event_properties: { "page.path": "/a.b", nested: { deep: [1, 2] }, plain: index },
  user_properties: { email: "a@example.com", app_version: "1.2" },
}));

function project(): string {
  const directory = scratchDirectory("target");
  writeRows(directory, "one.ndjson", rows);
  return directory;
}

function writeRows(directory: string, name: string, all: readonly object[]): void {
  writeFileSync(join(directory, name), all.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

const read = <T>(...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8")) as T;

function linesOf(out: string): readonly Record<string, unknown>[] {
  const days = readdirSync(join(out, "events")).map((day) => join(out, "events", day));
  const files = days.flatMap((day) => readdirSync(day).map((name) => join(day, name)));
  return files
    .flatMap((file) => readFileSync(file, "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a dry run tells what the target drops and changes, with the lines that repair it", async () => {
  const cwd = project();
  const { exitCode, stdout } = await runInProcess(
    ["validate", "one.ndjson", "--target", "statsig"],
    { cwd },
  );
  expect(exitCode).toBe(1);
  expect(stdout).toContain("of 240 events 160 (66.7 %) would be dropped by Statsig: 2 names");
  const { target, findings, verdict } = read<Report>(cwd, "report/report.json");
  expect(verdict.tone).toBe("error");
  expect(target).toMatchObject({ events: 240, lost: 160, changed: 80, billed: 80 });
  expect(target?.rules.map(({ rule, events }) => [rule, events])).toEqual([
    ["name", 160],
    ["dots", 240],
    ["nested", 240],
    ["user", 240],
    ["day", 80],
  ]);
  expect(target?.rules[0]?.names).toEqual([
    { old: "Save & Close", new: repairName("Save & Close", rules), events: 80 },
    { old: "$pageview", new: "auto:pageview", events: 80 },
  ]);
  const lines = findings
    .filter(({ code }) => code.startsWith("target_"))
    .map(({ fix }) => fix?.line);
  // One line repairs all: with several, the last one in the file would hold.
  expect(new Set(lines)).toEqual(new Set(['"repair": ["names", "metadata", "users", "days"]']));
  expect(lines).toHaveLength(5);
});

test.each(["Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Los_Angeles"])(
  "events on another day of the target are counted exactly from %s",
  async (dayZone) => {
    const cwd = scratchDirectory("target-days");
    // Two years with 97 minutes between events.
    const times = Array.from({ length: 10_800 }, (_, index) =>
      Date.UTC(2024, 0, 1, 0, index * 97, 11),
    );
    const events = times.map((time, index) => ({
      event_type: "a",
      event_time: new Date(time).toISOString(),
      user_id: `u${index % 9}`,
    }));
    writeRows(cwd, "one.ndjson", events);
    const flags = ["--target", "statsig", "--day-zone", dayZone];
    await runInProcess(["validate", "one.ndjson", ...flags], { cwd });
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: dayZone, dateStyle: "short" });
    const thereOf = (time: number) => new Date(time - 8 * 3_600_000).toISOString().slice(0, 10);
    const shifted = times.filter((time) => format.format(time) !== thereOf(time)).length;
    const { target } = read<Report>(cwd, "report/report.json");
    const [day] = target?.rules.filter(({ rule }) => rule === "day") ?? [];
    expect([shifted > 0, day?.events]).toEqual([true, shifted]);
  },
);

/** JSON with a blank after colons and commas, as other languages write it. */
const spaced = (value: object) =>
  JSON.stringify(value, undefined, 1)
    .replace(/\n */g, " ")
    .replace(/\{ /g, "{")
    .replace(/ \}/g, "}");

test.each([JSON.stringify, spaced])(
  "nulls and objects with the names of fields stay among the custom ones",
  async (write) => {
    const values = [null, { a: 1 }, [], "a@b.c", 7, "", true];
    const users = ["email", "country", "plan", "systemName"].flatMap((first, index) =>
      values.flatMap((one) =>
        values.map((other, at) => ({
          [first]: one,
          [["plan", "ip", "locale"][(at + index) % 3]!]: other,
        })),
      ),
    );
    const cwd = scratchDirectory("target-users");
    const lines = users.map((user, index) =>
      write({
        event_type: "e",
        event_time: "2026-01-08",
        user_id: `u${index}`,
        user_properties: user,
      }),
    );
    writeFileSync(join(cwd, "one.ndjson"), lines.map((line) => `${line}\n`).join(""));
    const args = [
      "one.ndjson",
      "--to",
      "out",
      "--format",
      "jsonl",
      "--target",
      "statsig",
      "--repair=users",
    ];
    expect(await runInProcess(["export", ...args], { cwd })).toMatchObject({ exitCode: 0 });
    const isField = (name: string, value: unknown) =>
      name !== "plan" && value !== null && typeof value !== "object";
    const expected = users.map((user, index) => {
      const members = Object.entries(user);
      const custom = members.filter(([name, value]) => !isField(name, value));
      return {
        userID: `u${index}`,
        ...Object.fromEntries(members.filter(([name, value]) => isField(name, value))),
        ...(custom.length > 0 && { custom: Object.fromEntries(custom) }),
      };
    });
    const byID = new Map(
      linesOf(join(cwd, "out")).map(({ user }) => [(user as { userID: string }).userID, user]),
    );
    expect(expected.map(({ userID }) => byID.get(userID))).toEqual(expected);
  },
);

test.each([
  ["names", 2, 0, 0],
  ["metadata", 0, 2, 0],
  ["users", 0, 0, 1],
  ["values", 0, 0, 0],
  ["days", 0, 0, 0],
] as const)(
  "an export with the repair of %s alone is verified, and lists what it has repaired",
  async (repair, names, metadata, users) => {
    const cwd = project();
    const args = ["one.ndjson", "--to", "out", "--target", "statsig", `--repair=${repair}`];
    expect(await runInProcess(["export", ...args], { cwd })).toMatchObject({ exitCode: 0 });
    const renames = read<Renames>(cwd, "out/renames.json");
    expect(renames.names).toHaveLength(names);
    expect(renames.metadata).toHaveLength(metadata);
    expect(renames.users).toHaveLength(users);
    expect(await runInProcess(["verify", "out"], { cwd })).toMatchObject({ exitCode: 0 });
  },
);

test("a repaired export has nothing left to tell, and maps every name back", async () => {
  const cwd = project();
  const repair = ["--target", "statsig", "--repair"];
  const run = (...args: string[]) => runInProcess(args, { cwd });
  expect(await run("validate", "one.ndjson", ...repair)).toMatchObject({ exitCode: 0 });
  const report = read<Report>(cwd, "report/report.json");
  expect(report.target).toMatchObject({ lost: 0, changed: 0 });
  // Findings and their lines speak of the names of the inputs, qualifying events of the repaired ones.
  expect(report.events.map(({ event }) => event)).toContain("$pageview");
  const qualified = report.estimates.qualifyingEvents.map(({ event }) => event);
  expect(qualified).toContain("auto:pageview");
  const format = ["--format", "jsonl"];
  const exported = await run("export", "one.ndjson", "--to", "out", ...format, ...repair);
  expect(exported).toMatchObject({ exitCode: 0 });
  const manifest = read<Manifest>(cwd, "out/manifest.json");
  expect(manifest.dayZone).toBe("-08:00");
  expect(manifest.days.map(({ day, rows: of }) => [day, of])).toEqual([
    ["2026-01-09", 80],
    ["2026-01-10", 160],
  ]);
  const renames = read<Renames>(cwd, "out/renames.json");
  const old = new Map(renames.names.map((one) => [one.new, one.old]));
  const found = linesOf(join(cwd, "out"));
  expect(new Set(found.map(({ event_name: name }) => old.get(String(name)) ?? name))).toEqual(
    new Set(["$pageview", "Save & Close", "checkout"]),
  );
  expect(found[0]).toMatchObject({
    event_metadata: { page_dot_path: "/a.b", nested__deep: "[1,2]" },
    user: { email: "a@example.com", appVersion: "1.2", custom: { app_version: "1.2" } },
  });
  expect(renames.metadata.map((one) => [one.old, one.new])).toEqual([
    [["nested", "deep"], "nested__deep"],
    [["page.path"], "page_dot_path"],
  ]);
  expect(await run("verify", "out")).toMatchObject({ exitCode: 0 });
  const { stdout } = await run("names", "out", "--csv");
  expect(stdout).toContain("event,$pageview,auto:pageview,80\r\n");
  writeFileSync(join(cwd, "out/renames.json"), "{}");
  expect(await run("verify", "out")).toMatchObject({ exitCode: 1 });
  expect((await run("names", "out")).stderr).toContain("[renames_unreadable]");
});

test("a name that another one is renamed to is renamed as well", async () => {
  const cwd = scratchDirectory("target-alike");
  const [row] = rows;
  const alike = ["$pageview", "auto:pageview"].map((name) => ({ ...row, event_type: name }));
  writeRows(cwd, "in.ndjson", alike);
  const run = (...args: string[]) => runInProcess(args, { cwd });
  const repair = ["--target", "statsig", "--repair"];
  expect(await run("export", "in.ndjson", "--to", "out", ...repair)).toMatchObject({ exitCode: 0 });
  const { events } = read<Manifest>(cwd, "out/manifest.json");
  expect(events).toHaveLength(2);
  expect(await run("verify", "out")).toMatchObject({ exitCode: 0 });
});

test("increments, shards and one run give the same names", async () => {
  const cwd = project();
  const more = rows.map((row) => ({ ...row, event_type: `[x] ${row.event_type}` }));
  writeRows(cwd, "two.ndjson", more);
  const options = ["--target", "statsig", "--repair", "--format", "jsonl", "--quiet"];
  const run = async (...args: string[]) => {
    expect(await runInProcess(args, { cwd })).toMatchObject({ exitCode: 0 });
  };
  await run("export", "one.ndjson", "--to", "steps", ...options);
  await run("export", "one.ndjson", "two.ndjson", "--to", "steps", ...options);
  const both = ["one.ndjson", "two.ndjson", "--split-size", "20KiB"];
  await run("export", ...both, "--to", "once", ...options);
  for (const shard of ["0/2", "1/2", "finish"])
    await run("export", ...both, "--to", "shards", "--shard", shard, ...options);
  const names = ["steps", "once", "shards"].map((out) => read<Renames>(cwd, out, "renames.json"));
  expect(names[0]?.names).toHaveLength(5);
  expect(names[1]).toEqual(names[0]);
  expect(names[2]).toEqual(names[0]);
});

test("a target of one's own is a file, whose faults are told by key", async () => {
  const cwd = project();
  const sources = ["https://wiki.example.com/events"];
  const target = { name: "mine", title: "Ours", names: { charactersMax: 4, sourcs: sources } };
  writeFileSync(join(cwd, "mine.json"), JSON.stringify(target));
  const run = () =>
    runInProcess(["validate", "one.ndjson", "--target", "mine.json", "--quiet"], { cwd });
  const refused = await run();
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain("names.sourcs: unknown key; did you mean sources?");
  expect(refused.stderr).toContain("names.charactersMax: must be at least 32 (got 4)");
  const fixed = { ...target, names: { forbidden: "k", sources } };
  writeFileSync(join(cwd, "mine.json"), JSON.stringify(fixed));
  expect((await run()).stderr).toContain("must be without ~, a to z and digits");
  writeFileSync(
    join(cwd, "mine.json"),
    JSON.stringify({ ...target, names: { forbidden: "&", sources } }),
  );
  expect(await run()).toMatchObject({ exitCode: 1 });
  expect(read<Report>(cwd, "report/report.json").target).toMatchObject({ lost: 80, billed: null });
});

/** Writes rows with one invalid name each, and one key with a dot: more than a split lists. */
function writeManyNames(directory: string, count: number, withKeys: boolean): void {
  const all = Array.from({ length: count }, (_, index) => ({
    event_type: `<id ${index}>`,
    event_time: "2026-01-10 12:00:00",
    user_id: "u",
    ...(withKeys && { event_properties: { [`a.${index}`]: 1 } }),
  }));
  writeRows(directory, "many.ndjson", all);
}

test("more names than can be repaired are a report with a part of them, not an error", async () => {
  const cwd = scratchDirectory("target-names");
  writeManyNames(cwd, 83_000, true);
  const validate = async (...flags: string[]) => {
    const args = ["validate", "many.ndjson", "--target", "statsig", "--threads", "1", ...flags];
    const { exitCode, stdout, stderr } = await runInProcess(args, { cwd });
    expect([exitCode, stderr.includes("names_too_many")]).toEqual([1, false]);
    return { stdout, ...read<Report>(cwd, "report/report.json") };
  };
  const plain = await validate();
  expect(plain.stdout).toContain("dropped by Statsig: at least 65,536 names");
  expect(plain.target).toMatchObject({ events: 83_000, lost: 83_000 });
  const counts = plain.target?.rules.map(({ rule, events, otherNames, moreNames }) => [
    rule,
    events,
    otherNames,
    moreNames,
  ]);
  expect(counts).toEqual([
    ["name", 83_000, 65_436, true],
    ["dots", 83_000, 65_436, true],
  ]);
  const findings = plain.findings.filter(({ code }) => code.startsWith("target_"));
  expect(findings.map(({ code, fix }) => [code, fix])).toEqual([
    ["target_names", undefined],
    ["target_keys_dotted", undefined],
  ]);
  expect(findings[0]?.detail).toContain("and at least 65,531 more names. These are too many");
  writeManyNames(cwd, 66_000, false);
  // The dry run of a repair tells that the export cannot do it.
  const repaired = await validate("--repair=names");
  expect(repaired.verdict.tone).toBe("error");
  expect(repaired.findings.map(({ code }) => code)).toContain("target_names");
});

test("only a repair that needs all names ends if there are too many", async () => {
  const cwd = scratchDirectory("target-repair");
  writeManyNames(cwd, 66_000, false);
  const exported = (repair: string) => {
    const flags = ["--target", "statsig", "--threads", "1", "--format", "jsonl"];
    const args = ["export", "many.ndjson", "--to", repair, ...flags, `--repair=${repair}`];
    return runInProcess(args, { cwd });
  };
  const users = await exported("users");
  expect(users, users.stderr).toMatchObject({ exitCode: 0 });
  expect(linesOf(join(cwd, "users"))).toHaveLength(66_000);
  const names = await exported("names");
  expect(names).toMatchObject({ exitCode: 1 });
  expect(names.stderr).toContain("More than 65,536 event names are not valid at the target");
});
