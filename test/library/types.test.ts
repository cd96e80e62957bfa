import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { longTest } from "../support/long-test.js";
import { isCi, someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const project = scratchDirectory("library-types");
const run = promisify(execFile);

mkdirSync(join(project, "node_modules"));
symlinkSync(repository, join(project, "node_modules/switchyard"));

const program = `
import { exportEvents, readEvents, sendEvents, UsageError, validateExport, verifyExport } from "switchyard";
import type { StoreOptions } from "switchyard";
const store: StoreOptions = { s3Endpoint: "http://127.0.0.1:9000", s3Region: "eu-1" };
const options = { inputs: process.argv[2]!, timeLimits: "..2027-01-01", threads: 1, signal: undefined };
const { manifest, outcome } = await exportEvents({ ...options, to: "out", format: "arrow" });
const { differences } = await verifyExport("out", { ...store, read: true, onProgress: ({ rows }) => void rows.toFixed() });
const { report } = await validateExport({ ...options, acceptFindings: [], rate: 500 });
const names = new Set<string>();
for await (const batch of readEvents(options.inputs, { timeLimits: options.timeLimits })) {
  for (const name of batch.getChild("event")!) names.add(name!);
}
const refused = await sendEvents({ ...options, to: "no url", serverSecret: "s" }).catch((error: unknown) =>
  error instanceof UsageError ? error.code : "",
);
const findings: readonly { severity: string }[] = report.findings;
console.log(JSON.stringify([outcome, manifest.totals.rows, differences, names.size, findings.length, refused]));
`;
writeFileSync(join(project, "program.mts"), program);

/** Measures the work of the compiler for a program that imports the library. */
const INSTANTIATIONS_MAX = 200_000;

const tsc = join(repository, "node_modules/typescript/bin/tsc");
/** The declarations themselves are checked in CI. */
const skips = isCi ? [] : ["--skipLibCheck"];
const types = [...skips, "--types", "node", "--typeRoots", join(repository, "node_modules/@types")];

const compilations = [
  ["nodenext", ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"]],
  ["bundler", []],
] as const;

test.each(someOf(compilations, 2))(
  "a program compiles with %s %j",
  async (moduleResolution, flags) => {
    const module = moduleResolution === "bundler" ? "esnext" : "nodenext";
    const words = ["program.mts", "--target", "es2022", "--module", module, ...types, ...flags];
    const { stdout } = await run(
      process.execPath,
      [
        tsc,
        ...words,
        "--moduleResolution",
        moduleResolution,
        "--outDir",
        "built",
        "--extendedDiagnostics",
      ],
      { cwd: project },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).not.toContain("error TS");
    const instantiations = Number(/^Instantiations:\s+(\d+)$/m.exec(stdout)?.[1]);
    expect(instantiations).toBeLessThan(INSTANTIATIONS_MAX);
  },
);

test("editors show what each option does, and its default", () => {
  const path = join(repository, "dist/types/library/library-options.d.ts");
  const lines = readFileSync(path, "utf8").split("\n");
  const options = lines.flatMap((line, index) => {
    const [, name] = /^(\w+)\??: /.exec(line) ?? [];
    return name === undefined ? [] : [{ name, isDescribed: lines[index - 1] === " */" }];
  });
  expect(options.length).toBeGreaterThan(100);
  expect(options.filter(({ isDescribed }) => !isDescribed)).toEqual([]);
  expect(lines).toContain(" * Size of a file at which the next one begins. Default: 128MiB.");
});

longTest("a compiled program runs against the built package", async () => {
  const built = join(project, "built/program.mjs");
  const sample = join(repository, "fixtures/sample");
  const { stdout, stderr } = await run(process.execPath, [built, sample], { cwd: project });
  expect(stderr).toBe("");
  const [outcome, rows, differences, names, , refused] = JSON.parse(stdout) as unknown[];
  expect({ outcome, rows, differences, refused }).toEqual({
    outcome: "done",
    rows: 4250,
    differences: [],
    refused: "configuration_invalid",
  });
  expect(names).toBeGreaterThan(3);
});
