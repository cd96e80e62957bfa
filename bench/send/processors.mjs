// Gives server and sender a processor each: where other work keeps a machine busy, both land on one of
// them otherwise, and what is measured is the scheduler.
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";

/** Processes that are started from now on run on this processor. False where that cannot be had. */
export function useProcessor(number) {
  if (cpus().length < 2) return false;
  try {
    execFileSync("taskset", ["-cp", `${number}`, `${process.pid}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
