import { Command, Option } from "commander";
import { addOptions, givenFlags, outcomeOptions } from "../commands/command-options.js";
import type { CommandContext } from "../commands/context.js";
import type { NewKeyFlags } from "../commands/service/new-key-rights.js";
import type { KeysAction } from "../commands/service/run-keys.js";
import { keyKinds } from "../storage/key-store.js";
import * as help from "./command-help.js";
import { storedData } from "./data-commands.js";

type Parsed = Readonly<Record<string, unknown>>;

/** The commands for the keys of a service. `ended` gets the exit code. */
export function keysCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const run = async (action: KeysAction, parsed: Parsed) => {
    const { runKeys } = await import("../commands/service/run-keys.js");
    const configPath = parsed["config"] as string | undefined;
    ended(await runKeys(action, { flags: givenFlags(parsed), configPath }, context));
  };
  const create = new Command("create")
    .description("create a key and print it once on standard output")
    .addOption(
      new Option(
        "--kind <kind>",
        `API that the key opens: ${keyKinds.join(", ")}; console if --scope is given`,
      ).choices(keyKinds),
    )
    .option("--name <name>", "Name of the key, which what it writes shows")
    .option("--owner <owner>", "Who answers for it: a person or a team")
    .option("--scope <scope...>", "Parts of the console API that it opens, such as gates:write")
    .option("--read-only", "Create a console key that cannot write: --scope read")
    .option("--target-app <name>", "Show the key only the entities that name this app")
    .option("--expires <when>", "Time until which it is valid: 90d, a day or a time")
    .option("--rate-limit <n>", "Requests per minute, after which it is refused with 429")
    .usage("--kind <kind> [options]")
    .addHelpText("after", help.keyCreate)
    .action((parsed: Parsed) =>
      run({ name: "create", flags: parsed as unknown as NewKeyFlags }, parsed),
    );
  const list = new Command("list")
    .description("list the keys, oldest first; the keys themselves cannot be shown again")
    .addHelpText("after", help.keyAction)
    .action((parsed: Parsed) => run({ name: "list" }, parsed));
  const revoke = new Command("revoke")
    .description("revoke a key permanently")
    .argument("<id>", "the key's id, as the list shows it")
    .addHelpText("after", help.keyAction)
    .action((id: string, parsed: Parsed) => run({ name: "revoke", id }, parsed));
  const command = new Command("keys")
    .description("create, list and revoke the keys of a service")
    .helpOption("-h, --help", "Print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", help.keys);
  for (const one of [create, list, revoke])
    command.addCommand(addOptions(one, ["data", ...outcomeOptions], { descriptions: storedData }));
  return command;
}
