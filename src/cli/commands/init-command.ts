import { Command } from "commander";
import type { OptionName } from "../../pipeline/configuration/options.js";
import type { CommandContext } from "../context.js";
import { addOptions, givenFlags, outputOptions } from "./command-options.js";

const examples = `
Looks at all inputs and at the first rows of some of them, finds out what wrote them and how, and writes
a configuration that runs, with a comment on every choice: format and compression, preset, time zone. It
tells what it is not certain of. Where no preset fits, it proposes a mapping. What a flag says is
believed and written down. An existing file stays as it is without --force.

Examples:
  $ switchyard init export.zip
  $ switchyard init 'downloads/*.json.gz' --to days --config acme.config.json
  $ switchyard init events.txt --preset mixpanel --csv-delimiter tab

Exit codes: 0 done, 1 failed, 2 wrong usage, or nothing that a configuration could be made from,
130 interrupted.`;

/** Those of `readingOptions`, and where the export goes. */
const initOptions: readonly OptionName[] = [
  ...(["preset", "inputFormat", "csvDelimiter", "csvQuote", "csvColumns", "csvHeader"] as const),
  ...(["maxRatio", "maxTime", "to"] as const),
  ...outputOptions,
];

export function initCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const command = new Command("init")
    .description("look at inputs and write pipeline.config.json for them")
    .argument("<inputs...>", "what to look at")
    .option("--config <file>", "File to write (default: pipeline.config.json)")
    .option("--force", "Replace the file where there is one")
    .addHelpText("after", examples);
  return addOptions(command, initOptions, false).action(
    async (inputs: readonly string[], parsed: Record<string, unknown>) => {
      const { runInit } = await import("../init/run-init.js");
      const flags = { ...givenFlags(parsed, initOptions), inputs };
      const configPath = parsed["config"] as string | undefined;
      ended(await runInit({ flags, configPath, force: parsed["force"] === true }, context));
    },
  );
}
