import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { hasCode, UsageError } from "../base/errors.js";
import { checkValue, faultLines } from "../base/schema.js";
import { closestTo } from "../base/spelling.js";
import type { Target } from "./target.js";
import { targetSchema } from "./target-schema.js";
import service from "./targets/service.json" with { type: "json" };
import statsig from "./targets/statsig.json" with { type: "json" };

/**
 * One row for each target; the file of each one is `targets/<name>.json`. A test checks them against the
 * schema.
 */
const targets = { service, statsig } as const;

export const targetNames = Object.keys(targets) as readonly (keyof typeof targets)[];

export const defaultTarget = "service" satisfies keyof typeof targets;

/**
 * Returns a target by its name, or from a JSON file of the user's (an absolute path). Throws `UsageError`
 * (`target_invalid`) if the file cannot be read or does not fit the schema.
 */
export function loadTarget(nameOrFile: string): Target {
  const known = targetNames.find((name) => name === nameOrFile);
  if (known !== undefined) return targets[known] as Target;
  const { value, faults } = checkValue(targetSchema(), readTarget(nameOrFile));
  if (faults === undefined) return value;
  throw invalid(nameOrFile, `is not a target:\n  ${faultLines(faults).join("\n  ")}`);
}

function readTarget(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const near = closestTo(basename(file), targetNames);
    const known = `the targets of Switchyard are ${targetNames.join(", ")}`;
    if (hasCode(error, "ENOENT")) {
      const advice = near === undefined ? known : `did you mean ${near}?`;
      throw invalid(file, `does not exist; ${advice}`);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(file, `cannot be read: ${reason}; ${known}`);
  }
}

function invalid(file: string, reason: string): UsageError {
  return new UsageError("target_invalid", `${file} ${reason}`);
}
