import { Command } from "commander";
import type { OptionName } from "../../pipeline/configuration/options.js";
import type { CommandContext } from "../context.js";
import { addOptions, givenFlags } from "./command-options.js";

const runsOptions: readonly OptionName[] = ["runs", "json"];

export function runsCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const command = new Command("runs").description(
    "list what was sent, how far it came, and how to go on with it",
  );
  return addOptions(command, runsOptions).action(async (parsed: Record<string, unknown>) => {
    const { runRuns } = await import("../run-runs.js");
    const flags = givenFlags(parsed, runsOptions);
    ended(await runRuns({ flags, configPath: parsed["config"] as string | undefined }, context));
  });
}
