import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { SwitchyardError, UsageError } from "../../src/base/errors.js";
import { runCommandLine } from "../../src/cli/program.js";
import type { Runs } from "../../src/engine/runs.js";
import { resolveMapping } from "../../src/mapper/resolve-mapping.js";
import type { ExportOptions } from "../../src/options/options.js";
import { exampleResult } from "../report/example-result.js";
import { fakeContext } from "../support/fake-context.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("program");

beforeAll(async () => {
  const configuration = '{ "inputs": ["in"], "export": { "to": "out", "threads": 3 } }';
  await writeFile(join(directory, "pipeline.config.json"), configuration);
});

const different: Runs["verify"] = async () => ({
  outcome: "different",
  manifestPath: "/data/out/manifest.json",
  files: 1,
  filesUnread: 0,
  rows: 1,
  bytes: 1,
  days: 1,
  durationMs: 1,
  differences: [{ code: "rows_differ", path: "events/x.csv", message: "rows: found 1" }],
});

describe("export", () => {
  test("hands every flag to the engine", async () => {
    const given: ExportOptions[] = [];
    const runExport = async (options: ExportOptions) => {
      given.push(options);
      return exampleResult;
    };
    const environment = { SWITCHYARD_HASH_SALT: "pepper" };
    const { context } = fakeContext({ export: runExport }, { environment });
    const words =
      "export a b --to o --preset mixpanel --input-format csv " +
      "--csv-dialect delimiter=tab,quote=',columns=x,y,header=no --max-row-size 1MB --max-ratio 5 --transform t.mjs " +
      "--from-time 2026-01-01 --to-time 2026-02-01T00:00:00Z --include-event a* --include-event b,c " +
      "--exclude-event d --time-limits 0..2027-01-01 --format csv.safe " +
      "--layout d1/{day} --day-zone Europe/Berlin --part-size 2MiB --no-insert-id --threads 2 " +
      "--compact always " +
      "--memory 1GiB --max-rejects 5% --fresh --quiet --drop user.a --hash user.b";
    expect(await runCommandLine(words.split(" "), context)).toBe(0);
    expect(given).toEqual([
      {
        inputs: ["a", "b"],
        cwd: "/nowhere",
        outputDirectory: "/nowhere/o",
        withInsertID: false,
        dataset: "d1",
        finish: false,
        dayName: "{day}",
        partition: "day",
        table: "none",
        notInputs: [
          "/nowhere/o",
          "/nowhere/t.mjs",
          "/nowhere/report/report.json",
          "/nowhere/report/report.html",
          "/nowhere/report/fixes.mjs",
          "/nowhere/pipeline.schema.json",
        ],
        preset: "mixpanel",
        mapping: resolveMapping("mixpanel"),
        transformPath: "/nowhere/t.mjs",
        inputFormat: "csv",
        rowBytesMax: 1e6,
        ratioMax: 5,
        damaged: "leave-out",
        csv: { delimiter: "\t", quote: "'", columns: ["x", "y"], header: false },
        fromTimeMs: Date.UTC(2026, 0, 1),
        toTimeMs: Date.UTC(2026, 1, 1),
        minTimeMs: 0,
        maxTimeMs: Date.UTC(2027, 0, 1),
        includeEvents: ["a*", "b,c"],
        excludeEvents: ["d"],
        privacy: { drop: ["user.a"], hash: ["user.b"], salt: "pepper" },
        format: "csv",
        compression: "snappy",
        csvSafe: true,
        compact: "always",
        dayZone: "Europe/Berlin",
        partBytes: 2 * 1024 ** 2,
        splitBytes: 64 * 1024 ** 2,
        keptKeysDirectory: "/nowhere/report/keys",
        s3: { checksums: "required" },
        unsafeLock: false,
        threads: 2,
        memoryBytes: 1024 ** 3,
        maxRejects: { share: 0.05 },
        fresh: true,
      },
    ]);
  });

  test("reads options without a flag from the configuration file of the current directory", async () => {
    const given: ExportOptions[] = [];
    const { context } = fakeContext(
      {
        export: async (options) => {
          given.push(options);
          return exampleResult;
        },
      },
      { currentDirectory: directory, environment: { SWITCHYARD_LAYOUT: "e/{day}" } },
    );
    await runCommandLine(["export", "--threads", "5"], context);
    const outputDirectory = join(directory, "out");
    expect(given[0]).toMatchObject({ inputs: ["in"], outputDirectory, threads: 5, dataset: "e" });
  });

  test("prints the summary on standard output and nothing on standard error", async () => {
    const { context, stdout, stderr } = fakeContext();
    await runCommandLine(["export", "a", "--to", "o"], context);
    expect(stdout.join("")).toMatch(/^Exported 1,000 events/);
    expect(stderr).toEqual([]);
  });

  test.each([
    ["in colour", {}, []],
    ["plainly with NO_COLOR, also beside FORCE_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, []],
    ["plainly with FORCE_COLOR=0", { FORCE_COLOR: "0" }, []],
    ["plainly with NO_COLOR", { NO_COLOR: "1" }, []],
    ["plainly on a terminal that has no colour", { TERM: "dumb" }, []],
    ["plainly with --no-color", {}, ["--no-color"]],
  ] as const)("prints on a terminal %s", async (form, environment, words) => {
    const text: string[] = [];
    const stdout = { write: (part: string) => text.push(part), isTTY: true };
    const { context } = fakeContext({}, { environment, stdout });
    await runCommandLine(["export", "a", "--to", "o", ...words], context);
    expect(text.join("").includes("\u001b[")).toBe(form === "in colour");
  });

  test("prints one JSON object with --json", async () => {
    const { context, stdout } = fakeContext();
    await runCommandLine(["export", "a", "--to", "o", "--json"], context);
    expect(stdout.join("").split("\n")).toHaveLength(2);
    expect(JSON.parse(stdout.join(""))).toMatchObject({
      command: "export",
      exitCode: 0,
      outcome: "done",
      manifestPath: "/data/out/manifest.json",
      rows: { delivered: 1_000, rejected: 3 },
    });
  });

  test("prints nothing with --quiet", async () => {
    const { context, stdout, stderr } = fakeContext();
    await runCommandLine(["export", "a", "--to", "o", "--quiet"], context);
    expect([...stdout, ...stderr]).toEqual([]);
  });
  test.each([
    [1, { outcome: "failed", tooManyRejects: true }],
    [3, { tooManyRejects: true }],
    [130, { outcome: "interrupted" }],
  ] as const)("ends with exit code %d for %o", async (exitCode, result) => {
    const { context } = fakeContext({ export: async () => ({ ...exampleResult, ...result }) });
    expect(await runCommandLine(["export", "a", "--to", "o"], context)).toBe(exitCode);
  });

  test.each([[], ["--quiet"]])("says why the exit code is 3 (%s)", async (...words) => {
    const { context, stderr } = fakeContext({
      export: async () => ({ ...exampleResult, tooManyRejects: true }),
    });
    await runCommandLine(["export", "a", "--to", "o", ...words], context);
    expect(stderr.join("")).toContain("More rows were rejected than --max-rejects allows.");
  });

  test("prints an error of the engine with its code, and as JSON where that is asked for", async () => {
    const runExport = async () => {
      throw new SwitchyardError("disk_full", "No space left in /data.");
    };
    const { context, stdout, stderr } = fakeContext({ export: runExport });
    expect(await runCommandLine(["export", "a", "--to", "o", "--json"], context)).toBe(1);
    expect(stderr.join("")).toBe("error: No space left in /data. [disk_full]\n");
    const error = { code: "disk_full", message: "No space left in /data." };
    expect(JSON.parse(stdout.join(""))).toEqual({ command: "export", exitCode: 1, error });
  });

  test("a wrong value ends with exit code 2 and one JSON object", async () => {
    const { context, stdout, stderr } = fakeContext();
    const words = ["export", "a", "--to", "o", "--threads", "0", "--json"];
    expect(await runCommandLine(words, context)).toBe(2);
    expect(stderr.join("")).toBe(
      "error: The configuration is not valid: --threads: must be at least 1 (got 0) [configuration_invalid]\n",
    );
    expect(JSON.parse(stdout.join(""))).toMatchObject({ exitCode: 2 });
  });
});

describe("verify", () => {
  test("takes the directory of the command line, else that of the configuration", async () => {
    const directories: string[] = [];
    const runs: Partial<Runs> = {
      verify: async (given, context) => {
        directories.push(given.directory);
        return different(given, context);
      },
    };
    const { context } = fakeContext(runs, { currentDirectory: directory });
    await runCommandLine(["verify", "elsewhere"], context);
    await runCommandLine(["verify"], context);
    expect(directories).toEqual([join(directory, "elsewhere"), join(directory, "out")]);
  });

  test("a difference is named, and ends with exit code 1", async () => {
    const { context, stdout } = fakeContext({ verify: different });
    expect(await runCommandLine(["verify", "out"], context)).toBe(1);
    expect(stdout.join("")).toContain("  events/x.csv: rows: found 1\n");
  });

  test("a signal ends it with exit code 130", async () => {
    const { context, controller } = fakeContext({
      verify: async (_, { signal }) => {
        controller.abort();
        signal.throwIfAborted();
        return different({ directory: "", s3: {} }, { signal, observer: {} });
      },
    });
    expect(await runCommandLine(["verify", "out"], context)).toBe(130);
  });
});

test("verify without a directory says how to name one", async () => {
  const { context, stderr } = fakeContext({}, { currentDirectory: "/nowhere" });
  expect(await runCommandLine(["verify"], context)).toBe(2);
  expect(stderr.join("")).toContain("There is no export to verify; pass its directory");
});

describe("migrate", () => {
  test("runs the steps in order and prints one JSON object", async () => {
    await mkdir(join(directory, "_switchyard"), { recursive: true });
    const manifestPath = join(directory, "manifest.json");
    const runExport = async () => ({ ...exampleResult, manifestPath });
    const { context, stdout } = fakeContext({ export: runExport }, { currentDirectory: directory });
    expect(await runCommandLine(["migrate", "--json"], context)).toBe(0);
    expect(JSON.parse(stdout.join(""))).toMatchObject({
      command: "migrate",
      exitCode: 0,
      notRun: [],
      steps: [{ command: "export" }, { command: "verify", outcome: "verified" }],
    });
  });

  test("stops at the first step that does not end well and says what was not run", async () => {
    const runExport = async () => ({ ...exampleResult, tooManyRejects: true });
    const { context, stdout, stderr } = fakeContext(
      { export: runExport },
      { currentDirectory: directory },
    );
    expect(await runCommandLine(["migrate"], context)).toBe(3);
    const text = [...stdout, ...stderr].join("");
    expect(text).toContain("  not run   verify\n");
    expect(text).toContain("More rows were rejected than --max-rejects allows.");
    expect(text).not.toContain("Run the same command again");
  });

  test("an error in a step keeps the summary of those before it", async () => {
    const verifyExport = async () => {
      throw new UsageError("manifest_missing", "There is no manifest.");
    };
    const { context, stdout, stderr } = fakeContext(
      { verify: verifyExport },
      { currentDirectory: directory },
    );
    expect(await runCommandLine(["migrate"], context)).toBe(2);
    expect(stdout.join("")).toMatch(/^Exported /);
    expect(stderr.join("")).toMatch(/^error: There is no manifest/);
    expect(stdout.join("")).not.toContain("Run the same command again");
  });

  test("a failed step can be run again", async () => {
    const verifyExport = async () => {
      throw new SwitchyardError("manifest_missing", "There is no manifest.");
    };
    const { context, stdout } = fakeContext(
      { verify: verifyExport },
      { currentDirectory: directory },
    );
    expect(await runCommandLine(["migrate"], context)).toBe(1);
    expect(stdout.join("")).toContain("Run the same command again");
  });
});

describe("usage", () => {
  test("version and help go to standard output", async () => {
    const { context, stdout } = fakeContext();
    expect(await runCommandLine(["--version"], context)).toBe(0);
    expect(stdout.join("")).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await runCommandLine(["export", "--help"], context)).toBe(0);
    expect(stdout.join("")).toContain("$ switchyard export export.zip --to out");
  });

  test.each([
    [["export", "hdfs://node/*.gz", "--to", "o"], "inputs: hdfs:// is not supported"],
    [["validate", "a", "--report", "s3://bucket"], "only inputs and the output of an export"],
    [["export", "a", "--to", "https://example.com"], "`send` takes the address of a service"],
    [["validate", "a", "--report", "file:///r"], "--report: file:// is not supported"],
  ])("%j names an address that is not supported", async (words, message) => {
    const { context, stderr } = fakeContext();
    expect(await runCommandLine(words, context)).toBe(2);
    expect(stderr.join("")).toContain(message);
  });

  test.each(["a:b", "C:/out", "C://out", "./s3:/out", "a://b".slice(1)])(
    "%j is a path",
    async (name) => {
      const { context } = fakeContext();
      expect(await runCommandLine(["export", name, "--to", name], context)).toBe(0);
    },
  );

  test("an unknown variable is reported, with the one that is meant", async () => {
    const { context, stderr } = fakeContext({}, { environment: { SWITCHYARD_THREDS: "2" } });
    expect(await runCommandLine(["export", "a", "--to", "o"], context)).toBe(0);
    expect(stderr.join("")).toBe(
      "unknown environment variable SWITCHYARD_THREDS, ignored; did you mean SWITCHYARD_THREADS?\n",
    );
  });

  test("the variables of keys are known", async () => {
    const names = ["SWITCHYARD_CONSOLE_KEY", "SWITCHYARD_SERVER_SECRET", "SWITCHYARD_CLIENT_KEY"];
    const environment = Object.fromEntries(names.map((name) => [name, ""]));
    const { context, stderr } = fakeContext({}, { environment });
    expect(await runCommandLine(["export", "a", "--to", "o"], context)).toBe(0);
    expect(stderr.join("")).toBe("");
  });

  test.each(["--csv-null NULL", "--csv-delimiter=;", "--no-csv-header"])(
    "%s is unknown, and the option that replaces it is named",
    async (words) => {
      const { context, stderr } = fakeContext();
      expect(await runCommandLine(["export", "a", ...words.split(" ")], context)).toBe(2);
      expect(stderr.join("")).toMatch(
        /^error: unknown option '--[a-z-]+[^']*' \(Did you mean --csv-dialect\?\); --help lists/,
      );
    },
  );

  test("the variable of a replaced option is reported, with the one that replaces it", async () => {
    const { context, stderr } = fakeContext({}, { environment: { SWITCHYARD_CSV_NULL: "x" } });
    expect(await runCommandLine(["export", "a", "--to", "o"], context)).toBe(0);
    expect(stderr.join("")).toBe(
      "unknown environment variable SWITCHYARD_CSV_NULL, ignored; did you mean SWITCHYARD_CSV_DIALECT?\n",
    );
  });

  test("a command line that cannot be parsed prints one JSON object with --json", async () => {
    const { context, stdout } = fakeContext();
    expect(await runCommandLine(["export", "--nonsense", "--json"], context)).toBe(2);
    expect(JSON.parse(stdout.join(""))).toMatchObject({
      command: "export",
      exitCode: 2,
      error: { code: "command_line_invalid" },
    });
  });

  test.each([
    [["help", "exprot"], "did you mean export?"],
    [["exprot", "--help"], "did you mean export?"],
    [["help", "keys", "creat"], "did you mean create?"],
    [["exprot"], "did you mean export?"],
    [["export", "--thread", "2"], "did you mean --threads?"],
    [["keys", "create", "--kind", "consol"], "did you mean console?"],
    [["load-sql", "bigqery", "out"], "did you mean bigquery?"],
    [["migrate", "input"], "too many arguments"],
    [["export", "--threads"], "argument missing"],
    [[], "usage: switchyard"],
  ])("%j ends with exit code 2 and a hint", async (words, hint) => {
    const { context, stderr } = fakeContext();
    expect(await runCommandLine(words, context)).toBe(2);
    expect(stderr.join("").toLowerCase()).toContain(hint);
  });
});
