import { targetTime } from "../../base/target-time.js";
import type { Rule } from "../../contract/rule.js";
import { isoText, shown } from "../../ui/text.js";

type Condition = Rule["conditions"][number];

/** The words of a type: what is looked at, and how a target is entered. */
interface TypeWords {
  readonly label: string;
  /** Before the operator: `the country`. Absent for types without an operator. */
  readonly subject?: string;
}

/** The types of conditions, in the order of the menu. */
export const typeWords: Readonly<Record<Condition["type"], TypeWords>> = {
  public: { label: "Everyone" },
  user_id: { label: "User ID", subject: "the user ID" },
  email: { label: "Email", subject: "the email" },
  custom_field: { label: "Custom field", subject: "" },
  country: { label: "Country", subject: "the country" },
  app_version: { label: "App version", subject: "the app version" },
  environment_tier: { label: "Environment", subject: "the environment" },
  passes_gate: { label: "Passes gate" },
  fails_gate: { label: "Fails gate" },
  passes_segment: { label: "In segment" },
  fails_segment: { label: "Not in segment" },
  unit_id: { label: "Other ID", subject: "" },
  time: { label: "Time", subject: "the time" },
  browser_name: { label: "Browser", subject: "the browser" },
  browser_version: { label: "Browser version", subject: "the browser version" },
  os_name: { label: "Operating system", subject: "the operating system" },
  os_version: { label: "OS version", subject: "the OS version" },
  device_model: { label: "Device model", subject: "the device model" },
  ip_address: { label: "IP address", subject: "the IP address" },
  locale: { label: "Language", subject: "the language" },
  target_app: { label: "Application", subject: "the application" },
  url: { label: "Page address", subject: "the page address" },
  javascript: { label: "JavaScript expression", subject: "the expression" },
};

/** How the target of an operator is entered. */
type TargetForm = "list" | "text" | "number" | "version" | "time" | "none";

interface OperatorWords {
  readonly label: string;
  readonly form: TargetForm;
}

const isOneOf = { label: "is", form: "list" } as const;

/** The operators, in the order of the menu. */
export const operatorWords: Readonly<Record<string, OperatorWords>> = {
  any: isOneOf,
  none: { label: "is not", form: "list" },
  str_contains_any: { label: "contains", form: "list" },
  str_contains_none: { label: "does not contain", form: "list" },
  str_starts_with_any: { label: "starts with", form: "list" },
  str_ends_with_any: { label: "ends with", form: "list" },
  str_matches: { label: "matches the expression", form: "text" },
  any_case_sensitive: { label: "is exactly", form: "list" },
  none_case_sensitive: { label: "is not exactly", form: "list" },
  eq: { label: "equals", form: "text" },
  neq: { label: "does not equal", form: "text" },
  gt: { label: "is more than", form: "number" },
  gte: { label: "is at least", form: "number" },
  lt: { label: "is less than", form: "number" },
  lte: { label: "is at most", form: "number" },
  version_gt: { label: "is after version", form: "version" },
  version_gte: { label: "is at least version", form: "version" },
  version_lt: { label: "is before version", form: "version" },
  version_lte: { label: "is at most version", form: "version" },
  version_eq: { label: "is version", form: "version" },
  version_neq: { label: "is not version", form: "version" },
  before: { label: "is before", form: "time" },
  after: { label: "is after", form: "time" },
  on: { label: "is on the day of", form: "time" },
  array_contains_any: { label: "has any of", form: "list" },
  array_contains_none: { label: "has none of", form: "list" },
  array_contains_all: { label: "has all of", form: "list" },
  not_array_contains_all: { label: "does not have all of", form: "list" },
};

const nested = { passes_gate: "", fails_gate: "", passes_segment: "", fails_segment: "" };

/** Returns true for a type whose target names other entities. */
export function namesEntities(type: Condition["type"]): boolean {
  return type in nested;
}

/** Returns the operators that make sense for a type; none for a type without one. */
export function operatorsOf(type: Condition["type"]): readonly string[] {
  if (type === "public" || namesEntities(type)) return [];
  const all = Object.keys(operatorWords);
  if (type === "time") return ["before", "after", "on"];
  const isVersion = ["app_version", "browser_version", "os_version"].includes(type);
  if (isVersion) return [...all.filter((name) => name.startsWith("version_")), "any", "none"];
  const isText = type !== "custom_field";
  return all.filter((name) => {
    const { form } = operatorWords[name] ?? isOneOf;
    if (form === "version" || form === "time" || form === "number") return !isText;
    return !(isText && name.includes("array"));
  });
}

