import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../../src/base/errors.js";
import { presetNames } from "../../src/mapper/presets.js";
import { loadConfiguration } from "../../src/options/configuration.js";
import { formatNames } from "../../src/options/format-option.js";
import { resolveExportOptions } from "../../src/options/run-options.js";
import { resolveSendRequest } from "../../src/options/send-options.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("configuration");

interface Given {
  readonly file?: string;
  readonly flags?: Parameters<typeof loadConfiguration>[0]["flags"];
  readonly environment?: Readonly<Record<string, string>>;
}

async function load({ file, flags = {}, environment = {} }: Given) {
  const configPath = file === undefined ? undefined : path.join(directory, "given.json");
  if (configPath !== undefined) await writeFile(configPath, file ?? "");
  return loadConfiguration({ flags, environment, configPath, currentDirectory: directory });
}

async function messageOf(given: Given): Promise<string> {
  const error = await load(given).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message.replaceAll(directory, "<dir>");
}

test("a flag wins over the environment, which wins over the file", async () => {
  const file = '{ "export": { "threads": 2, "dayZone": "+03:00", "format": "csv" } }';
  const environment = { SWITCHYARD_THREADS: "3", SWITCHYARD_DAY_ZONE: "+02:00" };
  const { values } = await load({ file, environment, flags: { threads: 4 } });
  expect(values).toMatchObject({ threads: 4, dayZone: "+02:00", format: { format: "csv" } });
});

test("the limit of one step wins over that of all steps in the same place, and gives way to a flag", async () => {
  const file = '{ "maxRejects": "1%", "send": { "maxRejects": 5 } }';
  expect(await load({ file })).toMatchObject({
    values: { maxRejects: { share: 0.01 } },
    rejectLimits: { export: { share: 0.01 }, send: { rows: 5 } },
  });
  expect(await load({ file, flags: { maxRejects: 7 } })).toMatchObject({
    values: { maxRejects: { rows: 7 } },
    rejectLimits: { export: { rows: 7 }, send: { rows: 7 } },
  });
  const environment = { SWITCHYARD_MAX_REJECTS: "8" };
  expect((await load({ file, environment })).rejectLimits.send).toEqual({ rows: 8 });
  expect((await load({})).rejectLimits).toEqual({ export: undefined, send: undefined });
});

test("the key of an option that another one has replaced is unknown, and names that one", async () => {
  expect(await messageOf({ file: '{ "csvNull": ["NULL"] }' })).toBe(
    "The configuration is not valid: <dir>/given.json:1:3: csvNull: unknown key; did you mean csvDialect?",
  );
});

test("the origin of an option is its flag, its variable, or its key with the position", async () => {
  const { originOf } = await load({
    file: '{\n  "maxRejects": 3,\n  "export": { "to": "a", "tableLog": "delta" }\n}',
    flags: { threads: 2, to: "b" },
    environment: { SWITCHYARD_SPLIT_SIZE: "1MiB" },
  });
  expect(originOf("to")).toEqual({ name: "--to", value: "b" });
  expect(originOf("threads")).toEqual({ name: "--threads", value: 2 });
  expect(originOf("splitSize")).toEqual({ name: "SWITCHYARD_SPLIT_SIZE", value: "1MiB" });
  expect(originOf("maxRejects")).toEqual({
    name: "maxRejects",
    position: expect.stringMatching(/:2:3$/),
    value: 3,
  });
  expect(originOf("tableLog")).toEqual({
    name: "export.tableLog",
    position: expect.stringMatching(/:3:26$/),
    value: "delta",
  });
  expect(originOf("format")).toBeUndefined();
});

test("an empty variable counts as not given", async () => {
  expect((await load({ environment: { SWITCHYARD_THREADS: "" } })).values).toEqual({});
});

