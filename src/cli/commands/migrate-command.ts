import { Command } from "commander";
import type { CommandContext } from "../context.js";
import { addOptions, givenFlags, migrateOptions } from "./command-options.js";

const examples = `
The configuration lists the steps, in order: "steps": ["export", "verify"], which is the default;
"validate", "send" and "qualify" are the others. With "service": "embedded" it sends to a service that
it starts itself. The first step that does not end well ends the migration. Running it again does only
what is not yet done.

Examples:
  $ switchyard migrate
  $ switchyard migrate --config acme.config.json --threads 4`;

export function migrateCommand(
  context: CommandContext,
  ended: (exitCode: number) => void,
  words: readonly string[],
): Command {
  const command = new Command("migrate")
    .description("run all steps of pipeline.config.json")
    .addHelpText("after", examples);
  return addOptions(command, migrateOptions).action(async (parsed: Record<string, unknown>) => {
    const { runSteps } = await import("../steps/run-steps.js");
    const configPath = parsed["config"] as string | undefined;
    const flags = givenFlags(parsed, migrateOptions);
    ended(await runSteps({ command: "migrate", flags, configPath, words }, context));
  });
}
