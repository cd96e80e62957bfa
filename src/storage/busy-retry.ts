import { setTimeout as delay } from "node:timers/promises";
import { SwitchyardError } from "../base/errors.js";
import { BUSY_ATTEMPTS_MAX, BUSY_PAUSE_MS } from "./limits.js";

export function isBusy(error: unknown): boolean {
  return error instanceof SwitchyardError && error.code === "database_busy";
}

/**
 * Does `work` again while another process has the database locked, and lets other work of this process
 * run in between: SQLite's own waiting would stop it all. Throws `database_busy` in the end.
 */
export async function retryWhileBusy<Result>(
  work: () => Result,
  pause: () => Promise<void> = () => delay(BUSY_PAUSE_MS),
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || attempt >= BUSY_ATTEMPTS_MAX) throw error;
    }
    await pause();
  }
}
