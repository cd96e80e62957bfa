import { Command } from "commander";
import type { CommandContext } from "../context.js";
import { addOptions, givenFlags, sendOptions } from "./command-options.js";

const examples = `
Inputs are what \`export\` takes. The server secret comes from SWITCHYARD_SERVER_SECRET or from the file
that --server-secret-file names, never from a flag.

Examples:
  $ switchyard send export.zip --to https://events.example.com
  $ switchyard send export.zip --to https://events.example.com --rate 500 --concurrency 8
  $ switchyard send export.zip --to http://127.0.0.1:8080 --body array --batch-size 500

What the service has taken is remembered: after an interruption or a failure the same command goes on
from there, and what was under way goes out again under the same Idempotency-Key.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 more rows rejected than --max-rejects,
130 interrupted.`;

/** `words` is the command line as it was given. */
export function sendCommand(
  context: CommandContext,
  ended: (exitCode: number) => void,
  words: readonly string[],
): Command {
  const command = new Command("send")
    .description("send the events of an analytics export to an event webhook")
    .argument("[inputs...]", "what to read")
    .addHelpText("after", examples);
  return addOptions(command, sendOptions).action(
    async (inputs: readonly string[], parsed: Record<string, unknown>) => {
      const { runSteps } = await import("../steps/run-steps.js");
      const flags = {
        ...givenFlags(parsed, sendOptions),
        ...(inputs.length > 0 ? { inputs } : {}),
      };
      const configPath = parsed["config"] as string | undefined;
      ended(await runSteps({ command: "send", flags, configPath, words }, context));
    },
  );
}
