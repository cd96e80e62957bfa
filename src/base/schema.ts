import type { z } from "zod";
import { closestTo } from "./spelling.js";

/** A key of an object, or an index of a list. */
export type PathStep = string | number;

/** One thing that is wrong with a value. */
export interface SchemaFault {
  /** Path from the root of the value. For an unknown key it includes that key. */
  readonly path: readonly PathStep[];
  /** Completes a sentence about the value at `path`: `must be a string (got 5)`. */
  readonly message: string;
  /** Set if `path` ends with a key that the schema does not know. */
  readonly isUnknownKey?: true;
}

/** The result of checking a value: the output of the schema, or all faults of the value. */
type Checked<Output> =
  | { readonly value: Output; readonly faults?: undefined }
  | { readonly value?: undefined; readonly faults: readonly SchemaFault[] };

type Issue = z.core.$ZodIssue;

/** An issue with its full path. A union has only the issues of its most likely form. */
interface MeantIssue {
  readonly path: readonly PathStep[];
  readonly issue: Issue;
}

/** Zod's message if the schema has none. */
const WORDLESS = "Invalid input";

/** Characters of a value that a message shows. */
const SHOWN_MAX = 60;

/**
 * Checks a value with one of our own schemas. Returns all faults at once, with readable messages:
 *
 *     const { value, faults } = checkValue(manifestSchema, JSON.parse(text));
 *     if (faults !== undefined) throw new SwitchyardError(code, faultLines(faults).join("\n"));
 *
 * A schema sets the messages of its own rules with `mustBe`. Use `z.strictObject` to refuse unknown
 * keys; the message then suggests a key with similar spelling.
 */
export function checkValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Checked<z.output<Schema>> {
  // Compiling a schema takes longer than one value does without it.
  const options = { reportInput: true, jitless: true, error: describeIssue };
  const parsed = schema.safeParse(value, options);
  return parsed.success ? { value: parsed.data } : { faults: faultsOf(parsed.error) };
}

/** Returns the error of a rule: `z.string().refine(isZone, mustBe("an IANA time zone"))`. */
export function mustBe(expected: string): { error(issue: { readonly input?: unknown }): string } {
  return { error: ({ input }) => `must be ${expected}${got(input)}` };
}

/** Returns faults as text, one line each: `rules[0].name: must be a string (got 5)`. */
export function faultLines(faults: readonly SchemaFault[]): readonly string[] {
  return faults.map(({ path, message }) =>
    path.length === 0 ? message : `${pathText(path)}: ${message}`,
  );
}

/** Formats a path: `["rules", 0, "name"]` → `rules[0].name`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === "number") return `${before}[${step}]`;
    return before === "" ? String(step) : `${before}.${String(step)}`;
  }, "");
}

/**
 * Returns the issues to report. A union without its own message has the issues of the form that was
 * most likely meant. The schema must have parsed the value with `reportInput`.
 */
export function meantIssues(
  issues: readonly Issue[],
  parents: readonly PathStep[] = [],
): readonly MeantIssue[] {
  return issues.filter(isToldAmong(issues)).flatMap((issue) => {
    const path = [...parents, ...(issue.path as readonly PathStep[])];
    const form = meantForm(issue);
    return form === undefined ? [{ path, issue }] : meantIssues(form, path);
  });
}

/** Returns the kinds of value that a union accepts, by zod's names; empty for other issues. */
export function expectedKinds(issue: Issue): readonly string[] {
  if (issue.code === "invalid_type") return [issue.expected];
  if (issue.code === "invalid_value") return [typeof issue.values[0]];
  if (issue.code !== "invalid_union") return [];
  return [...new Set(issue.errors.flatMap((form) => form.filter(isAtRoot).flatMap(expectedKinds)))];
}

/** Returns true for a union without its own message. */
export function isWordless(issue: Issue): boolean {
  return issue.code === "invalid_union" && issue.message === WORDLESS;
}

function faultsOf({ issues }: z.ZodError): readonly SchemaFault[] {
  return meantIssues(issues).flatMap(({ path, issue }): SchemaFault[] => {
    if (issue.code === "unrecognized_keys") {
      const messages = issue.message.split("\n");
      return issue.keys.map((key, index) => ({
        path: [...path, key],
        message: messages[index] as string,
        isUnknownKey: true,
      }));
    }
    if (issue.code !== "custom" && issue.input === undefined && path.length > 0) {
      return [{ path: path.slice(0, -1), message: `needs the key ${String(path.at(-1))}` }];
    }
    const kinds = kindWords(expectedKinds(issue));
    const message = isWordless(issue) ? `must be ${kinds}${got(issue.input)}` : issue.message;
    return [{ path, message }];
  });
}

