import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import type { Fault } from "../contract/faults.js";
import type { Rule, RuleRequest } from "../contract/rule.js";
import { refuseFaults } from "../http/service-error.js";
import type { NewIdentifier } from "./new-entity.js";

/** How a resource derives the identifiers of its rules. */
interface RuleIdentifiers {
  /** Returns the `id` of a rule; `position` counts from 1. */
  idOf(rule: Pick<Rule, "baseID" | "passPercentage">, position: number): string;
  /** Returns the base of an `id`. */
  baseOf(id: string): string;
  /** True if an `id` from a client is kept. Otherwise, `idOf` derives each `id` from the rule. */
  readonly keepsGiven: boolean;
}

/** Gates and segments: the base ID itself. */
export const plainIdentifiers: RuleIdentifiers = {
  idOf: ({ baseID }) => baseID,
  baseOf: (id) => id,
  keepsGiven: true,
};

/** Dynamic configs: `<baseID>:<pass percentage>:<position>`, e.g. `5aTx…:10.00:1`. */
export const valueIdentifiers: RuleIdentifiers = {
  idOf: ({ baseID, passPercentage }, position) =>
    `${baseID}:${Number(passPercentage).toFixed(2)}:${position}`,
  baseOf: (id) => id.replace(/:\d+\.\d\d:\d+$/, ""),
  keepsGiven: false,
};

/**
 * Returns rules as they are stored, each with its identifiers. Platforms assign users by identifiers, so
 * a rule without them keeps those of the stored rule with its name. Throws a 400 if two rules have the
 * same name or the same `id`.
 */
export function identifyRules<Request extends RuleRequest>(
  rules: readonly Request[],
  stored: readonly Rule[],
  identifiers: RuleIdentifiers,
  newIdentifier: NewIdentifier,
): (Request & Rule)[] {
  requireDistinct(rules, "name", "Duplicate rule name(s) given");
  const storedByName = new Map(stored.map((rule) => [rule.name, rule]));
  const identified = rules.map((rule, index) => {
    const before = storedByName.get(rule.name);
    const id = given(rule.id);
    const base = given(rule.baseID) ?? (id === undefined ? before?.baseID : identifiers.baseOf(id));
    const passPercentage = passPercentageOf(rule);
    const based = { ...inOrder(rule), baseID: base ?? newIdentifier(), passPercentage };
    const isStored = before !== undefined && before.baseID === based.baseID;
    const kept = identifiers.keepsGiven ? (id ?? (isStored ? before.id : undefined)) : undefined;
    return { ...based, id: kept ?? identifiers.idOf(based, index + 1) };
  });
  requireDistinct(identified, "id", "Duplicate rule id(s) given");
  return identified;
}

/**
 * Returns a rule whose members are in the order of the contract, with a place for those that the service
 * gives: an export is the same bytes after an import.
 */
function inOrder<Request extends RuleRequest>(rule: Request): Request {
  const { name, passPercentage, conditions, environments, id, baseID } = rule;
  const first = { name, passPercentage, conditions, ...omitUndefined({ environments }) };
  return { ...first, id, baseID, ...rule };
}

/** Returns the percentage of a rule; by default, the sum of its variants. */
function passPercentageOf({ passPercentage, variants = [] }: RuleRequest): number | string {
  if (passPercentage !== undefined) return passPercentage;
  const total = sum(variants, (variant) => Number(variant.passPercentage ?? 0));
  return total === 0 ? 100 : Math.min(total, 100);
}

/** Returns undefined for an empty or null identifier: the service then creates one. */
function given(identifier: string | null | undefined): string | undefined {
  return identifier === null || identifier === "" ? undefined : identifier;
}

function requireDistinct(
  rules: readonly RuleRequest[],
  field: "name" | "id",
  errorMessage: string,
): void {
  const seen = new Set<unknown>();
  const faults = rules.flatMap(({ [field]: value }, index): Fault[] => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [{ property: `rules[${index}].${field}`, errorMessage }];
  });
  refuseFaults(faults, errorMessage);
}
