import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { relative } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/base/clock.js";
import { runCommandLine } from "../../src/cli/program.js";
import { watchOutput } from "./secret-watch.js";

export const mainFile = fileURLToPath(new URL("../../dist/switchyard.js", import.meta.url));

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called when the process has started, to signal it or to watch it. */
  readonly started?: (child: ChildProcess) => void;
}

export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<ChildProcess>();

/** Ends the processes of tests that reached their time limit. */
export function endProcesses(): void {
  for (const child of running) child.kill("SIGKILL");
}

/**
 * Runs the command line of src/ in this process, which saves the start of another one. Its worker threads
 * run the built files.
 */
export async function runInProcess(
  args: readonly string[],
  {
    cwd = process.cwd(),
    env = {},
    signal = new AbortController().signal,
  }: Pick<CommandOptions, "cwd" | "env"> & { readonly signal?: AbortSignal } = {},
): Promise<CommandResult> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const exitCode = await runCommandLine(args, {
    environment: env,
    currentDirectory: cwd,
    program: "switchyard",
    stdout: {
      write(content, done) {
        stdout.push(Buffer.from(content).toString());
        done?.();
      },
    },
    stderr: { write: (text) => stderr.push(text) },
    clock: systemClock,
    signal,
  });
  const texts = { stdout: stdout.join(""), stderr: stderr.join("") };
  watchOutput(`switchyard ${args.join(" ")}`, () => texts.stdout + texts.stderr);
  return { exitCode, signal: null, ...texts };
}

/** npm tells programs how they were called, which is how these tests were. */
function isOfCaller(name: string): boolean {
  return name.startsWith("SWITCHYARD_") || name === "npm_command";
}

/** Returns the environment of these tests without what is meant for them and not for the program. */
export function programEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfCaller(name)));
}

/** Returns how messages of `runSwitchyard` call the program in a directory. */
export function programIn(directory: string): string {
  return `node ${relative(directory, mainFile)}`;
}

/** Runs the built `switchyard` in its own process, without options from this environment. */
export async function runSwitchyard(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [mainFile, ...args], {
    cwd: options.cwd,
    env: { ...programEnvironment(), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return collectOutput(child, args, options.started);
}

/** Resolves when the process has ended. Its output is watched for keys, and it is ended with the tests. */
export async function collectOutput(
  child: ChildProcessByStdio<null, Readable, Readable>,
  args: readonly string[],
  started?: CommandOptions["started"],
): Promise<CommandResult> {
  running.add(child);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const ended = new Promise<Pick<CommandResult, "exitCode" | "signal">>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  started?.(child);
  const end = await ended.finally(() => running.delete(child));
  const texts = {
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  };
  const where = `switchyard ${args.join(" ")}`;
  const showsKey = args[0] === "keys" && args[1] === "create";
  watchOutput(where, () => (showsKey ? texts.stderr : texts.stdout + texts.stderr));
  return { ...end, ...texts };
}
