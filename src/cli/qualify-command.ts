import { Command } from "commander";
import { addOptions, givenFlags, qualifyOptions } from "./command-options.js";
import type { CommandContext } from "./context.js";

const examples = `
Reads the event names of an export from its manifest and prints what is to be created and changed.
Nothing is sent before --yes is given; running it again then changes nothing. The key of the console
comes from SWITCHYARD_CONSOLE_KEY or --console-key-file.

Inputs are not read: run switchyard export first.

Examples:
  $ switchyard qualify out --console https://console.example.com
  $ switchyard qualify out --console https://console.example.com --table analytics.events --yes
  $ switchyard qualify out --console http://127.0.0.1:8080 --include-event 'purchase*' --dry-run`;

export function qualifyCommand(
  context: CommandContext,
  ended: (exitCode: number) => void,
): Command {
  const command = new Command("qualify")
    .description("create the qualifying events that match an export's event names")
    .argument("[export]", "the same as --from")
    .addHelpText("after", examples);
  return addOptions(command, qualifyOptions).action(
    async (from: string | undefined, parsed: Record<string, unknown>) => {
      const { runSteps } = await import("./run-steps.js");
      const flags = {
        ...(from === undefined ? {} : { from }),
        ...givenFlags(parsed, qualifyOptions),
      };
      const configPath = parsed["config"] as string | undefined;
      ended(await runSteps({ command: "qualify", flags, configPath }, context));
    },
  );
}
