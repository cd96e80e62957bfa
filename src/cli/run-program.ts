import { systemClock } from "../base/clock.js";
import { exitCodes } from "../base/errors.js";
import { runCommandLine } from "./program.js";
import { programName } from "./program-name.js";
import { abortOnSignals } from "./signals.js";

/** Runs the command line of this process, and sets its exit code. */
export async function runProgram(words: readonly string[]): Promise<void> {
  const { signal, release } = abortOnSignals(process, process.stderr);

  // A reader that closes the pipe early (`| head`) ends the printing, not the run, which sets the exit code.
  let lost: NodeJS.ErrnoException | undefined;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") lost ??= error;
    });
  }

  const exitCode = await runCommandLine(words, {
    environment: process.env,
    currentDirectory: process.cwd(),
    program: programName({
      script: process.argv[1] ?? "",
      currentDirectory: process.cwd(),
      environment: process.env,
    }),
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    signal,
  });
  release();
  if (lost !== undefined && exitCode === exitCodes.done)
    process.stderr.write(
      `error: the result cannot be printed (${lost.message}) [output_unwritable]\n`,
    );
  process.exitCode = lost === undefined ? exitCode : exitCode || exitCodes.failed;
}
