import { Command } from "commander";
import type { CommandContext } from "../context.js";
import { addOptions, givenFlags, outputOptions } from "./command-options.js";

const examples = `
Reads every file again and compares bytes, SHA-256, rows, days, timestamps, totals and rejects with
manifest.json. Exit code 1 when anything differs; --json lists every difference.

Examples:
  $ switchyard verify out
  $ switchyard verify out --json | jq .differences`;

export function verifyCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const command = new Command("verify")
    .description("read an export back and prove it against its manifest")
    .argument("[dir]", "directory of the export (default: the one of the configuration)")
    .addHelpText("after", examples);
  return addOptions(command, outputOptions).action(
    async (directory: string | undefined, parsed: Record<string, unknown>) => {
      const { runSteps } = await import("../steps/run-steps.js");
      const to = directory === undefined ? {} : { to: directory };
      const configPath = parsed["config"] as string | undefined;
      const flags = { ...givenFlags(parsed), ...to };
      ended(await runSteps({ command: "verify", flags, configPath }, context));
    },
  );
}
