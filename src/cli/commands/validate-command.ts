import { Command } from "commander";
import type { CommandContext } from "../context.js";
import { addOptions, givenFlags, validateOptions } from "./command-options.js";

const examples = `
Reads inputs as \`export\` does, sends and exports nothing, and writes what it found out to
report/report.html, for people, and report/report.json: rows and what becomes of them, days and hours,
events with their properties, ids, times, sizes, samples of source rows beside the events that they
become, and findings with the line of the configuration that mends each. --apply writes the safe ones
of these lines into the configuration.

Examples:
  $ switchyard validate export.zip
  $ switchyard validate 's3/**/*.json.gz' --sample 1% --report first-look
  $ switchyard validate export.zip --apply
  $ switchyard validate export.zip --json | jq .findings

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 more rows rejected than --max-rejects,
130 interrupted.`;

export function validateCommand(
  context: CommandContext,
  ended: (exitCode: number) => void,
): Command {
  const command = new Command("validate")
    .description("find out what an export would do, and write a report")
    .argument("[inputs...]", "what to read")
    .addHelpText("after", examples);
  return addOptions(command, validateOptions).action(
    async (inputs: readonly string[], parsed: Record<string, unknown>) => {
      const flags = {
        ...givenFlags(parsed, validateOptions),
        ...(inputs.length > 0 ? { inputs } : {}),
      };
      const { runSteps } = await import("../steps/run-steps.js");
      const configPath = parsed["config"] as string | undefined;
      ended(await runSteps({ command: "validate", flags, configPath }, context));
    },
  );
}
