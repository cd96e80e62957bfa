import type { PropertyChange } from "../../contract/audit-log.js";
import type { Rule } from "../../contract/rule.js";
import { outcomeOf, percentageText, ruleText } from "./sentences.js";

type Fields = Readonly<Record<string, unknown>>;

/** Returns what edits change in a stored entity, with rules as sentences. */
export function editChanges(stored: Fields, edits: Fields): readonly PropertyChange[] {
  return Object.entries(edits).flatMap(([property, after]) =>
    property === "rules"
      ? ruleChanges((stored["rules"] ?? []) as readonly Rule[], after as readonly Rule[], stored)
      : [{ property, before: stored[property], after }],
  );
}

function ruleChanges(
  before: readonly Rule[],
  after: readonly Rule[],
  entity: Fields,
): readonly PropertyChange[] {
  const sentence = (rule: Rule) => sentenceOf(rule, entity);
  const known = new Map(before.map((rule) => [keyOf(rule), rule]));
  const kept = new Set(after.map(keyOf));
  const removed = before.filter((rule) => !kept.has(keyOf(rule)));
  const changed = after.flatMap((rule) => {
    const earlier = known.get(keyOf(rule));
    const property = `rule ${rule.name}`;
    if (earlier === undefined) return [{ property, after: sentence(rule) }];
    if (JSON.stringify(settings(earlier)) === JSON.stringify(settings(rule))) return [];
    return [{ property, before: sentence(earlier), after: sentence(rule) }];
  });
  const order = (rules: readonly Rule[], others: ReadonlySet<string>) =>
    rules.filter((rule) => others.has(keyOf(rule))).map(({ name }) => name);
  const [was, is] = [order(before, kept), order(after, new Set(known.keys()))];
  return [
    ...removed.map((rule) => ({ property: `rule ${rule.name}`, before: sentence(rule) })),
    ...changed,
    ...(was.join("\n") === is.join("\n")
      ? []
      : [{ property: "order of the rules", before: was.join(", "), after: is.join(", ") }]),
  ];
}

/** A rule that is not stored yet has no `baseID`. */
function keyOf({ baseID, name }: Rule): string {
  return baseID ?? `new ${name}`;
}

function settings({ name, passPercentage, conditions, environments, ...rule }: Rule) {
  return [name, Number(passPercentage), conditions, environments ?? null, valueText(rule)];
}

function sentenceOf(rule: Rule, entity: Fields): string {
  const value = valueText(rule);
  const gets =
    value === "" ? percentageText(Number(rule.passPercentage), outcomeOf(entity)) : value;
  const share =
    value === "" || Number(rule.passPercentage) === 100 ? "" : ` (${rule.passPercentage} %)`;
  return `${ruleText(rule)} → ${gets}${share}`;
}

/** The value that a rule of a dynamic config returns; empty for a gate. */
function valueText({ returnValueJson5, returnValue }: Partial<Rule>): string {
  return returnValueJson5 ?? (returnValue === undefined ? "" : JSON.stringify(returnValue));
}
