import { exitCodes } from "../base/errors.js";
import { PREVIEW_ROWS, previewRows } from "../engine/preview-rows.js";
import { resolveRunOptions } from "../options/run-options.js";
import type { CommandContext } from "./context.js";
import { previewTable } from "./preview-table.js";
import { type CommandLine, runConfigured } from "./run-configured.js";

/** Prints the first rows of inputs as they become events, and returns the exit code; never throws. */
export function runPreview(line: CommandLine, context: CommandContext): Promise<number> {
  return runConfigured("preview", line, context, async (configuration, output) => {
    const { limit = PREVIEW_ROWS, ...options } = resolveRunOptions(configuration);
    const preview = await previewRows(options, limit, context.signal);
    const exitCode = preview.failures.length > 0 ? exitCodes.failed : exitCodes.done;
    if (output.json) {
      const result = { command: "preview", exitCode, ...preview };
      context.stdout.write(`${JSON.stringify(result)}\n`);
    } else {
      const { isTTY = false, columns } = context.stdout;
      const title = options.target?.rules.title;
      context.stdout.write(`${previewTable(preview, title, isTTY ? columns : undefined)}\n`);
    }
    return exitCode;
  });
}
