import { exitCodes, hasCode, UsageError } from "../base/errors.js";
import { outputError } from "../base/output-error.js";
import type { ByteStream } from "../commands/context.js";
import { runExitCode } from "../commands/run-exit-code.js";
import type { Configuration } from "../options/configuration.js";
import { resolveStreamOptions } from "../options/stream-options.js";
import { summarizeStream } from "../report/stream-summary.js";
import type { WriteBytes } from "../run/stream/stream-events.js";
import { requireFields, type StepContext, type StepReport } from "./step.js";

/** Writes the events of an export to standard output. */
export async function runStreamStep(
  configuration: Configuration,
  { runs, signal, observer, isMigration, stdout }: StepContext,
): Promise<StepReport> {
  if (isMigration) {
    throw new UsageError(
      "output_missing",
      '"-" is standard output, which only `export` writes to: migrate needs a directory in export.to.',
    );
  }
  const options = resolveStreamOptions(configuration);
  const result = await runs.stream(options, { signal, observer }, writerOf(stdout));
  const { isClosed, ...facts } = result;
  const exitCode = isClosed ? exitCodes.done : runExitCode(result);
  const report = {
    exitCode,
    summary: isClosed ? "" : summarizeStream(result),
    json: { command: "export", exitCode, ...facts },
    results: {},
  };
  return isClosed ? report : requireFields(report, configuration, result.missingFields);
}

/** Returns what writes to a stream, one piece at a time, as fast as its reader takes them. */
function writerOf(stream: ByteStream): WriteBytes {
  return (bytes) =>
    new Promise((resolve, reject) => {
      stream.write(bytes, (error) => {
        if (!error) resolve(true);
        else if (hasCode(error, "EPIPE") || hasCode(error, "ERR_STREAM_DESTROYED")) resolve(false);
        else reject(outputError("write to", "standard output", error));
      });
    });
}
