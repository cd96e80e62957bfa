import type { z } from "zod";
import { kindOf } from "./fields.js";

/** One thing that is wrong with a request. */
export interface Fault {
  /** Where, as a path with indexes: `rules[0].conditions[1].operator`; `""` is the whole body. */
  readonly property: string;
  readonly errorMessage: string;
}

/** All faults of a value that did not fit its schema, parsed with `reportInput`. */
export function faultsOf(error: z.ZodError): readonly Fault[] {
  return error.issues.map((issue) => ({
    property: propertyOf(issue.path),
    errorMessage: messageOf(issue),
  }));
}

/** `["rules", 0, "name"]` → `rules[0].name`. */
export function propertyOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    return before === "" ? String(part) : `${before}.${String(part)}`;
  }, "");
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "custom" && issue.input === undefined) return "Required";
  switch (issue.code) {
    case "invalid_type":
      return `Expected ${typeName(issue.expected)}, received ${kindOf(issue.input)}`;
    case "too_small":
      return `Must be at least ${issue.minimum} ${unitOf(issue.origin)}`;
    case "too_big":
      return `Must be at most ${issue.maximum} ${unitOf(issue.origin)}`;
    case "invalid_format":
      return `Must match ${(issue as { pattern?: string }).pattern ?? issue.format}`;
    case "invalid_value":
      return `Expected one of ${issue.values.join(", ")}`;
    default:
      return issue.message;
  }
}

function typeName(expected: string): string {
  return expected === "record" ? "object" : expected;
}

function unitOf(origin: string): string {
  return origin === "string" ? "characters" : "items";
}
