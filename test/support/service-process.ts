import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach } from "vitest";
import { mainFile } from "./command-line.js";
import { watchOutput } from "./secret-watch.js";

/** The line that `serve --json` prints when it is ready. */
export interface ReadyFacts {
  readonly command: "serve";
  readonly url: string;
  /** Signs in once. */
  readonly signInUrl: string;
  readonly version: string;
  readonly pid: number;
  readonly dataDirectory: string;
}

/** A service in its own process. */
export interface ServiceProcess extends ReadyFacts {
  readonly child: ChildProcess;
  /** Standard error so far. */
  readonly stderr: () => string;
  /** Answers with the status and the parsed body. */
  call(path: string, key?: string, init?: RequestInit): Promise<{ status: number; json: unknown }>;
  /** Sends the signal and resolves with the exit code, or with null if the signal ended the process. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ServiceProcessOptions {
  /** Program and first words of the command. Default: this Node and the built file. */
  readonly command?: readonly [string, ...(readonly string[])];
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const running = new Set<ChildProcess>();

/** Starts the built service on `data` and a free port. It is killed after the test at the latest. */
export async function startServiceProcess(
  data: string,
  { command = [process.execPath, mainFile], words = [], env = {}, cwd }: ServiceProcessOptions = {},
): Promise<ServiceProcess> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SWITCHYARD_"));
  const [program, ...first] = command;
  const child = spawn(
    program,
    [...first, "serve", "--listen", "0", "--data", data, "--json", ...words],
    { cwd, env: { ...Object.fromEntries(inherited), ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  running.add(child);
  const ended = once(child, "close").then(([exitCode]) => exitCode as number | null);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  watchOutput("switchyard serve", () => `${stdout}\n${stderr}`);
  const ready = await Promise.race([
    firstLine(child),
    ended.then((exitCode) => {
      throw new Error(`serve ended with exit code ${exitCode}:\n${stderr}`);
    }),
  ]);
  const facts = JSON.parse(ready) as ReadyFacts;
  return {
    ...facts,
    child,
    stderr: () => stderr,
    call: async (path, key, init = {}) => {
      const headers = { ...init.headers, ...(key === undefined ? {} : { "SERVICE-API-KEY": key }) };
      const response = await fetch(`${facts.url}${path}`, { ...init, headers });
      const text = await response.text();
      return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
    },
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Kills what the test left running. */
export function killServicesAfterEach(): void {
  afterEach(() => {
    for (const child of running) child.kill("SIGKILL");
    running.clear();
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf("\n");
      if (end !== -1) resolve(text.slice(0, end));
    });
  });
}
