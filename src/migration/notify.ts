import { setTimeout as sleep } from "node:timers/promises";
import type { CommandContext, OutputForm } from "../commands/context.js";
import { logLine } from "../report/progress.js";
import { jsonOf } from "./print-outcome.js";
import type { CommandOutcome } from "./step.js";

const TIMEOUT_MS = 10_000;
/** Pauses before further attempts. */
const PAUSES_MS = [1_000, 5_000];

/**
 * POSTs the result of a command as JSON. Prints a failure on standard error without the address,
 * which may be a secret. A failure does not change the exit code, because the run is over.
 */
export async function notify(
  address: string,
  outcome: CommandOutcome,
  output: OutputForm,
  { stderr }: CommandContext,
): Promise<void> {
  const body = JSON.stringify(jsonOf(outcome));
  let reason = await post(address, body);
  for (const pauseMs of PAUSES_MS) {
    if (reason === undefined) return;
    await sleep(pauseMs);
    reason = await post(address, body);
  }
  if (reason === undefined) return;
  const message = `the result could not be posted to ${new URL(address).origin}: ${reason}`;
  stderr.write(
    output.log ? logLine("warn", "notify_failed", { message }) : `warning: ${message}\n`,
  );
}

/** Returns why the address did not accept the result; undefined if it did. */
async function post(address: string, body: string): Promise<string | undefined> {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `it answered ${response.status}`;
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
    return cause instanceof Error ? cause.message : message;
  }
}
