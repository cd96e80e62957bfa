import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import type { WrittenChanges } from "../../src/mapper/mapping.js";
import { loadConfiguration } from "../../src/options/configuration.js";
import { parseJsonText } from "../../src/options/configuration-text.js";
import type { Survey } from "../../src/survey/survey.js";
import { fakeContext } from "../support/fake-context.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("init");
const published = readFileSync(
  fileURLToPath(new URL("../../pipeline.schema.json", import.meta.url)),
  "utf8",
);
let directory: string;
let count = 0;

beforeEach(() => {
  directory = join(root, String(count++));
  mkdirSync(directory);
});

const amplitude = (event: string, more: object = {}) =>
  JSON.stringify({
    event_type: event,
    event_time: "2026-01-31 17:03:12.123000",
    user_id: "mina",
    event_properties: {},
    ...more,
  });
const mixpanel = JSON.stringify({
  event: "open",
  properties: { time: 1769878992, distinct_id: "mina", $insert_id: "i" },
});

function put(name: string, content: string | Uint8Array): void {
  const file = join(directory, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
}

const read = (name = "pipeline.config.json") => readFileSync(join(directory, name), "utf8");

/** Runs `init`. */
async function init(...words: readonly string[]) {
  const { context, stdout, stderr, controller } = fakeContext({}, { currentDirectory: directory });
  const exitCode = await runCommandLine(["init", ...words], context);
  return { exitCode, stdout: stdout.join(""), stderr: stderr.join(""), controller };
}

async function survey(...words: readonly string[]): Promise<Survey> {
  const { exitCode, stdout, stderr } = await init(...words, "--json");
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  return (JSON.parse(stdout) as { readonly survey: Survey }).survey;
}

/** The file that was written, as the other commands read it. */
const load = (name?: string) =>
  loadConfiguration({
    flags: {},
    environment: {},
    configPath: name,
    currentDirectory: directory,
  });

/** The mapping as the file has it. */
const writtenMapping = () =>
  (parseJsonText(read(), "").value as { readonly mapping?: WrittenChanges }).mapping;

describe("the written configuration", () => {
  test("has comments that say what was found", async () => {
    put("in/a.json.gz", gzipSync(`${amplitude("a")}\n${amplitude("b")}\n`));
    put("in/b.csv", `event_type,event_time,user_id\nc,2026-02-01 00:00:00,mina\n`);
    const { exitCode, stdout, stderr } = await init("in");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(
      `Inspected 2 sources, ${stdout.match(/sources, (\d+ B)/)?.[1]}
  format    1 × newline-delimited JSON in gzip, 1 × CSV
  sample    3 rows of 2 sources
  preset    amplitude: 4 of 4 columns are Amplitude's; typical of Amplitude: event_properties
  time      event_time, ISO 8601 with no zone (taken as UTC), in the sample from 2026-01-31T17:03Z to 2026-02-01T00:00Z
  result    3 events from 3 sampled rows
Written: pipeline.config.json (its schema: ./pipeline.schema.json)
Next:    switchyard validate
`,
    );
    expect(read()).toContain("// 4 of 4 columns are Amplitude's;");
    const { values, steps, mapping } = await load();
    expect(steps).toEqual(["validate", "export", "verify"]);
    expect(values).toEqual({ inputs: ["in"], preset: "amplitude", to: join(directory, "out") });
    expect(mapping).toBeUndefined();
    expect(read("pipeline.schema.json")).toBe(published);
  });

  longTest("has a summary of one screen, whatever the data", async () => {
    const columns = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`c${i}`, i]));
    for (let index = 0; index < 40; index++) put(`in/${index}.bin`, new Uint8Array([0, 1, 2, 255]));
    put("in/a.json", amplitude("a", columns));
    const { stdout } = await init("in");
    expect(stdout.split("\n").length).toBeLessThan(25);
    expect(stdout).toContain("40 sources: in/0.bin: ");
    expect(stdout).toContain("; and 35 more");
  });

  test("has the flags about the inputs as options", async () => {
    put("rows.txt", "a;2026-01-31 00:00:00;mina\nb;2026-01-31 00:00:00;mina\n");
    const names = "event_type,event_time,user_id";
    await init("rows.txt", "--csv-dialect", `delimiter=;,columns=${names}`, "--to", "days");
    expect((await load()).values).toMatchObject({
      csvDialect: { delimiter: ";", columns: names.split(",") },
      to: join(directory, "days"),
    });
  });

  test("uses a preset that is given, and shows its result", async () => {
    put("a.json", mixpanel);
    const { mapping, trial, doubts } = await survey("a.json", "--preset", "amplitude");
    expect(mapping).toEqual({ kind: "given", preset: "amplitude", reasons: ["as you said"] });
    expect(trial).toMatchObject({ rows: 1, delivered: 0, rejects: { event_missing: 1 } });
    expect(doubts).toContain("1 of 1 sampled rows would be rejected: event_missing 1.");
  });

  longTest("has inputs relative to the file", async () => {
    put("data/in/a.json", amplitude("a"));
    mkdirSync(join(directory, "conf/deep"), { recursive: true });
    await init("data/in", "--config", "conf/deep/acme.json", "--to", "days");
    const { values, inputsDirectory } = await load("conf/deep/acme.json");
    expect(values.inputs).toEqual(["../../data/in"]);
    expect(inputsDirectory).toBe(join(directory, "conf/deep"));
    expect(values.to).toBe(join(directory, "days"));
  });

  test("does not list its own files and those of an export as inputs", async () => {
    put("a.json", amplitude("a"));
    await init(".");
    put("out/events/2026-01-31/part.jsonl", mixpanel);
    put("report/report.json", mixpanel);
    const { sources, mapping } = await survey(".", "--force");
    expect(sources).toBe(1);
    expect(mapping).toMatchObject({ preset: "amplitude" });
  });

  test("keeps names from the data in their comments and strings", async () => {
    const row = JSON.stringify({
      'action"\n}, "steps": ["send"], //': "x",
      action: "open",
      ts: 1769878992,
      "user.id\u2028": "u",
      uid: "m",
    });
    put('a"\n, "steps": ["send"], .json', row);
    await init(".");
    const { steps, values } = await load();
    expect(steps).toEqual(["validate", "export", "verify"]);
    expect(values.inputs).toEqual(["."]);
    expect(writtenMapping()?.userID).toEqual({ field: ["user.id\u2028"] });
    expect(read()).not.toContain("\u2028");
  });
});

