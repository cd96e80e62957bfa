import type { Clock } from "../base/clock.js";
import type { Runs } from "../engine/runs.js";
import type { Environment } from "../options/secrets.js";
import type { ProgressStream } from "../report/progress.js";

/** A stream that takes bytes too. `done` is called when they are written, or with the error. */
export interface ByteStream extends ProgressStream {
  write(content: string | Uint8Array, done?: (error?: Error | null) => void): unknown;
}

/** The dependencies of a command. */
export interface CommandContext {
  readonly environment: Environment;
  readonly currentDirectory: string;
  /** The command that starts the program, shown in commands to type: `npx switchyard` in a clone. */
  readonly program: string;
  readonly stdout: ByteStream;
  readonly stderr: ProgressStream;
  readonly clock: Clock;
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Runs that replace those of the program. */
  readonly runs?: Partial<Runs>;
}

/** The form in which results are printed. */
export interface OutputForm {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
  /** Print one JSON object per line on standard error too. */
  readonly log: boolean;
}

type OutputFlags = Readonly<Partial<Record<"json" | "quiet" | "color", unknown>>>;

/** Returns the form that flags or a configuration ask for. */
export function outputOf({ json = false, quiet, color }: OutputFlags): OutputForm {
  return {
    json: json !== false,
    quiet: quiet === true,
    color: color !== false,
    log: json === "log",
  };
}
