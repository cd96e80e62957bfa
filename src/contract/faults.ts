import type { z } from "zod";
import { expectedKinds, isWordless, meantIssues, pathText } from "../base/schema.js";
import { FAULTS_MAX, kindOf, type RuleFault } from "./fields.js";

/** A fault of a request. */
export interface Fault {
  /** A path with indexes: `rules[0].conditions[1].operator`; `""` is the whole body. */
  readonly property: string;
  readonly errorMessage: string;
}

/** Returns the faults of a value that does not fit its schema. Parse it with `reportInput`. */
export function faultsOf(error: z.ZodError): readonly Fault[] {
  return meantIssues(error.issues).map(({ path, issue }) => ({
    property: pathText(path),
    errorMessage: messageOf(issue),
  }));
}

/** Returns the faults that rules across fields have found. */
export function bodyFaultsOf(faults: readonly RuleFault[]): readonly Fault[] {
  return faults.map(({ path, message }) => ({ property: pathText(path), errorMessage: message }));
}

/** Returns the first FAULTS_MAX faults, and a last one if there are more. */
export function toldFaults(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= FAULTS_MAX) return faults;
  return [
    ...faults.slice(0, FAULTS_MAX),
    { property: "", errorMessage: "Further faults are not listed" },
  ];
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "custom" && issue.input === undefined) return "Required";
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" && typeof issue.input === "number"
        ? "Expected integer, received float"
        : `Expected ${typeName(issue.expected)}, received ${kindOf(issue.input)}`;
    case "too_small":
      return `Must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `Must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_format":
      return `Must match ${(issue as { pattern?: string }).pattern ?? issue.format}`;
    case "invalid_value":
      return typeof issue.input === typeof issue.values[0]
        ? `Expected one of ${issue.values.join(", ")}`
        : `Expected ${typeof issue.values[0]}, received ${kindOf(issue.input)}`;
    case "invalid_union":
      return isWordless(issue) ? kindsFault(issue) : issue.message;
    default:
      return issue.message;
  }
}

function kindsFault(issue: z.core.$ZodIssue): string {
  const kinds = expectedKinds(issue).map(typeName);
  return `Expected ${[...new Set(kinds)].join(" or ")}, received ${kindOf(issue.input)}`;
}

function typeName(expected: string): string {
  if (expected === "int") return "integer";
  return expected === "record" ? "object" : expected;
}

function unitOf(origin: string): string {
  if (origin === "number" || origin === "int") return "";
  return origin === "string" ? " characters" : " items";
}