test("values have the types and units of the engine", async () => {
  const environment = {
    SWITCHYARD_PART_SIZE: "2MiB",
    SWITCHYARD_FROM_TIME: "2026-01-31",
    SWITCHYARD_MAX_REJECTS: "1%",
    SWITCHYARD_CSV_DIALECT: "header=no,delimiter=tab",
    SWITCHYARD_INCLUDE_EVENT: "a, b*",
    SWITCHYARD_EXCLUDE_EVENT: '["x, y"]',
  };
  expect((await load({ environment })).values).toEqual({
    partSize: 2 * 1024 * 1024,
    fromTime: Date.UTC(2026, 0, 31),
    maxRejects: { share: 0.01 },
    csvDialect: { header: false, delimiter: "\t" },
    includeEvent: ["a", "b*"],
    excludeEvent: ["x, y"],
  });
});

test("a file may have comments and trailing commas", async () => {
  const file = '// ours\n{ "preset": "mixpanel", /* all */ "steps": ["verify",], }';
  const { values, steps } = await load({ file });
  expect(values.preset).toBe("mixpanel");
  expect(steps).toEqual(["verify"]);
});

test("relative paths of the file are relative to the file, those of flags to the current directory", async () => {
  const name = path.join(directory, "given.json");
  await writeFile(name, '{ "inputs": ["a"], "export": { "to": "out" }, "transform": "x.mjs" }');
  const { values, inputsDirectory } = await loadConfiguration({
    flags: { to: "out" },
    environment: {},
    configPath: name,
    currentDirectory: "/elsewhere",
  });
  expect(values.to).toBe("/elsewhere/out");
  expect(values.transform).toBe(path.join(directory, "x.mjs"));
  expect(values.inputs).toEqual(["a"]);
  expect(inputsDirectory).toBe(directory);
});

test("all faults are reported at once, each with its position", async () => {
  const file = `{
    "exprot": {},
    "steps": ["export", "import"],
    "preset": "amplitud",
    "includeEvent": ["a", ""],
    "hash": ["user.email", "email"],
    "export": {
      "threads": 0, "memory": "lots", "partSize": -1, "dayZone": "Mars/Base", "formats": "csv",
      "format": "parqet", "layout": "_x", "maxRejects": "200%"
    },
    "fromTime": "2026-02-30",
  }`;
  const environment = { SWITCHYARD_TIME_LIMITS: "..soon", SWITCHYARD_FRESH: "perhaps" };
  const message = await messageOf({ file, environment, flags: { maxRatio: "high" } });
  expect(message.split("\n  ").sort()).toEqual(
    [
      "The configuration is not valid:",
      '--max-ratio: must be a whole number (got "high")',
      'SWITCHYARD_FRESH: must be true or false (got "perhaps")',
      "SWITCHYARD_TIME_LIMITS: must be two times with .. between them, of which one may be left out: " +
        '1971-01-01..2027-01-01 (got "..soon")',
      "<dir>/given.json:2:5: exprot: unknown key; did you mean export?",
      "<dir>/given.json:3:25: steps[1]: must be one of fetch, validate, export, send, qualify, verify, ready " +
        '(got "import"); did you mean export?',
      `<dir>/given.json:4:5: preset: must be one of ${presetNames.join(", ")} ` +
        '(got "amplitud"); did you mean amplitude?',
      "<dir>/given.json:5:27: includeEvent[1]: must not be empty",
      "<dir>/given.json:6:28: hash[1]: must be userID, stableID, value, or a path such as user.email " +
        'or metadata.card.number (got "email")',
      "<dir>/given.json:8:7: export.threads: must be at least 1 (got 0)",
      "<dir>/given.json:8:21: export.memory: must be a size such as 512MB, 2GiB or a number of bytes " +
        '(got "lots")',
      "<dir>/given.json:8:39: export.partSize: must be at least 1 (got -1)",
      '<dir>/given.json:8:55: export.dayZone: "Mars/Base" is not an IANA zone: give a name ' +
        'such as "Europe/Berlin", "UTC", or an offset such as "+05:30"',
      "<dir>/given.json:8:79: export.formats: unknown key; did you mean format?",
      `<dir>/given.json:9:7: export.format: must be one of ${formatNames.join(", ")} ` +
        '(got "parqet"); did you mean parquet?',
      "<dir>/given.json:9:27: export.layout: must be {day} or <key>={day}, with the directory of the " +
        "dataset before it or not, and /event={event} after it or not: {day}, " +
        'day={day}/event={event}, events/{day}; not with a name that outputs have for other files, such as rejects or manifest.json (got "_x")',
      "<dir>/given.json:9:43: export.maxRejects: must be a number of rows such as 100, or a share such " +
        'as 1% (got "200%")',
      "<dir>/given.json:11:5: fromTime: must be a date that exists (2026-01-31), a date-time " +
        '(2026-01-31T17:00:00Z) or epoch milliseconds (got "2026-02-30")',
    ].sort(),
  );
});

