import { targetOf, targetTime } from "../../base/target-time.js";
import type { Rule } from "../../contract/rule.js";
import { ListField, NumberField, SelectField, TextField } from "../../ui/fields.js";
import { isoText } from "../../ui/text.js";
import { EntityField } from "./entity-field.js";
import {
  conditionText,
  namesEntities,
  operatorsOf,
  operatorWords,
  typeWords,
} from "./sentences.js";

type Condition = Rule["conditions"][number];

interface ConditionFormProps {
  readonly condition: Condition;
  readonly fault: string | undefined;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

const typeChoices = Object.entries(typeWords).map(([value, { label }]) => ({ value, label }));

/** A condition of a rule: what is looked at, how it is compared, and with what. */
export function ConditionForm({ condition, fault, onChange, onRemove }: ConditionFormProps) {
  const { type, operator } = condition;
  const operators = operatorsOf(type);
  return (
    <fieldset class="condition" aria-label={conditionText(condition)}>
      <SelectField
        label="If"
        value={type}
        choices={typeChoices}
        onInput={(value) => onChange(newCondition(value as Condition["type"]))}
      />
      {type === "custom_field" && (
        <TextField
          label="Field"
          value={condition.field ?? ""}
          placeholder="plan"
          onInput={(field) => onChange({ ...condition, field })}
        />
      )}
      {type === "unit_id" && (
        <TextField
          label="ID type"
          value={condition.customID ?? ""}
          placeholder="companyID"
          onInput={(customID) => onChange({ ...condition, customID })}
        />
      )}
      {operators.length > 0 && (
        <SelectField
          label="Comparison"
          value={operator ?? ""}
          choices={operators.map((value) => ({
            value,
            label: operatorWords[value]?.label ?? value,
          }))}
          onInput={(value) => onChange(withOperator(condition, value))}
        />
      )}
      <TargetField condition={condition} fault={fault} onChange={onChange} />
      <button
        type="button"
        class="quiet"
        aria-label={`Remove the condition ${conditionText(condition)}`}
        onClick={onRemove}
      >
        ×
      </button>
    </fieldset>
  );
}

type TargetFieldProps = Omit<ConditionFormProps, "onRemove">;

function TargetField({ condition, fault, onChange }: TargetFieldProps) {
  const { type, operator, targetValue } = condition;
  if (type === "public") return null;
  if (namesEntities(type)) {
    const kind = type.endsWith("gate") ? "gate" : "segment";
    return (
      <EntityField
        label={kind === "gate" ? "Gate" : "Segment"}
        root={kind === "gate" ? "gates" : "segments"}
        value={String(valuesOf(targetValue)[0] ?? "")}
        fault={fault}
        onInput={(id) => onChange({ ...condition, targetValue: id })}
      />
    );
  }
  const form = operatorWords[operator ?? ""]?.form ?? "text";
  if (form === "list") {
    const values = valuesOf(targetValue).map(String);
    return (
      <ListField
        label="Values"
        values={values}
        fault={fault}
        onInput={(next) => onChange({ ...condition, targetValue: next })}
      />
    );
  }
  const text = String(valuesOf(targetValue)[0] ?? "");
  if (form === "number") {
    return (
      <NumberField
        label="Value"
        value={Number(text)}
        fault={fault}
        onInput={(next) => onChange({ ...condition, targetValue: next })}
      />
    );
  }
  if (form === "time") {
    const local = localText(text);
    return (
      <TextField
        label="Time (UTC)"
        type="datetime-local"
        value={local}
        fault={fault}
        hint={local === "" && text !== "" ? `This field cannot show ${text}.` : undefined}
        onInput={(next) =>
          onChange({ ...condition, targetValue: targetOf(Date.parse(`${next}Z`) || 0) })
        }
      />
    );
  }
  return (
    <TextField
      label="Value"
      value={text}
      fault={fault}
      onInput={(next) => onChange({ ...condition, targetValue: next })}
    />
  );
}

/** A target as a list. */
function valuesOf(target: Condition["targetValue"]): readonly (string | number)[] {
  return Array.isArray(target) ? target : target === null || target === undefined ? [] : [target];
}

/** `2026-11-28T12:00`, as browsers enter times; empty for what they cannot show. */
function localText(target: string): string {
  const iso = isoText(targetTime(target)) ?? "";
  return /^\d{4}-/.test(iso) ? iso.slice(0, 16) : "";
}

/** A new type begins with its first operator and no target. */
function newCondition(type: Condition["type"]): Condition {
  const [operator] = operatorsOf(type);
  if (type === "public") return { type };
  if (operator === undefined) return { type, targetValue: "" };
  return withOperator({ type, operator, ...(type === "custom_field" && { field: "" }) }, operator);
}

/** Keeps the target where the new operator takes it, too. */
function withOperator(condition: Condition, operator: string): Condition {
  const form = operatorWords[operator]?.form ?? "text";
  const values = valuesOf(condition.targetValue);
  const [first] = values;
  const number = Number(first ?? 0);
  const targetValue =
    form === "list"
      ? values.map(String)
      : form === "number"
        ? Number.isNaN(number)
          ? 0
          : number
        : form === "time"
          ? typeof first === "number"
            ? first
            : Date.now()
          : String(first ?? "");
  return { ...condition, operator, targetValue };
}
