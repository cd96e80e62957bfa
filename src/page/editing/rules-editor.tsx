import { useEffect, useRef, useState } from "preact/hooks";
import { sum } from "../../base/sum.js";
import type { Rule } from "../../contract/rule.js";
import { ListField, NumberField, TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { shown } from "../../ui/text.js";
import { ConditionForm } from "./condition-form.js";
import type { Draft } from "./draft.js";
import { faultOf } from "./draft.js";
import type { Entity } from "./kinds.js";
import { outcomeOf, percentageText, ruleText, valueText, variantWords } from "./sentences.js";
import { ValueEditor } from "./value-editor.js";

type Condition = Rule["conditions"][number];
type EditedRule = Omit<Rule, "id" | "baseID"> & Partial<Pick<Rule, "id" | "baseID">>;

interface RulesEditorProps {
  readonly draft: Draft;
  readonly isWriter: boolean;
  /** True if each rule returns a value. */
  readonly hasValues: boolean;
}

/** The rules in their order: the first one that holds decides. */
export function RulesEditor({ draft, isWriter, hasValues }: RulesEditorProps) {
  const rules = (draft.entity.rules ?? []) as readonly EditedRule[];
  const [opened, setOpened] = useState<number>();
  const [isAdded, setIsAdded] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const setRules = (next: readonly EditedRule[]) => draft.edit({ rules: next.map(sent) });
  const replace = (index: number, rule: EditedRule) =>
    setRules(rules.map((one, at) => (at === index ? rule : one)));
  const move = (index: number, to: number) => {
    const next = [...rules];
    next.splice(to, 0, ...next.splice(index, 1));
    setRules(next);
    setOpened(undefined);
  };
  const remove = (index: number) => {
    setRules(rules.filter((_, at) => at !== index));
    setOpened(undefined);
    // The button that had the focus goes with its rule.
    adder.current?.focus({ preventScroll: true });
  };
  const add = () => {
    setRules([...rules, newRule(rules, hasValues)]);
    setOpened(rules.length);
    setIsAdded(true);
  };
  return (
    <Section title="Rules">
      <p class="soft">The first rule that a user matches decides.</p>
      {draft.stored.isEnabled === false && draft.stored.type !== "rule_based" && (
        <p class="notice">
          It is off: everyone gets {hasValues ? "the default value" : "off"}, whatever the rules
          say.
        </p>
      )}
      <ol>
        {rules.map((rule, index) => (
          <li key={rule.baseID ?? `new ${rule.name}`} class="rule">
            <RuleSentence rule={rule} entity={draft.stored} hasValues={hasValues} />
            <Told draft={draft} property={`rules[${index}]`} />
            {isWriter && (
              <div class="rule-tools">
                <button
                  type="button"
                  class="quiet"
                  aria-expanded={opened === index}
                  onClick={() => {
                    setOpened(opened === index ? undefined : index);
                    setIsAdded(false);
                  }}
                >
                  {opened === index ? "Done" : "Edit"}
                  <span class="visually-hidden"> rule {rule.name}</span>
                </button>
                <button
                  type="button"
                  class="quiet"
                  aria-disabled={index === 0}
                  aria-label={`Move ${rule.name} up`}
                  onClick={() => index > 0 && move(index, index - 1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  class="quiet"
                  aria-disabled={index === rules.length - 1}
                  aria-label={`Move ${rule.name} down`}
                  onClick={() => index < rules.length - 1 && move(index, index + 1)}
                >
                  ↓
                </button>
                <button
                  type="button"
                  class="quiet danger"
                  aria-label={`Remove ${rule.name}`}
                  onClick={() => remove(index)}
                >
                  Remove
                </button>
              </div>
            )}
            {opened === index && (
              <RuleForm
                isNew={isAdded}
                rule={rule}
                property={`rules[${index}]`}
                draft={draft}
                hasValues={hasValues}
                onChange={(changed) => replace(index, changed)}
              />
            )}
          </li>
        ))}
      </ol>
      <p class="rule-rest">
        {rules.length === 0 ? "There are no rules: everyone" : "Everyone else"}{" "}
        {hasValues ? "gets the default value" : `is ${outcomeOf(draft.stored).no}`}.
      </p>
      {isWriter && (
        <button type="button" class="quiet" ref={adder} onClick={add}>
          Add a rule
        </button>
      )}
    </Section>
  );
}

interface RuleSentenceProps {
  readonly rule: EditedRule;
  readonly entity: Entity;
  readonly hasValues: boolean;
}

function RuleSentence({ rule, entity, hasValues }: RuleSentenceProps) {
  const { name, passPercentage } = rule;
  const variants = hasValues ? variantWords(rule) : [];
  const percentage = hasValues
    ? `get the value${Number(passPercentage) === 100 ? "" : ` (${passPercentage} % of them)`}`
    : percentageText(Number(passPercentage), outcomeOf(entity));
  return (
    <div class="rule-sentence">
      <h3>{shown(name)}</h3>
      <p>
        {ruleText(rule)} →{" "}
        <strong>{variants.length > 0 ? `get one of ${variants.length} values` : percentage}</strong>
      </p>
      {hasValues && variants.length === 0 && <code class="soft">{valueText(rule)}</code>}
      {variants.length > 0 && <Variants variants={variants} />}
      {!hasValues && (rule.variants ?? []).length > 0 && (
        <p class="soft">Its variants have no effect: only rules of dynamic configs have values.</p>
      )}
    </div>
  );
}

/** The values among which a rule splits those whom it is about. */
function Variants({ variants }: { variants: ReturnType<typeof variantWords> }) {
  const total = sum(variants, ({ share }) => share);
  const rest = Math.round((100 - total) * 100) / 100;
  return (
    <ul>
      {variants.map(({ name, share, value }, index) => (
        <li key={index}>
          {share} % get {shown(name)} <code class="soft">{value}</code>
        </li>
      ))}
      {rest > 0 && <li>{rest} % get the default value</li>}
    </ul>
  );
}

/** The words of the service about a rule: faults first, then warnings. */
function Told({ draft, property }: { draft: Draft; property: string }) {
  const isInside = (one: { readonly property: string }) =>
    one.property === property || one.property.startsWith(`${property}.`);
  const faults = draft.faults.filter(isInside);
  const warnings = draft.warnings.filter(isInside);
  if (faults.length + warnings.length === 0) return null;
  return (
    <ul class="told">
      {faults.map((fault) => (
        <li class="fault" key={fault.property}>
          {fault.errorMessage}
        </li>
      ))}
      {warnings.map((warning) => (
        <li class="warning" key={warning.property}>
          {warning.message}
        </li>
      ))}
    </ul>
  );
}

interface RuleFormProps {
  /** True to begin in its first field: the button that adds a rule is below. */
  readonly isNew: boolean;
  readonly rule: EditedRule;
  readonly property: string;
  readonly draft: Draft;
  readonly hasValues: boolean;
  readonly onChange: (rule: EditedRule) => void;
}

function RuleForm({ isNew, rule, property, draft, hasValues, onChange }: RuleFormProps) {
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNew) form.current?.querySelector("input")?.focus();
  }, [isNew]);
  const fault = (name: string) => faultOf(draft.faults, `${property}.${name}`, true);
  const setConditions = (conditions: Condition[]) => onChange({ ...rule, conditions });
  const isSplit = hasValues && variantWords(rule).length > 0;
  return (
    <div class="rule-form" ref={form}>
      <TextField
        label="Name of the rule"
        value={rule.name}
        fault={fault("name")}
        onInput={(name) => onChange({ ...rule, name })}
      />
      <fieldset>
        <legend>Who</legend>
        {rule.conditions.map((condition, index) => (
          <ConditionForm
            key={index}
            condition={condition}
            fault={fault(`conditions[${index}]`)}
            onChange={(changed) =>
              setConditions(rule.conditions.map((one, at) => (at === index ? changed : one)))
            }
            onRemove={() => setConditions(rule.conditions.filter((_, at) => at !== index))}
          />
        ))}
        <button
          type="button"
          class="quiet"
          onClick={() =>
            setConditions([
              ...rule.conditions,
              { type: "user_id", operator: "any", targetValue: [] },
            ])
          }
        >
          {rule.conditions.length === 0 ? "Add a condition" : "And another condition"}
        </button>
      </fieldset>
      {isSplit ? (
        <p class="soft">
          The names, shares and values of its variants are changed by the API only.
        </p>
      ) : (
        <NumberField
          label="Of those, percentage that passes"
          value={Number(rule.passPercentage)}
          min={0}
          max={100}
          unit="%"
          fault={fault("passPercentage")}
          hint="The same users stay in as the percentage grows."
          onInput={(passPercentage) => onChange({ ...rule, passPercentage })}
        />
      )}
      <ListField
        label="Environments"
        values={rule.environments ?? []}
        list="environments"
        fault={fault("environments")}
        hint="Empty: in all environments."
        onInput={(names) => onChange({ ...rule, environments: names.length === 0 ? null : names })}
      />
      {hasValues && !isSplit && (
        <ValueEditor
          label="Value"
          value={valueText(rule)}
          fault={fault("returnValueJson5") ?? fault("returnValue")}
          onInput={(returnValueJson5) => {
            const { returnValue: _, ...others } = rule;
            onChange({ ...others, returnValueJson5 });
          }}
        />
      )}
    </div>
  );
}

function newRule(rules: readonly EditedRule[], hasValues: boolean): EditedRule {
  const names = new Set(rules.map(({ name }) => name));
  let number = rules.length + 1;
  while (names.has(`Rule ${number}`)) number++;
  return {
    name: `Rule ${number}`,
    passPercentage: 100,
    conditions: [{ type: "public" }],
    ...(hasValues && { returnValueJson5: "{}" }),
  };
}

/** A rule as requests have it: without the fields of answers. */
function sent(rule: EditedRule): object {
  const { completedAutomatedRollouts: _, pendingAutomatedRollouts: __, ...others } = rule;
  return others;
}