describe("an existing file", () => {
  test("stays byte for byte unless --force is given", async () => {
    put("a.json", amplitude("a"));
    put("pipeline.config.json", "mine, and broken {");
    const refused = await init("a.json", "--json");
    expect(refused.exitCode).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "configuration_exists" } });
    expect(read()).toBe("mine, and broken {");
    expect(existsSync(join(directory, "pipeline.schema.json"))).toBe(false);
    expect((await init("a.json", "--force")).exitCode).toBe(0);
    expect((await load()).values.preset).toBe("amplitude");
  });

  test("is not replaced if nothing was detected", async () => {
    put("a.json", "{}");
    put("pipeline.config.json", "mine");
    expect((await init("a.json", "--force")).exitCode).toBe(2);
    expect(read()).toBe("mine");
  });
});

describe("the schema", () => {
  const schemaIn = (text: string) => /"\$schema": "([^"]+)"/.exec(text)?.[1];

  test("is the installed package's, in any directory of the project", async () => {
    put("node_modules/switchyard/pipeline.schema.json", published);
    put("sub/a.json", amplitude("a"));
    await init("sub/a.json");
    expect(schemaIn(read())).toBe("./node_modules/switchyard/pipeline.schema.json");
    await init("sub/a.json", "--config", "sub/own.json");
    expect(schemaIn(read("sub/own.json"))).toBe("../node_modules/switchyard/pipeline.schema.json");
    expect(existsSync(join(directory, "pipeline.schema.json"))).toBe(false);
  });

  test("beside the file is used, and replaced only with --force", async () => {
    put("in.json", amplitude("a"));
    const older = '{ "$id": "pipeline.schema.json", "title": "older" }';
    put("pipeline.schema.json", older);
    await init("in.json");
    expect(schemaIn(read())).toBe("./pipeline.schema.json");
    expect(read("pipeline.schema.json")).toBe(older);
    await init("in.json", "--force");
    expect(read("pipeline.schema.json")).toBe(published);
  });

  longTest("is omitted if another file has its name", async () => {
    put("in.json", amplitude("a"));
    put("pipeline.schema.json", "something else");
    expect((await init("in.json")).stdout).toContain("Written: pipeline.config.json\n");
    expect(schemaIn(read())).toBeUndefined();
    expect(read("pipeline.schema.json")).toBe("something else");
  });
});

