import type { PropertyChange } from "../../contract/audit-log.js";
import type { PromptContent } from "../../contract/prompt-content.js";
import type { Rule } from "../../contract/rule.js";
import {
  conditionSubject,
  outcomeOf,
  percentageText,
  ruleText,
  VALUES_SHOWN_MAX,
  valueText,
  variantWords,
} from "./sentences.js";

type Fields = Readonly<Record<string, unknown>>;

/** Returns what edits change in a stored entity, with rules as sentences. */
export function editChanges(stored: Fields, edits: Fields): readonly PropertyChange[] {
  return Object.entries(edits).flatMap(([property, after]) => {
    const before = stored[property];
    if (property === "rules") {
      return ruleChanges((before ?? []) as readonly Rule[], after as readonly Rule[], stored);
    }
    if (property === "content") return contentChanges(before as Content, after as Content);
    return [{ property, before, after }];
  });
}

type Content = Partial<PromptContent> | null | undefined;

/** Returns what differs between two contents of a prompt: message by message, then the settings. */
export function contentChanges(before: Content, after: Content): readonly PropertyChange[] {
  const [was, is] = [contentFields(before), contentFields(after)];
  return Object.keys({ ...was, ...is }).flatMap((property) =>
    was[property] === is[property]
      ? []
      : [{ property, ...sides({ before: was[property], after: is[property] }) }],
  );
}

function contentFields(content: Content): Readonly<Record<string, unknown>> {
  const { prompts = [], ...settings } = content ?? {};
  const messages = prompts.map(({ role, content: text }, index) => [
    `message ${index + 1}`,
    `${role}: ${text}`,
  ]);
  return { ...Object.fromEntries(messages), ...settings };
}

function sides({ before, after }: Omit<PropertyChange, "property">) {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

/** Returns what a version changes, with rules as sentences and prompts by message. `found` is how the service compares them. */
export function versionChanges(
  before: Fields,
  after: Fields,
  found: readonly PropertyChange[],
): readonly PropertyChange[] {
  const rules = (fields: Fields) => (fields["rules"] ?? []) as readonly Rule[];
  const inWords = [
    ...ruleChanges(rules(before), rules(after), after),
    ...contentChanges(before["content"] as Content, after["content"] as Content),
  ];
  if (inWords.length === 0) return found;
  return [...inWords, ...found.filter(({ property }) => !/^(rules|content)\b/.test(property))];
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
    const [was, is] = [sentence(earlier), sentence(rule)];
    const details = [...nameChanges(earlier, rule), ...valueChanges(earlier, rule)];
    return was === is && details.length > 0
      ? details
      : [{ property, before: was, after: is }, ...details];
  });
  const order = (rules: readonly Rule[], others: ReadonlySet<string>) =>
    rules.filter((rule) => others.has(keyOf(rule)));
  const [was, is] = [order(before, kept), order(after, new Set(known.keys()))];
  const isMoved = was.some((rule, index) => keyOf(rule) !== keyOf(is[index] ?? rule));
  const names = (rules: readonly Rule[]) => rules.map(({ name }) => name).join(", ");
  return [
    ...removed.map((rule) => ({ property: `rule ${rule.name}`, before: sentence(rule) })),
    ...changed,
    ...(isMoved ? [{ property: "order of the rules", before: names(was), after: names(is) }] : []),
  ];
}

function nameChanges(before: Rule, after: Rule): readonly PropertyChange[] {
  if (before.name === after.name) return [];
  return [{ property: "name of a rule", before: before.name, after: after.name }];
}

/** Returns the values that came and went in lists of which a sentence shows only the first. */
function valueChanges(before: Rule, after: Rule): readonly PropertyChange[] {
  return after.conditions.flatMap((condition, index) => {
    const earlier = before.conditions[index];
    if (earlier?.type !== condition.type) return [];
    const [was, is] = [earlier, condition].map(({ targetValue }) => [targetValue ?? []].flat());
    if (was === undefined || is === undefined) return [];
    if (Math.max(was.length, is.length) <= VALUES_SHOWN_MAX + 1) return [];
    const [all, kept] = [new Set<unknown>(was), new Set<unknown>(is)];
    const removed = was.filter((value) => !kept.has(value));
    const added = is.filter((value) => !all.has(value));
    if (removed.length + added.length === 0) return [];
    return [
      {
        property: `rule ${after.name}, values of ${conditionSubject(condition)}`,
        ...(removed.length > 0 && { before: removed.join(", ") }),
        ...(added.length > 0 && { after: added.join(", ") }),
      },
    ];
  });
}

/** A rule that is not stored yet has no `baseID`. */
function keyOf({ baseID, name }: Rule): string {
  return baseID ?? `new ${name}`;
}

function settings({ name, passPercentage, conditions, environments, ...rule }: Rule) {
  const value = [valueText(rule), variantWords(rule)];
  return [name, Number(passPercentage), conditions, environments ?? null, value];
}

function sentenceOf(rule: Rule, entity: Fields): string {
  return `${ruleText(rule)} → ${givenText(rule, entity)}`;
}

/** Returns what a rule gives to those whom it is about. Only dynamic configs have values. */
function givenText(rule: Rule, entity: Fields): string {
  const { passPercentage } = rule;
  if (!("defaultValue" in entity)) return percentageText(Number(passPercentage), outcomeOf(entity));
  const variants = variantWords(rule);
  if (variants.length > 0) {
    return variants.map((one) => `${one.name} (${one.share} %): ${one.value}`).join("; ");
  }
  return `${valueText(rule)}${Number(passPercentage) === 100 ? "" : ` (${passPercentage} %)`}`;
}
