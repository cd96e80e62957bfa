import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { amplitudeLines } from "../support/generated-input.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

/** Many more files than are inspected between two turns of the event loop. */
const FILES = 2_560;

const scratch = scratchDirectory("many-files");
const input = join(scratch, "input");
let undisturbed: Record<string, string>;

function exportArgs(output: string, threads: number): string[] {
  return [
    "export",
    input,
    "--to",
    output,
    "--format",
    "jsonl",
    "--max-rejects",
    "1%",
    "--threads",
    `${threads}`,
    "--quiet",
  ];
}

/** Returns an environment in which a command signals itself when it opens input number `opened`. */
function signalling(signal: string, opened: number): Record<string, string> {
  const hook = join(scratch, `${signal}.mjs`);
  writeFileSync(
    hook,
    `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { openSync } = fs;
    let opened = 0;
    fs.openSync = (path, ...rest) => {
      if (String(path).startsWith(${JSON.stringify(input)}) && ++opened === ${opened}) {
        process.kill(process.pid, "${signal}");
      }
      return openSync(path, ...rest);
    };
    syncBuiltinESMExports();`,
  );
  return { NODE_OPTIONS: `--import=${pathToFileURL(hook)}` };
}

beforeAll(async () => {
  mkdirSync(input);
  for (let file = 0; file < FILES; file++) {
    writeFileSync(join(input, `${file}.jsonl`), amplitudeLines(file * 3, 3, 2));
  }
  const output = join(scratch, "one-thread");
  const result = await runInProcess(exportArgs(output, 1));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  undisturbed = digestExport(output);
});

const moments = [
  { signal: "SIGINT", opened: 1 },
  { signal: "SIGTERM", opened: 500 },
] as const;

it.each(someOf(moments, 2))(
  "$signal at input $opened, while inputs are inspected, ends an export that can be resumed",
  async ({ signal, opened }) => {
    const output = join(scratch, signal);
    const env = signalling(signal, opened);
    const stopped = await runSwitchyard(exportArgs(output, 3), { env });
    expect(stopped, stopped.stderr).toMatchObject({ exitCode: 130, signal: null });
    // There is no plan yet.
    expect(existsSync(join(output, "_switchyard", "plan.json"))).toBe(false);

    const again = await runInProcess(exportArgs(output, 3));
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(digestExport(output)).toEqual(undisturbed);
  },
);

it("a link to a pipe without a writer is not a regular file", async () => {
  const directory = join(scratch, "linked");
  mkdirSync(directory);
  execFileSync("mkfifo", [join(scratch, "pipe")]);
  symlinkSync(join(scratch, "pipe"), join(directory, "link.jsonl"));
  const result = await runInProcess(["validate", directory, "--report", join(scratch, "report")]);
  expect(result).toMatchObject({ exitCode: 1, signal: null });
  expect(result.stderr).toContain("linked/link.jsonl: not a regular file.");
});
