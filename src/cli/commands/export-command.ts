import { Command } from "commander";
import type { CommandContext } from "../context.js";
import { addOptions, exportOptions, givenFlags } from "./command-options.js";

const examples = `
Inputs are files, directories (searched to the bottom) and globs; hidden names and names that begin
with _ are skipped. JSON, CSV and Parquet, compressed or in a zip, are recognised by their content.

Examples:
  $ switchyard export export.zip --to out
  $ switchyard export 's3/**/*.json.gz' --to out --exclude-event 'session_*' --threads 4
  $ switchyard export events.csv --to out --format jsonl.gz --day-zone Europe/Berlin
  $ switchyard export out/rejects --to out2 --config fixed.config.json

Every option can also stand in the configuration file or in the environment: SWITCHYARD_THREADS is
--threads. A flag wins over the environment, which wins over the file. An interrupted export goes on
when the same command is run again.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 more rows rejected than --max-rejects,
130 interrupted.`;

export function exportCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const command = new Command("export")
    .description("write the events of an analytics export, one directory per day")
    .argument("[inputs...]", "what to read")
    .addHelpText("after", examples);
  return addOptions(command, exportOptions).action(
    async (inputs: readonly string[], parsed: Record<string, unknown>) => {
      const flags = { ...givenFlags(parsed), ...(inputs.length > 0 ? { inputs } : {}) };
      const { runSteps } = await import("../steps/run-steps.js");
      const configPath = parsed["config"] as string | undefined;
      ended(await runSteps({ command: "export", flags, configPath }, context));
    },
  );
}
