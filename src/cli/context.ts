import type { Clock } from "../base/clock.js";
import type { Engine } from "../engine/engine.js";
import type { Environment } from "../pipeline/configuration/secrets.js";
import type { ProgressStream } from "../report/progress.js";

/** Everything that a command needs from outside. */
export interface CommandContext {
  readonly environment: Environment;
  readonly currentDirectory: string;
  /** The command that starts the program, shown in commands to type: `npx switchyard` in a clone. */
  readonly program: string;
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: ProgressStream;
  readonly clock: Clock;
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Loaded when a command first needs it: help and version need none of it. */
  loadEngine(): Promise<Engine>;
}