test.each([
  ['{\n  "preset" "x" }', "2:12: not valid JSON: expected a colon."],
  ["", "1:1: not valid JSON: the file is empty."],
  ["{ 'preset': 1 }", "1:3: not valid JSON: 'preset' must be in double quotes."],
  ["{ preset: 1 }", "1:3: not valid JSON: preset must be in double quotes."],
  ['{ "steps": [+1] }', '1:13: not valid JSON: unexpected "+1".'],
  ['{ "to": "a\n" }', "1:9: not valid JSON: the string does not end."],
  ['{ "a": 1 } { }', "1:12: not valid JSON: expected the end of the file."],
  ['{ "a": 1', "1:9: not valid JSON: expected a closing brace."],
  ['{ "a": ', "1:8: not valid JSON: expected a value."],
  ["/* { }", "1:1: not valid JSON: the comment does not end."],
  ['{ "a": "\\x" }', "1:8: not valid JSON: unknown escape."],
  [`{ "a": ${"[".repeat(20_000)} }`, "1:1: not valid JSON: nested too deeply."],
])("the file %j is refused with the position of the fault", async (file, message) => {
  expect(await messageOf({ file })).toBe(
    `<dir>/given.json:${message} Comments and trailing commas are allowed.`,
  );
});

test("a file that holds no object is refused", async () => {
  expect(await messageOf({ file: "[1]" })).toBe(
    "The configuration is not valid: <dir>/given.json:1:1: must be an object (got [1])",
  );
});

test("a named file that is missing is an error, the default one is not", async () => {
  const missing = loadConfiguration({
    flags: {},
    environment: {},
    configPath: "no.json",
    currentDirectory: directory,
  });
  await expect(missing).rejects.toThrow(
    `The configuration file no.json does not exist. The path is ${path.join(directory, "no.json")}.`,
  );
  const absolute = path.join(directory, "no.json");
  const again = loadConfiguration({
    flags: {},
    environment: {},
    configPath: absolute,
    currentDirectory: directory,
  });
  await expect(again).rejects.toThrow(
    new UsageError(
      "configuration_unreadable",
      `The configuration file ${absolute} does not exist.`,
    ),
  );
  expect((await load({})).fileName).toBeUndefined();
});

test("the salt comes from the environment, else from a file, without its line end", async () => {
  await writeFile(path.join(directory, "salt"), "from file\n");
  const flags = { hashSaltFile: "salt" };
  expect((await load({ flags })).hashSalt).toBe("from file");
  const environment = { SWITCHYARD_HASH_SALT: "from environment" };
  expect((await load({ flags, environment })).hashSalt).toBe("from environment");
});

test("an empty or missing salt file is refused", async () => {
  await writeFile(path.join(directory, "empty"), "\n");
  expect(await messageOf({ flags: { hashSaltFile: "empty" } })).toContain("is empty");
  expect(await messageOf({ flags: { hashSaltFile: "gone" } })).toContain("ENOENT");
});

test("a salt cannot be given by flag or file key", async () => {
  expect(await messageOf({ file: '{ "hashSalt": "secret" }' })).toContain("hashSalt: unknown key");
});

