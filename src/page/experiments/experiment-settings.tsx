import { useEffect, useState } from "preact/hooks";
import type { Experiment } from "../../contract/experiment.js";
import { NumberField, TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { type Draft, faultOf } from "../editing/draft.js";
import { EntityField } from "../editing/entity-field.js";
import { parsedObject } from "../editing/json-object.js";
import { ValueEditor } from "../editing/value-editor.js";

type Group = Experiment["groups"][number];

interface ExperimentSettingsProps {
  readonly draft: Draft;
  readonly isWriter: boolean;
}

/** The hypothesis, the groups, and who takes part. */
export function ExperimentSettings({ draft, isWriter }: ExperimentSettingsProps) {
  const experiment = draft.entity as unknown as Experiment;
  const { edit, faults } = draft;
  const common = { disabled: !isWriter };
  return (
    <>
      <Section title="Hypothesis">
        <TextField
          {...common}
          label="Statement that the experiment tests"
          rows={2}
          value={experiment.hypothesis ?? ""}
          fault={faultOf(faults, "hypothesis")}
          onInput={(hypothesis) => edit({ hypothesis })}
        />
      </Section>
      <Groups draft={draft} isWriter={isWriter} />
      <Section title="Who takes part">
        <NumberField
          {...common}
          label="Allocation"
          unit="%"
          min={0}
          max={100}
          value={Number(experiment.allocation)}
          fault={faultOf(faults, "allocation")}
          hint={`Of all ${experiment.idType}s. The others get what they get without the experiment.`}
          onInput={(allocation) => edit({ allocation })}
        />
        <EntityField
          {...common}
          label="Only those who pass a gate"
          root="gates"
          value={experiment.targetingGateID ?? ""}
          fault={faultOf(faults, "targetingGateID")}
          hint="Empty: everyone."
          onInput={(id) => edit({ targetingGateID: id === "" ? null : id })}
        />
        <NumberField
          {...common}
          label="Planned duration"
          unit="days"
          min={2}
          step={1}
          value={Number(experiment.duration)}
          fault={faultOf(faults, "duration")}
          onInput={(duration) => edit({ duration })}
        />
      </Section>
    </>
  );
}

function Groups({ draft, isWriter }: ExperimentSettingsProps) {
  const { groups } = draft.entity as unknown as Experiment;
  const set = (next: readonly Group[]) => draft.edit({ groups: next });
  const replace = (index: number, fields: Partial<Group>) =>
    set(groups.map((group, at) => (at === index ? { ...group, ...fields } : group)));
  const sum = groups.reduce((total, { size }) => total + Number(size), 0);
  const add = () => {
    const name = `Group ${groups.length + 1}`;
    set([...groups, { name, size: Math.max(0, 100 - sum), parameterValues: {}, id: "" }]);
  };
  return (
    <Section title="Groups">
      {groups.map((group, index) => (
        <fieldset class="rule" key={group.id === "" ? `new ${index}` : group.id}>
          <legend class="visually-hidden">{group.name}</legend>
          <GroupForm
            group={group}
            property={`groups[${index}]`}
            draft={draft}
            isWriter={isWriter}
            onChange={(fields) => replace(index, fields)}
          />
          {isWriter && groups.length > 1 && (
            <div class="rule-tools">
              <button
                type="button"
                class="quiet danger"
                onClick={() => set(groups.filter((_, at) => at !== index))}
              >
                Remove<span class="visually-hidden"> {group.name}</span>
              </button>
            </div>
          )}
        </fieldset>
      ))}
      <p class={sum > 100 ? "rule-rest fault" : "rule-rest soft"}>
        The groups have {sum} % together{sum < 100 && "; the rest gets no group"}.
      </p>
      {isWriter && (
        <button type="button" class="quiet" onClick={add}>
          Add a group
        </button>
      )}
    </Section>
  );
}

interface GroupFormProps {
  readonly group: Group;
  readonly property: string;
  readonly draft: Draft;
  readonly isWriter: boolean;
  readonly onChange: (fields: Partial<Group>) => void;
}

function GroupForm({ group, property, draft, isWriter, onChange }: GroupFormProps) {
  const fault = (name: string) => faultOf(draft.faults, `${property}.${name}`, true);
  const common = { disabled: !isWriter };
  return (
    <>
      <div class="columns">
        <TextField
          {...common}
          label="Name"
          value={group.name}
          fault={fault("name")}
          onInput={(name) => onChange({ name })}
        />
        <NumberField
          {...common}
          label="Size"
          unit="%"
          min={0}
          max={100}
          value={Number(group.size)}
          fault={fault("size")}
          onInput={(size) => onChange({ size })}
        />
      </div>
      <JsonField
        label="Parameters"
        value={group.parameterValues ?? {}}
        fault={fault("parameterValues")}
        disabled={!isWriter}
        onChange={(parameterValues) => onChange({ parameterValues })}
      />
    </>
  );
}

interface JsonFieldProps {
  readonly label: string;
  /** An object, or the text of the user that is not one yet. */
  readonly value: unknown;
  readonly fault: string | undefined;
  readonly disabled: boolean;
  readonly onChange: (value: Record<string, unknown>) => void;
}

/**
 * An object as JSON. Text that is not one goes into the draft as it is: the service refuses it, so nobody
 * saves an earlier value unseen.
 */
function JsonField({ label, value, fault, disabled, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() => textOf(value));
  const isOwn = JSON.stringify(parsedObject(text) ?? text) === JSON.stringify(value);
  useEffect(() => {
    // Edits were discarded, or somebody else has saved.
    if (!isOwn) setText(textOf(value));
  }, [isOwn, value]);
  return (
    <ValueEditor
      label={label}
      value={text}
      fault={fault}
      disabled={disabled}
      onInput={(next) => {
        setText(next);
        onChange(parsedObject(next) ?? (next as never));
      }}
    />
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
