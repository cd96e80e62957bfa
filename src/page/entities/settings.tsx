import { Warnings } from "../../ui/feedback.js";
import { ListField, SelectField, TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { type Draft, faultOf } from "../editing/draft.js";
import type { Kind } from "../editing/kinds.js";
import { RulesEditor } from "../editing/rules-editor.js";
import { ValueEditor } from "../editing/value-editor.js";
import { ExperimentSettings } from "../experiments/experiment-settings.js";
import { PromptContent } from "./prompt-content.js";
import { QualifyingEventSettings } from "./qualifying-event-settings.js";
import { SegmentIDs } from "./segment-ids.js";

interface SettingsProps {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly isWriter: boolean;
}

/** The form of an entity: its rules and values, then what describes it. */
export function Settings({ kind, draft, isWriter }: SettingsProps) {
  const elsewhere = draft.warnings.filter(({ property }) => !property.startsWith("rules["));
  return (
    <div class="settings">
      <Warnings warnings={elsewhere} />
      {kind.hasRules && draft.entity.type !== "id_list" && (
        <RulesEditor draft={draft} isWriter={isWriter} hasValues={kind.root === "configs"} />
      )}
      {draft.entity.type === "id_list" && <SegmentIDs segment={draft.stored} isWriter={isWriter} />}
      {kind.root === "configs" && <ConfigValues draft={draft} isWriter={isWriter} />}
      {kind.root === "experiments" && <ExperimentSettings draft={draft} isWriter={isWriter} />}
      {kind.root === "prompts" && <PromptContent draft={draft} isWriter={isWriter} />}
      {kind.root === "qualifying-events" && (
        <QualifyingEventSettings draft={draft} isWriter={isWriter} />
      )}
      <Description kind={kind} draft={draft} isWriter={isWriter} />
    </div>
  );
}

function ConfigValues({ draft, isWriter }: Omit<SettingsProps, "kind">) {
  const { entity, edit, faults } = draft;
  return (
    <Section title="Values">
      <ValueEditor
        label="Default value"
        hint="What everyone gets whom no rule gives another value, and everyone while the config is off. JSON5: comments are kept."
        value={textOf(entity, "defaultValue")}
        fault={faultOf(faults, "defaultValueJson5", true) ?? faultOf(faults, "defaultValue", true)}
        disabled={!isWriter}
        onInput={(defaultValueJson5) => edit({ defaultValueJson5 })}
      />
      <ValueEditor
        label="Schema"
        hint="A JSON Schema (2020-12) that every value must fit. Empty: any object."
        value={textOf(entity, "schema")}
        fault={faultOf(faults, "schemaJson5", true) ?? faultOf(faults, "schema", true)}
        disabled={!isWriter}
        onInput={(text) => edit({ schemaJson5: text.trim() === "" ? null : text })}
      />
    </Section>
  );
}

/** The JSON5 text of a field that comes as a pair. */
function textOf(entity: Readonly<Record<string, unknown>>, field: string): string {
  const json5 = entity[`${field}Json5`];
  if (typeof json5 === "string") return json5;
  const value = entity[field];
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

const gateTypes = [
  { value: "TEMPORARY", label: "Temporary: remove it when the feature is out" },
  { value: "PERMANENT", label: "Permanent" },
] as const;

function Description({ kind, draft, isWriter }: SettingsProps) {
  const { entity, edit, faults } = draft;
  const common = { disabled: !isWriter };
  return (
    <Section title="About">
      <TextField
        {...common}
        label="Description"
        rows={3}
        value={entity.description ?? ""}
        fault={faultOf(faults, "description")}
        onInput={(description) => edit({ description })}
      />
      <ListField
        {...common}
        label="Tags"
        values={entity.tags ?? []}
        fault={faultOf(faults, "tags", true)}
        onInput={(tags) => edit({ tags })}
      />
      {kind.root === "gates" && (
        <SelectField
          {...common}
          label="Kind of gate"
          value={entity.type ?? ""}
          choices={gateTypes}
          onInput={(type) => edit({ type })}
        />
      )}
      {entity.idType !== undefined && kind.root !== "prompts" && (
        <TextField
          {...common}
          label="ID type"
          value={entity.idType}
          fault={faultOf(faults, "idType")}
          hint="Percentages are of these IDs: userID, stableID, or an ID of your own."
          onInput={(idType) => edit({ idType })}
        />
      )}
    </Section>
  );
}
