import { ListField, TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { type Draft, faultOf } from "../editing/draft.js";

interface IDColumn {
  readonly statsigUnitID?: string;
  readonly serviceUnitID?: string;
  readonly column: string;
}

/** How the events are found: a query, the column of their time, and those of their IDs. */
export function QualifyingEventSettings({ draft, isWriter }: { draft: Draft; isWriter: boolean }) {
  const { entity, edit, faults } = draft;
  const common = { disabled: !isWriter };
  const text = (name: string) => String(entity[name] ?? "");
  const columns = (entity["idTypeMapping"] ?? []) as readonly IDColumn[];
  return (
    <Section title="Source">
      <TextField
        {...common}
        label="SQL"
        rows={6}
        value={text("sql")}
        fault={faultOf(faults, "sql")}
        hint="Query that returns the events."
        onInput={(sql) => edit({ sql })}
      />
      <TextField
        {...common}
        label="Time column"
        value={text("timestampColumn")}
        fault={faultOf(faults, "timestampColumn")}
        onInput={(timestampColumn) => edit({ timestampColumn })}
      />
      <ListField
        {...common}
        label="ID columns"
        values={columns.map((one) => `${one.serviceUnitID ?? one.statsigUnitID} = ${one.column}`)}
        fault={faultOf(faults, "idTypeMapping", true)}
        hint="Type of ID = column: userID = user_id."
        onInput={(texts) =>
          edit({
            idTypeMapping: texts.map((one) => {
              const [serviceUnitID = "", column = serviceUnitID] = one
                .split("=")
                .map((part) => part.trim());
              return { serviceUnitID, column };
            }),
          })
        }
      />
    </Section>
  );
}
