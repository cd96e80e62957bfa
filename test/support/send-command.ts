import {
  type CommandOptions,
  type CommandResult,
  runInProcess,
  runSwitchyard,
} from "./command-line.js";

/** A secret that a test can look for everywhere. */
export const testSecret = "secret-0123456789abcdefghijklmnop";

/** Result of `switchyard send --json`. */
export interface SendJson {
  readonly exitCode: number;
  readonly runId: string;
  readonly alreadyDone: boolean;
  readonly rows: { readonly read: number; readonly delivered: number; readonly rejected: number };
  readonly delivery: {
    readonly delivered: number;
    readonly rejected: number;
    readonly retried: number;
    readonly possiblyDuplicated: number;
    readonly waitedMs: number;
  };
  readonly splitsDone: number;
  readonly splitsTotal: number;
  readonly resume?: { readonly directory: string; readonly command: readonly string[] };
  readonly error?: { readonly code: string; readonly message: string };
}

export interface SendEnd extends CommandResult {
  readonly json: SendJson;
}

/**
 * Runs `switchyard send` in a directory, with the secret in the environment. It gets a process of its own
 * if the test signals it, or sets what Node reads at its start.
 */
export async function runSend(
  cwd: string,
  words: readonly string[],
  options: CommandOptions = {},
): Promise<SendEnd> {
  const isAlone =
    options.started !== undefined || options.env?.["NODE_EXTRA_CA_CERTS"] !== undefined;
  const run = isAlone ? runSwitchyard : runInProcess;
  const result = await run(["send", ...words, "--json"], {
    cwd,
    env: { SWITCHYARD_SERVER_SECRET: testSecret },
    ...options,
  });
  const json = result.stdout === "" ? undefined : JSON.parse(result.stdout);
  return { ...result, json: json as SendJson };
}
