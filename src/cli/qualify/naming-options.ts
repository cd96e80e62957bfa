import type { QualifyOptions } from "../../console/qualify-plan.js";
import type { OptionValues } from "../../pipeline/configuration/configuration-options.js";

/** What qualifying events are to be called and to say, where nothing else is given. */
export function namingOptionsOf(
  values: OptionValues,
): Pick<QualifyOptions, "nameTemplate" | "sqlTemplate" | "table" | "timestampColumn" | "tags"> {
  return {
    nameTemplate: values.nameTemplate ?? "{event}",
    sqlTemplate: values.sqlTemplate ?? "SELECT * FROM {table} WHERE event = {event}",
    table: values.table ?? "events",
    timestampColumn: values.timestampColumn ?? "timestamp",
    tags: values.tag,
  };
}