/** `the country is Germany or France`. */
export function conditionText({ type, operator, targetValue, field, customID }: Condition): string {
  const target = [targetValue ?? []].flat().map((value) => shown(String(value)));
  const listed = joined(target, "or");
  if (type === "public") return "everyone";
  if (type === "passes_gate") return `the gate ${listed} is on`;
  if (type === "fails_gate") return `the gate ${listed} is off`;
  if (type === "passes_segment") return `the user is in the segment ${listed}`;
  if (type === "fails_segment") return `the user is not in the segment ${listed}`;
  const words = operatorWords[operator ?? ""];
  const subject = subjectOf(type, field ?? undefined, customID ?? undefined);
  if (operator === "is_null") return `${subject} is missing`;
  if (operator === "is_not_null") return `${subject} is there`;
  const verb = words?.label ?? `${operator ?? "(no operator)"}`;
  const values = words?.form === "time" ? target.map(timeText) : target;
  const join = operator?.includes("none") || operator?.includes("all") ? "and" : "or";
  return `${subject} ${verb} ${values.length === 0 ? "(nothing)" : joined(values, join)}`;
}

/** Returns what a condition looks at: `the country`. */
export function conditionSubject({ type, field, customID }: Condition): string {
  return subjectOf(type, field ?? undefined, customID ?? undefined);
}

function subjectOf(type: Condition["type"], field?: string, customID?: string): string {
  if (type === "custom_field")
    return field === undefined || field === "" ? "(no field)" : shown(field);
  if (type === "unit_id") return `the ${customID === undefined ? "(no ID type)" : shown(customID)}`;
  return typeWords[type].subject ?? typeWords[type].label;
}

/** The first values of a list; the others are counted. */
export const VALUES_SHOWN_MAX = 5;

function joined(values: readonly string[], word: "and" | "or"): string {
  if (values.length > VALUES_SHOWN_MAX + 1) {
    const more = values.length - VALUES_SHOWN_MAX;
    return `${values.slice(0, VALUES_SHOWN_MAX).join(", ")} ${word} ${more} more`;
  }
  const [last = "", ...before] = [...values].reverse();
  return before.length === 0 ? last : `${before.reverse().join(", ")} ${word} ${last}`;
}

/** `2026-11-28 15:37 UTC`, to the ms where it has some; as written if it is not a time. */
function timeText(target: string): string {
  const iso = isoText(targetTime(target));
  return iso === undefined
    ? target
    : `${iso.replace(/(:00)?(\.000)?Z$/, "").replace("T", " ")} UTC`;
}

/** `If the country is Germany and the email ends with @example.com`. */
export function ruleText({ conditions, environments }: Pick<Rule, "conditions" | "environments">) {
  const parts = conditions.filter(({ type }) => type !== "public").map(conditionText);
  const places =
    environments === null || environments === undefined
      ? ""
      : ` in ${environments.length === 0 ? "no environment" : joined(environments, "or")}`;
  return parts.length === 0 ? `Everyone${places}` : `If ${parts.join(", and ")}${places}`;
}

/** The words for those who pass the rules of an entity, and for those who do not. */
interface Outcome {
  readonly yes: string;
  readonly no: string;
}

/** Returns the words of a gate, or of a segment: only these have a count of IDs. */
export function outcomeOf(entity: Readonly<Record<string, unknown>>): Outcome {
  return "count" in entity ? { yes: "in the segment", no: "not in it" } : { yes: "on", no: "off" };
}

/** `on`, or `on for 25 % of them, off for the others`. */
export function percentageText(passPercentage: number, { yes, no }: Outcome): string {
  if (passPercentage === 100) return yes;
  if (passPercentage === 0) return no;
  if (!(passPercentage > 0 && passPercentage < 100)) return "its percentage is not from 0 to 100";
  return `${yes} for ${passPercentage} % of them, ${no} for the others`;
}

type Valued = Pick<Rule, "returnValue" | "returnValueJson5" | "variants">;

/** Returns the value of a rule as JSON5. Its only variant has it where the rule itself has none. */
export function valueText({ returnValueJson5, returnValue, variants }: Valued): string {
  if (returnValueJson5 !== undefined) return returnValueJson5;
  if (returnValue !== undefined) return JSON.stringify(returnValue);
  const [first] = variants ?? [];
  return first === undefined ? "{}" : valueText(first);
}

/** A variant of a rule, in words. */
interface VariantWords {
  readonly name: string;
  /** Percentage. */
  readonly share: number;
  /** JSON5. */
  readonly value: string;
}

/** Returns the variants among which a rule splits its users; none where it has one value. */
export function variantWords({ variants = [] }: Valued): readonly VariantWords[] {
  if (variants.length < 2) return [];
  return variants.map((variant, index) => ({
    name: variant.name ?? `variant ${index + 1}`,
    share: Number(variant.passPercentage ?? 0),
    value: valueText(variant),
  }));
}
