import type { z } from "zod";
import { FAULTS_MAX } from "./bounded-list.js";
import { kindOf } from "./fields.js";

/** What zod says of a union for which the schema has no words. */
const WORDLESS = "Invalid input";

/** One thing that is wrong with a request. */
export interface Fault {
  /** Where, as a path with indexes: `rules[0].conditions[1].operator`; `""` is the whole body. */
  readonly property: string;
  readonly errorMessage: string;
}

/** The faults of a value that did not fit its schema, parsed with `reportInput`. */
export function faultsOf(error: z.ZodError): readonly Fault[] {
  return faultsUnder([], error.issues);
}

/** What is told of faults: beyond FAULTS_MAX, a last one says that there are more. */
export function toldFaults(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= FAULTS_MAX) return faults;
  return [...faults.slice(0, FAULTS_MAX), { property: "", errorMessage: "More faults not told" }];
}

function faultsUnder(
  path: readonly PropertyKey[],
  issues: readonly z.core.$ZodIssue[],
): readonly Fault[] {
  return issues.filter(isToldIn(issues)).flatMap((issue) => {
    const issuePath = [...path, ...issue.path];
    const branch = meantBranch(issue);
    if (branch !== undefined) return faultsUnder(issuePath, branch);
    return [{ property: propertyOf(issuePath), errorMessage: messageOf(issue) }];
  });
}

/** The length of a list says nothing where a text is meant, nor the other way round. */
function isToldIn(issues: readonly z.core.$ZodIssue[]): (issue: z.core.$ZodIssue) => boolean {
  const mistyped = new Set(
    issues.filter(({ code }) => code === "invalid_type").map(({ path }) => propertyOf(path)),
  );
  return ({ code, path }) =>
    (code !== "too_small" && code !== "too_big") || !mistyped.has(propertyOf(path));
}

/**
 * Of a union that has no words of its own: what is wrong with the one branch that takes values of
 * this kind, such as arrays. undefined where no branch does.
 */
function meantBranch(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] | undefined {
  if (issue.code !== "invalid_union" || issue.message !== WORDLESS) return undefined;
  return issue.errors.find((branch) => branch.length > 0 && !branch.some(isWrongKind));
}

function isWrongKind(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" && issue.path.length === 0;
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
      return typeof issue.input === typeof issue.values[0]
        ? `Expected one of ${issue.values.join(", ")}`
        : `Expected ${typeof issue.values[0]}, received ${kindOf(issue.input)}`;
    case "invalid_union":
      return issue.message === WORDLESS ? kindsFault(issue) : issue.message;
    default:
      return issue.message;
  }
}

function kindsFault({ errors, input }: z.core.$ZodIssueInvalidUnion): string {
  const kinds = errors
    .flat()
    .flatMap((issue) => ("expected" in issue ? [typeName(issue.expected)] : []));
  return `Expected ${[...new Set(kinds)].join(" or ")}, received ${kindOf(input)}`;
}

function typeName(expected: string): string {
  return expected === "record" ? "object" : expected;
}

function unitOf(origin: string): string {
  return origin === "string" ? "characters" : "items";
}
