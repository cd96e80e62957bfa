import { factsOf } from "../report/error-text.js";

/** `failed`: the run would fail. `warning`: it may fail, or the check cannot tell. */
type CheckState = "ok" | "warning" | "failed";

/** The result of one check. */
export interface Check {
  readonly name: string;
  readonly state: CheckState;
  /** The finding and, unless all is well, the remedy. */
  readonly message: string;
  /** The code of the error that the run would end with. */
  readonly code?: string;
}

export function ok(name: string, message: string): Check {
  return { name, state: "ok", message };
}

export function warning(name: string, message: string): Check {
  return { name, state: "warning", message };
}

export function failed(name: string, error: unknown): Check {
  return { name, state: "failed", ...factsOf(error) };
}

/** A check that is started with all others. */
export interface PlannedCheck {
  readonly name: string;
  run(): Promise<readonly Check[]>;
}

/** Runs a check; an error is its failure. */
export async function runCheck({ name, run }: PlannedCheck): Promise<readonly Check[]> {
  try {
    return await run();
  } catch (error) {
    return [failed(name, error)];
  }
}
