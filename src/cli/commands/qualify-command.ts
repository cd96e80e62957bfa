import { Command } from "commander";
import type { CommandContext } from "../context.js";
import { addOptions, givenFlags, qualifyOptions } from "./command-options.js";

const examples = `
Takes the event names of an export from its manifest, or reads inputs as \`export\` does, and prints what
is to be created and changed. Nothing is sent before --yes is given; running it again then changes
nothing. The key of the console comes from SWITCHYARD_CONSOLE_KEY or --console-key-file.

A directory that an export wrote to is that export, and so is its manifest.json; everything else is
input. Of inputs, events are counted and nothing is kept; the options
of \`export\` that decide which events there are apply to them alone.

Examples:
  $ switchyard qualify out --console https://console.example.com
  $ switchyard qualify out --console https://console.example.com --table analytics.events --yes
  $ switchyard qualify export.zip --console https://console.example.com --exclude-event 'debug_*'
  $ switchyard qualify out --console http://127.0.0.1:8080 --include-event 'purchase*' --dry-run

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 more rows of inputs rejected than
--max-rejects, 130 interrupted.`;

export function qualifyCommand(
  context: CommandContext,
  ended: (exitCode: number) => void,
): Command {
  const command = new Command("qualify")
    .description("create the qualifying events that match the events of an export or of inputs")
    .argument("[inputs...]", "an export, or what to read")
    .addHelpText("after", examples);
  return addOptions(command, qualifyOptions).action(
    async (inputs: readonly string[], parsed: Record<string, unknown>) => {
      const { runSteps } = await import("../steps/run-steps.js");
      const flags = {
        ...givenFlags(parsed, qualifyOptions),
        ...(inputs.length > 0 ? { inputs } : {}),
      };
      const configPath = parsed["config"] as string | undefined;
      ended(await runSteps({ command: "qualify", flags, configPath }, context));
    },
  );
}
