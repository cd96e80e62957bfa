import { namedSteps } from "../contract/lifecycle-routes.js";
import type { Rule, RulePatch, RuleRequest } from "../contract/rule.js";
import { invalid, notFound } from "../http/service-error.js";
import type { EntityOperations, OperationOptions } from "./entity-operations.js";
import type { EntityBody, EntityType } from "./entity-type.js";
import { type ListCall, pageAnswer, sliceOf } from "./pagination.js";
import type { WriteFacts } from "./write-facts.js";

type RuledBody = EntityBody & { readonly rules: readonly Rule[] };

interface EntityCall<Params = { readonly id: string }> {
  readonly params: Params;
}

type RuleCall = EntityCall<{ readonly id: string; readonly ruleID: string }>;

interface WriteCall<Body = unknown> extends WriteFacts, EntityCall {
  readonly body: Body;
}

interface RuleOptions<Body> extends OperationOptions<Body> {
  /** Returns the entity with other rules, as an update with nothing else would. */
  withRules(current: Body, rules: (Rule | RuleRequest)[]): Body;
}

/** Returns the handlers of the routes that `ruleRoutes` makes. */
export function ruleHandlers<const Name extends string, Body extends RuledBody>(
  name: Name,
  operations: EntityOperations,
  type: EntityType<Body>,
  { withRules, ...options }: RuleOptions<Body>,
) {
  const change = (
    call: WriteFacts & EntityCall,
    changed: (rules: readonly Rule[]) => (Rule | RuleRequest)[],
  ) =>
    operations.change(
      type,
      call.params.id,
      call,
      (current) => withRules(current, changed(current.rules)),
      options,
    );
  return namedSteps(name, {
    "list*Rules": async (call: ListCall & EntityCall) => {
      const { rules } = await operations.get(type, call.params.id);
      const { start, count } = sliceOf(call.query);
      const items = rules.slice(start, start + count);
      return pageAnswer(call, { items, totalItems: rules.length });
    },
    "add*Rule": (call: WriteCall<RuleRequest>) => change(call, (rules) => [...rules, call.body]),
    "add*Rules": (call: WriteCall<{ readonly rules: RuleRequest[] }>) =>
      change(call, (rules) => [...rules, ...call.body.rules]),
    "patch*Rules": (call: WriteCall<{ readonly rules: RulePatch[] }>) =>
      change(call, (rules) => patchedRules(rules, call.body.rules)),
    "read*Rule": async ({ params: { id, ruleID } }: RuleCall) => {
      const { rules, version } = await operations.get(type, id);
      return { content: { data: rules[indexOf(rules, ruleID)] }, version };
    },
    "patch*Rule": (call: WriteCall<RulePatch> & RuleCall) =>
      change(call, (rules) => {
        const patchedIndex = indexOf(rules, call.params.ruleID);
        return rules.map((rule, index) =>
          index === patchedIndex ? patchedRule(rule, call.body) : rule,
        );
      }),
    "delete*Rule": (call: WriteFacts & RuleCall) =>
      change(call, (rules) => rules.toSpliced(indexOf(rules, call.params.ruleID), 1)),
  });
}

/** Returns the index of the rule with an `id`, else with a `baseID`. Throws 404. */
function indexOf(rules: readonly Rule[], ruleID: string): number {
  const index = foundIndex(rules, ruleID);
  if (index === -1) throw notFound(`Rule ${ruleID}`);
  return index;
}

function foundIndex(rules: readonly Rule[], ruleID: string): number {
  const index = rules.findIndex(({ id }) => id === ruleID);
  return index === -1 ? rules.findIndex(({ baseID }) => baseID === ruleID) : index;
}

/** Returns rules with the fields of each patch. Throws a 400 with all patches of unknown rules. */
function patchedRules(rules: readonly Rule[], patches: readonly RulePatch[]): Rule[] {
  const next = [...rules];
  const faults = patches.flatMap((patch, position) => {
    const { id, baseID, name } = patch;
    const ruleID = id || baseID;
    const index = ruleID
      ? foundIndex(rules, ruleID)
      : rules.findIndex((rule) => rule.name === name);
    const rule = next[index];
    if (rule === undefined) {
      const errorMessage = `There is no rule ${ruleID || name || "without id, baseID and name"}`;
      return [{ property: `rules[${position}]`, errorMessage }];
    }
    next[index] = patchedRule(rule, patch);
    return [];
  });
  if (faults.length > 0) throw invalid(faults);
  return next;
}

/** Returns a rule with the fields of a patch. Its identifiers stay, because units are assigned by them. */
function patchedRule(rule: Rule, { id: _, baseID: __, ...patch }: RulePatch): Rule {
  const isValue = patch.returnValue !== undefined || patch.returnValueJson5 !== undefined;
  if (!isValue) return { ...rule, ...patch };
  // The text of the old value would differ from the new one.
  const { returnValue: ___, returnValueJson5: ____, ...others } = rule;
  return { ...others, ...patch };
}