/** Drops issues about length if the value has the wrong type. */
function isToldAmong(issues: readonly Issue[]): (issue: Issue) => boolean {
  const mistyped = new Set(
    issues.filter(({ code }) => code === "invalid_type").map(({ path }) => pathText(path)),
  );
  return ({ code, path }) =>
    (code !== "too_small" && code !== "too_big") || !mistyped.has(pathText(path));
}

/** Returns the issues of the best form of a union; undefined if no form accepts this kind. */
function meantForm(issue: Issue): readonly Issue[] | undefined {
  if (issue.code !== "invalid_union" || !isWordless(issue)) return undefined;
  const [nearest] = issue.errors
    .filter((form) => form.length > 0 && !form.some(isOtherKind))
    .sort((one, other) => misfit(one) - misfit(other));
  return nearest;
}

/** Returns true if this form does not accept values of this kind. */
function isOtherKind(issue: Issue): boolean {
  if (!isAtRoot(issue)) return false;
  if (issue.code === "invalid_value") return typeof issue.values[0] !== typeof issue.input;
  if (issue.code === "invalid_union") return isWordless(issue) && meantForm(issue) === undefined;
  return issue.code === "invalid_type";
}

/** Rates how badly a form fits. Unknown and missing keys weigh more than faults inside members. */
function misfit(form: readonly Issue[]): number {
  return form.reduce((sum, issue) => {
    if (issue.code === "unrecognized_keys" && isAtRoot(issue)) return sum + 100 * issue.keys.length;
    const inner = isAtRoot(issue) ? meantForm(issue) : undefined;
    if (inner !== undefined) return sum + misfit(inner);
    const isMissing = issue.path.length === 1 && issue.input === undefined;
    return sum + (isAtRoot(issue) || isMissing ? 100 : 1);
  }, 0);
}

function isAtRoot({ path }: Issue): boolean {
  return path.length === 0;
}

/** Returns messages for issues without one. Unions keep zod's: their forms have the messages. */
const describeIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kindWords([issue.expected])}${got(issue.input)}`;
    case "too_small":
      return `must ${minimumWords(issue)}${issue.origin === "string" ? "" : got(issue.input)}`;
    case "too_big":
      return `must ${maximumWords(issue)}${got(issue.input)}`;
    case "invalid_format":
      return `must match ${issue.pattern ?? issue.format}${got(issue.input)}`;
    case "invalid_value":
      return `must be ${choiceWords(issue.values, issue.input)}`;
    case "unrecognized_keys":
      return unknownKeyLines(issue.keys, issue.inst as z.core.$ZodObject);
    default:
      return undefined;
  }
};

/** Returns one line for each key. Only here the schema, with its known keys, is available. */
function unknownKeyLines(keys: readonly string[], schema: z.core.$ZodObject): string {
  const known = Object.keys(schema._zod.def.shape);
  return keys.map((key) => `unknown key${suggestion(key, known)}`).join("\n");
}

function minimumWords(issue: Pick<z.core.$ZodIssueTooSmall, "origin" | "minimum" | "inclusive">) {
  const { origin, minimum, inclusive } = issue;
  if (origin === "string" && minimum === 1) return "not be empty";
  const unit = unitWords(origin, minimum);
  if (unit !== "") return `have at least ${minimum} ${unit}`;
  return `be ${inclusive === false ? "more than" : "at least"} ${minimum}`;
}

function maximumWords(issue: Pick<z.core.$ZodIssueTooBig, "origin" | "maximum" | "inclusive">) {
  const { origin, maximum, inclusive } = issue;
  const unit = unitWords(origin, maximum);
  if (unit !== "") return `have at most ${maximum} ${unit}`;
  return `be ${inclusive === false ? "less than" : "at most"} ${maximum}`;
}

/** Returns the unit of a length; empty for numbers. */
function unitWords(origin: string, count: number | bigint): string {
  const units: Readonly<Record<string, string>> = {
    string: "character",
    array: "item",
    object: "key",
    record: "key",
  };
  const unit = units[origin];
  if (unit === undefined) return "";
  return Number(count) === 1 ? unit : `${unit}s`;
}

function choiceWords(values: readonly unknown[], input: unknown): string {
  const allowed = values.map(String);
  const [only] = allowed;
  if (allowed.length === 1) return `${only}${got(input)}`;
  const near = typeof input === "string" ? suggestion(input, allowed) : "";
  return `one of ${allowed.join(", ")}${got(input)}${near}`;
}

const kindNames: Readonly<Record<string, string>> = {
  string: "a string",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function kindWords(kinds: readonly string[]): string {
  const names = [...new Set(kinds.map((kind) => kindNames[kind] ?? kind))];
  const last = names.pop() ?? "something else";
  return names.length === 0 ? last : `${names.join(", ")} or ${last}`;
}

/** Returns "; did you mean …?", or nothing if no known word is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = closestTo(word, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** Returns the value in brackets, shortened if it is long. */
function got(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return ` (got ${text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 3)}…` : text})`;
}