test("defaults depend on the machine, and what is given replaces them", async () => {
  const machine = { threads: 6, memoryBytes: 8e9 };
  const given = await load({ flags: { inputs: ["a"], to: "out" } });
  expect(resolveExportOptions(given, machine)).toMatchObject({
    threads: 6,
    memoryBytes: 4e9,
    format: "parquet",
    dayZone: "UTC",
    maxTimeMs: "tomorrow",
    inputs: ["a"],
    cwd: directory,
    outputDirectory: path.join(directory, "out"),
    minTimeMs: Date.UTC(1971, 0, 1),
    maxRejects: { rows: 0 },
    preset: "amplitude",
    csv: {},
  });
  const more = await load({
    flags: { inputs: ["a"], to: "out", threads: 1, csvDialect: "quote=none" },
  });
  expect(resolveExportOptions(more, machine)).toMatchObject({
    threads: 1,
    csv: { quote: "" },
  });
});

test("a queue sends to other services, and not to one inside this process", async () => {
  const flags = { inputs: ["a"], sendTo: "http://127.0.0.1:1", queue: "redis://127.0.0.1:2" };
  const environment = { SWITCHYARD_SERVER_SECRET: "secret-0123456789abcdefghijklmnop" };
  const given = await load({ flags, environment });
  expect(resolveSendRequest(given, []).queue).toBe(flags.queue);
  const embedded = { ...given, destination: "the embedded service in data" };
  expect(resolveSendRequest(embedded, []).queue).toBeUndefined();
});

test("inputs and output must be given somewhere", async () => {
  const nothing = await load({});
  expect(() => resolveExportOptions(nothing)).toThrow("No inputs: name files");
  const inputs = await load({ flags: { inputs: ["a"] } });
  expect(() => resolveExportOptions(inputs)).toThrow("No output directory: pass --to");
});

test("a range from fromTime up to toTime that no time is in is refused", async () => {
  const flags = { inputs: ["in"], to: "out", fromTime: "2024-02-01", toTime: "2024-02-01" };
  await expect(load({ flags })).rejects.toMatchObject({
    code: "time_range_empty",
    message: `The configuration is not valid: --from-time (2024-02-01T00:00:00.000Z) must be before --to-time (2024-02-01T00:00:00.000Z)`,
  });
  const day = await load({ flags: { ...flags, fromTime: "2024-01-31" } });
  expect(() => resolveExportOptions(day)).not.toThrow();
});

test("an empty time range is reported with all other faults and with the positions of both ends", async () => {
  const file = '{ "fromTime": "2027-01-01",\n  "toTime": "2026-01-01", "preset": "amplitud",\n}';
  const message = await messageOf({ file });
  expect(message.split("\n  ")).toEqual([
    "The configuration is not valid:",
    expect.stringMatching(/^<dir>.given.json:2:27: preset: .* did you mean amplitude\?$/),
    "<dir>/given.json:1:3: fromTime (2027-01-01T00:00:00.000Z) must be before toTime (2026-01-01T00:00:00.000Z, <dir>/given.json:2:3)",
  ]);
  await expect(load({ file })).rejects.toMatchObject({ code: "configuration_invalid" });
  // The time that a flag replaces is not compared.
  const flags = { fromTime: "2026-02-01" };
  expect(await messageOf({ file: file.replace("amplitud", "amplitude"), flags })).toBe(
    "The configuration is not valid: --from-time (2026-02-01T00:00:00.000Z) must be before toTime (2026-01-01T00:00:00.000Z, <dir>/given.json:2:3)",
  );
});

test.each([
  ["2015-01-01..2027-01-01", Date.UTC(2015, 0, 1), Date.UTC(2027, 0, 1)],
  ["2015-01-01T12:00:00+02:00..", Date.UTC(2015, 0, 1, 10), "tomorrow"],
  ["..2027-01-01", Date.UTC(1971, 0, 1), Date.UTC(2027, 0, 1)],
  ["0..1800000000000", 0, 1_800_000_000_000],
])("the limits of times %s", async (timeLimits, minTimeMs, maxTimeMs) => {
  const { csv: _, ...options } = resolveExportOptions(
    await load({ flags: { inputs: ["a"], to: "b", timeLimits } }),
  );
  expect(options).toMatchObject({ minTimeMs, maxTimeMs });
});

