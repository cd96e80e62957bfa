import { Command } from "commander";
import type { CommandContext } from "../context.js";
import { addOptions, givenFlags, serveOptions } from "./command-options.js";

const examples = `
Serves the console API and the event route from one directory, with nothing else installed. The first
start on an empty directory makes a console key and a server secret and prints them once. Keys of your
own come from the environment instead: SWITCHYARD_CONSOLE_KEY=console-… and
SWITCHYARD_SERVER_SECRET=secret-…, with at least 16 characters behind the prefix.

/docs is the API to read, /openapi.json the same for programs; /healthz, /readyz and /metrics are for
those who watch. SIGINT or SIGTERM finishes what was accepted, a second one quits at once.

Examples:
  $ switchyard serve
  $ switchyard serve --port 0 --data /var/lib/switchyard --json
  $ switchyard serve --data :memory:
  $ SWITCHYARD_HOST=0.0.0.0 switchyard serve --log-level warn

Exit codes: 0 stopped, 1 failed, 2 wrong usage or configuration.`;

export function serveCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const command = new Command("serve")
    .description("serve the console API and the event route")
    .addHelpText("after", examples);
  return addOptions(command, [...serveOptions, "json"]).action(
    async (parsed: Record<string, unknown>) => {
      const { runServe } = await import("../service/run-serve.js");
      const configPath = parsed["config"] as string | undefined;
      ended(await runServe({ flags: givenFlags(parsed), configPath }, context));
    },
  );
}
