import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../../", import.meta.url));
const main = `${repository}dist/cli/main.js`;

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Gets the process as soon as it runs. */
  readonly started?: (child: ChildProcess) => void;
}

/** Runs the built command in a process of its own, without any `SWITCHYARD_…` of this one. */
export function runSwitchyard(words: readonly string[], given: Surroundings = {}): Promise<Ended> {
  return run(process.execPath, [main, ...words], given);
}

export function run(
  file: string,
  words: readonly string[],
  { cwd = repository, environment = {}, started }: Surroundings = {},
): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^switchyard_/i.test(name));
  return new Promise((resolve, reject) => {
    const child = spawn(file, words, {
      cwd,
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
      });
    }
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, ...output }));
    started?.(child);
  });
}