test.each(["2027-01-01..2015-01-01", "2027-01-01..2027-01-01", "..1970-06-01"])(
  "the limits %s that no time is within are refused",
  async (timeLimits) => {
    expect(await messageOf({ flags: { timeLimits } })).toBe(
      `The configuration is not valid: --time-limits: must start before it ends (got "${timeLimits}"); the default start is 1971-01-01`,
    );
  },
);

test.each([
  ...["", "..", "2026-01-01", "a..b", "2026-02-30..", "1..2..3"].map((text) => [text, "two times"]),
  ["0000-01-01..", "within 0000-01-02..9999-12-31, so that a time has a day in every zone"],
  ["..9999-12-31T12:00Z", "within 0000-01-02..9999-12-31"],
])("%j are not limits of times", async (timeLimits, words) => {
  const message = await messageOf({ flags: { timeLimits } });
  expect(message).toContain(`--time-limits: must be ${words}`);
});

test("a wrong value of a flag or variable has the suggestion that it has in the file", async () => {
  const message = await messageOf({
    flags: { preset: "amplitud", dedupe: "dya,by=evnt" },
    environment: { SWITCHYARD_FORMAT: "parqet" },
  });
  expect(message).toMatch(/--preset: .*; did you mean amplitude\?/);
  expect(message).toMatch(/--dedupe: .*; did you mean day\?/);
  expect(message).toMatch(/--dedupe: by: .*; did you mean event\?/);
  expect(message).toMatch(/SWITCHYARD_FORMAT: .*; did you mean parquet\?/);
});

test("hashing without a salt is refused, and the salt is in no message", async () => {
  const flags = { inputs: ["a"], to: "out", hash: ["user.email"] };
  const without = await load({ flags });
  expect(() => resolveExportOptions(without)).toThrow(
    "Hashing user.email needs a salt: set SWITCHYARD_HASH_SALT",
  );
  const environment = { SWITCHYARD_HASH_SALT: "pepper" };
  const { privacy } = resolveExportOptions(await load({ flags, environment }));
  expect(privacy).toEqual({ drop: [], hash: ["user.email"], salt: "pepper" });
  const broken = await messageOf({ flags: { ...flags, threads: 0 }, environment });
  expect(broken).not.toContain("pepper");
});

test.each([
  ['{ "evnt": "x" }', "1:16: mapping.evnt: unknown key; did you mean event?"],
  ['{ "event": 5 }', "1:16: mapping.event: must be a string, an object or a list (got 5)"],
  [
    '{ "timestamp": { "field": "t", "zon": "UTC" } }',
    "1:45: mapping.timestamp.zon: unknown key; did you mean zone?",
  ],
  ['{ "timestamp": { "format": "ms" } }', "1:16: mapping.timestamp: needs the key field"],
  ['{ "userID": ["a", { "field": "b", "x": 1 }] }', "1:48: mapping.userID[1].x: unknown key"],
  [
    '{ "metadata": { "rest": "p", "except": [1] } }',
    "1:54: mapping.metadata.except[0]: must be a string (got 1)",
  ],
])("the mapping %s is refused with its place", async (mapping, message) => {
  expect(await messageOf({ file: `{ "mapping": ${mapping} }` })).toBe(
    `The configuration is not valid: <dir>/given.json:${message}`,
  );
});

test("rows that are longer than a worker's memory can hold are refused", async () => {
  const atMost = "a size of at most 64MiB, such as 16MiB or a number of bytes";
  const flag = await messageOf({ file: "{}", flags: { maxRowSize: "65MiB" } });
  expect(flag).toContain(`--max-row-size: must be ${atMost} (got "65MiB")`);
  const number = await messageOf({ file: `{ "maxRowSize": ${2 ** 26 + 1} }` });
  expect(number).toContain("maxRowSize: must be at most 67108864 (got 67108865)");
});
