// Gives server and sender a processor each. On a busy machine both may land on one otherwise, and the
// benchmark would measure the scheduler.
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";

/** Makes processes that are started from now on run on this processor. False if that is not possible. */
export function useProcessor(number) {
  if (cpus().length < 2) return false;
  try {
    execFileSync("taskset", ["-cp", `${number}`, `${process.pid}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
