import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { amplitudeLines } from "../support/generated-input.js";
import { scratchDirectory } from "../support/scratch.js";

/** For two further threads that look at files, several times what they are given at once. */
const FILES = 2_560;

const scratch = scratchDirectory("many-files");
const input = join(scratch, "input");
let undisturbed: Record<string, string>;

function exportArgs(output: string, threads: number): string[] {
  return [
    ...["export", input, "--to", output, "--format", "jsonl", "--max-rejects", "1%"],
    ...["--threads", `${threads}`, "--quiet"],
  ];
}

/** When the command signals itself: files go to a thread as an array, and come back as sources. */
const moments = {
  "have been given files": `
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message) {
      if (Array.isArray(message)) signalOnce();
      postMessage.call(this, message);
    };`,
  "begin to answer": `
    process.on("worker", (worker) =>
      worker.on("message", ({ sources }) => sources !== undefined && signalOnce()));`,
} as const;

/** The environment in which a command signals itself, by a module that is loaded before its own. */
function signalling(signal: string, moment: keyof typeof moments): Record<string, string> {
  const hook = join(scratch, `${signal}.mjs`);
  const head = `
    import { Worker } from "node:worker_threads";
    let signals = 0;
    const signalOnce = () => signals++ === 0 && process.kill(process.pid, "${signal}");`;
  writeFileSync(hook, head + moments[moment]);
  return { NODE_OPTIONS: `--import=${pathToFileURL(hook)}` };
}

beforeAll(async () => {
  mkdirSync(input);
  for (let file = 0; file < FILES; file++) {
    writeFileSync(join(input, `${file}.jsonl`), amplitudeLines(file * 3, 3, 2));
  }
  const output = join(scratch, "one-thread");
  const result = await runSwitchyard(exportArgs(output, 1));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  undisturbed = digestExport(output);
});

it.each([
  { signal: "SIGINT", moment: "have been given files" },
  { signal: "SIGTERM", moment: "begin to answer" },
] as const)(
  "$signal when threads that look at files $moment ends an export, which can be taken up",
  async ({ signal, moment }) => {
    const output = join(scratch, signal);
    const env = signalling(signal, moment);
    const stopped = await runSwitchyard(exportArgs(output, 3), { env });
    expect(stopped, stopped.stderr).toMatchObject({ exitCode: 130, signal: null });
    // What it was to read was not even known.
    expect(existsSync(join(output, "_switchyard", "plan.json"))).toBe(false);

    const again = await runSwitchyard(exportArgs(output, 3));
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(digestExport(output)).toEqual(undisturbed);
  },
);

it("a link to a pipe that nobody writes to is no file", async () => {
  const directory = join(scratch, "linked");
  mkdirSync(directory);
  execFileSync("mkfifo", [join(scratch, "pipe")]);
  symlinkSync(join(scratch, "pipe"), join(directory, "link.jsonl"));
  const result = await runSwitchyard(["validate", directory, "--report", join(scratch, "report")]);
  expect(result).toMatchObject({ exitCode: 1, signal: null });
  expect(result.stderr).toContain("linked/link.jsonl: is no file.");
});
