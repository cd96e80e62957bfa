import { Command, Option } from "commander";
import { type KeyKind, keyKinds } from "../../storage/key-store.js";
import type { CommandContext } from "../context.js";
import type { KeysAction } from "../service/run-keys.js";
import { addOptions, givenFlags } from "./command-options.js";

const examples = `
Works on the data directory itself, also while a service runs on it: what is created or revoked holds
from the next request on. Console keys open the console API, server secrets the event route.

Examples:
  $ switchyard keys create --kind console
  $ switchyard keys create --kind console --read-only --data /var/lib/switchyard
  $ switchyard keys list
  $ switchyard keys revoke key_3q2-7wQyKp0`;

export function keysCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const run = async (action: KeysAction, parsed: Record<string, unknown>) => {
    const { runKeys } = await import("../service/run-keys.js");
    const configPath = parsed["config"] as string | undefined;
    ended(await runKeys(action, { flags: givenFlags(parsed), configPath }, context));
  };
  const create = new Command("create")
    .description("make a key and print it, once, on standard output")
    .addOption(
      new Option("--kind <kind>", "what the key opens").choices(keyKinds).makeOptionMandatory(),
    )
    .option("--read-only", "a console key that may read, and not write")
    .action((parsed: Record<string, unknown>) => {
      const kind = parsed["kind"] as KeyKind;
      return run({ name: "create", kind, canWrite: parsed["readOnly"] !== true }, parsed);
    });
  const list = new Command("list")
    .description("list the keys, oldest first; a key itself cannot be had again")
    .action((parsed: Record<string, unknown>) => run({ name: "list" }, parsed));
  const revoke = new Command("revoke")
    .description("end a key for good")
    .argument("<id>", "the key's id, as the list shows it")
    .action((id: string, parsed: Record<string, unknown>) => run({ name: "revoke", id }, parsed));
  const command = new Command("keys")
    .description("create, list and revoke the keys of a service")
    .addHelpText("after", examples);
  for (const one of [create, list, revoke]) command.addCommand(addOptions(one, ["data", "json"]));
  return command;
}