describe("odd inputs", () => {
  const errorOf = async (...words: readonly string[]) => {
    const { exitCode, stdout } = await init(...words, "--json");
    expect(exitCode).toBe(2);
    expect(existsSync(join(directory, "pipeline.config.json"))).toBe(false);
    return (JSON.parse(stdout) as { error: { code: string; message: string } }).error;
  };

  test("of several tools are refused; the message lists the files of each", async () => {
    put("in/a.json", amplitude("a"));
    put("in/b.json", mixpanel);
    put("in/c.json", mixpanel);
    const { code, message } = await errorOf("in");
    expect(code).toBe("presets_mixed");
    expect(message).toContain("\n  Amplitude: in/a.json\n  Mixpanel: in/b.json, in/c.json\n");
  });

  test("with one of another tool among them are accepted, and that one is named", async () => {
    put("in/a.json", `${amplitude("a")}\n${amplitude("b")}\n${amplitude("c")}`);
    put("in/notes.csv", "who,what\nmina,tea\n");
    const { mapping, doubts } = await survey("in");
    expect(mapping).toMatchObject({ preset: "amplitude" });
    expect(doubts[0]).toContain("No preset fits the rows of in/notes.csv");
    expect(doubts.at(-1)).toContain("1 of 4 sampled rows would be rejected: event_missing 1.");
  });

  longTest("of a rare form among many are sampled", async () => {
    for (let index = 100; index < 160; index++) put(`in/${index}.json`, amplitude("a"));
    put("in/132.csv", "who,what\nmina,tea\n");
    const { doubts, sample } = await survey("in");
    expect(doubts[0]).toContain("No preset fits the rows of in/132.csv");
    expect(sample.sources).toBeLessThan(30);
  });

  test("with rows that the preset filters are reported", async () => {
    const row = (type: string) =>
      JSON.stringify({
        type,
        event: "a",
        messageId: "m",
        anonymousId: "d",
        writeKey: "w",
        timestamp: "2026-01-31T17:03:12Z",
      });
    put("a.json", `${row("track")}\n${row("identify")}\n`);
    const { stdout } = await init("a.json");
    expect(stdout).toContain("1 event from 2 sampled rows, 1 filtered by the mapping");
    expect(stdout).not.toContain("Uncertain");
  });

  test("with one file without a readable row are accepted, and the file is named", async () => {
    put("in/a.json", amplitude("a"));
    put("in/b.json", "{{{\n{{\n".repeat(500));
    const { doubts, sample } = await survey("in");
    expect(sample).toEqual({ sources: 2, rows: 1, elements: 1, faults: 250 });
    expect(doubts).toEqual([
      "None of the first rows of in/b.json can be read; leave out inputs that are not exports, or pass --input-format.",
    ]);
  });

  longTest("with one broken file are accepted, and its fault is reported", async () => {
    put("in/a.json", amplitude("a"));
    put("in/broken.json.gz", gzipSync(amplitude("b").repeat(20)).subarray(0, 12));
    const { failures, failuresTotal, sources } = await survey("in");
    expect({ failuresTotal, sources }).toEqual({ failuresTotal: 1, sources: 1 });
    expect(failures[0]).toMatchObject({ name: "in/broken.json.gz", code: "source_truncated" });
  });

  test.each<[string, string | Uint8Array, string]>([
    ["empty", "", "rows_missing"],
    ["blank", "\n \n", "rows_missing"],
    ["binary", new Uint8Array(300).map((_, index) => index), "rows_missing"],
    ["prose", "It was a dark and stormy night.\n", "rows_missing"],
    ["malformed", "{{{\n{{\n", "rows_missing"],
    ["no event", '{"temperature": 5}\n', "mapping_unknown"],
  ])("that are %s are refused, and nothing is written", async (_, content, code) => {
    put("a", content);
    expect((await errorOf("a")).code).toBe(code);
  });

  test("with many broken files and no other name some of them, and count the others", async () => {
    const broken = gzipSync(amplitude("b").repeat(20)).subarray(0, 12);
    for (let file = 0; file < 8; file++) put(`in/${file}.json.gz`, broken);
    const { code, message } = await errorOf("in");
    expect(code).toBe("rows_missing");
    expect(message).toContain("in/4.json.gz");
    expect(message).toContain("\n  and 3 more inputs that cannot be read");
  });

  test("without one required field are refused with its name", async () => {
    put("a", '{"event": "open", "who": "mina", "moment": "noon"}\n');
    const { exitCode, stderr } = await init("a");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("no field looks like an event's time. They have: event, who, moment.");
  });

  test("that do not exist are refused with the paths that were tried", async () => {
    expect(await errorOf("gone")).toMatchObject({
      code: "input_not_found",
      message: expect.stringContaining(join(directory, "gone")),
    });
  });

  test("must be named", async () => {
    const { exitCode, stderr } = await init();
    expect(exitCode).toBe(2);
    expect(stderr).toContain("missing required argument 'inputs'");
  });

  test("that fit no preset get a mapping that is marked as a guess", async () => {
    put(
      "a.csv",
      "Action,When,Who,Plan\nopen,31/01/2026 17:03,mina,x\nclose,01/02/2026 09:00,ole,y\n",
    );
    const { stdout } = await init("a.csv");
    expect(stdout).toContain(
      "  preset    none fits; the mapping is a guess by names and values of the fields",
    );
    expect(stdout).toContain("\nUncertain:\n  - No preset fits these rows");
    expect(stdout).toContain("name no zone and are read as UTC");
    const { values } = await load();
    expect(values.preset).toBeUndefined();
    expect(writtenMapping()).toEqual({
      event: "Action",
      timestamp: { field: "When", format: "d/M/yyyy HH:mm" },
      userID: "Who",
      stableID: null,
      metadata: { rest: "" },
      user: null,
      insertID: null,
    });
    expect(read()).toContain("// A guess, by names and values of the fields;");
  });

  test("with columns in capitals, as warehouses write them, get a mapping with capitals", async () => {
    put("a.csv", "EVENT_TYPE,EVENT_TIME,USER_ID,UUID\nopen,2026-01-31 17:03:12,mina,x\n");
    const { mapping, trial } = await survey("a.csv");
    expect(mapping).toEqual({
      kind: "preset",
      preset: "amplitude",
      reasons: ["4 of 4 columns are Amplitude's but for the case of their names"],
      changes: {
        event: "EVENT_TYPE",
        timestamp: "EVENT_TIME",
        userID: "USER_ID",
        insertID: ["$insert_id", "UUID"],
      },
    });
    expect(trial).toMatchObject({ rows: 1, delivered: 1 });
    expect(writtenMapping()).toEqual(mapping.changes);
  });

  test("whose times the preset would not read get a format", async () => {
    put("a.csv", "event_type,event_time,user_id\nopen,1/31/2026 5:03 PM,mina\n");
    const { mapping, trial } = await survey("a.csv");
    expect(mapping.changes).toEqual({
      timestamp: { field: "event_time", format: "M/d/yyyy h:mm a" },
    });
    expect(trial).toMatchObject({ delivered: 1, firstMs: Date.UTC(2026, 0, 31, 17, 3) });
  });

  longTest("with times in the future are reported as uncertain", async () => {
    put("a.json", amplitude("a", { event_time: "2999-01-01 00:00:00" }));
    const { doubts } = await survey("a.json");
    expect(doubts).toEqual([
      "1 of 1 sampled rows would be rejected: time_out_of_range 1. " +
        'If times are in the future on purpose, set "timeLimits".',
    ]);
  });
});

test("an interruption writes nothing", async () => {
  put("a.json", amplitude("a"));
  const { context, controller, stderr } = fakeContext({}, { currentDirectory: directory });
  controller.abort();
  expect(await runCommandLine(["init", "a.json"], context)).toBe(130);
  expect(stderr.join("")).toContain("Interrupted; nothing was written. [interrupted]");
  expect(existsSync(join(directory, "pipeline.config.json"))).toBe(false);
});
