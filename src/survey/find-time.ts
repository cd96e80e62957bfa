import type { Mapping, TimeSource, WrittenChanges } from "../mapper/mapping.js";
import { type Fields, fieldAt } from "./field-summary.js";
import type { FoundTime } from "./survey.js";
import { findTimeForm, type TimeForm } from "./time-form.js";

/** The form of a mapping's times, and the changes that the mapping needs to read them. */
interface TimeFinding {
  readonly time: FoundTime;
  readonly changes?: Pick<WrittenChanges, "timestamp">;
  readonly doubts: readonly string[];
}

/** Epoch units of a mapping, in the words of `TimeForm`. */
const unitWords: Readonly<Record<string, string>> = {
  s: "epoch seconds",
  ms: "epoch milliseconds",
  us: "epoch microseconds",
  ns: "epoch nanoseconds",
};

/** Finds the form of the times. `documentedZone` is the zone that the tool documents for its times. */
export function findTime(
  fields: Fields,
  { timestamp }: Mapping,
  documentedZone: string | undefined,
): TimeFinding {
  const choice = timestamp.find(({ path }) => (fieldAt(fields, path)?.scalars.length ?? 0) > 0);
  const { path, zone } = choice ?? (timestamp[0] as TimeSource);
  const field = path.join(".");
  const form = findTimeForm(fieldAt(fields, path)?.scalars ?? []);
  const time = { field, form, zone };
  if (choice === undefined || form === undefined) {
    return { time, doubts: [`The values of ${field} are not times, or have several forms.`] };
  }
  const doubts = doubtsOf(time, form, documentedZone);
  const format = formatFor(choice, form);
  if (format === undefined) return { time, doubts };
  const own = path.some((step) => step.includes(".")) ? [...path] : field;
  const kept = choice.shifted ? { shifted: true } : {};
  return {
    time,
    changes: { timestamp: { field: own, format, ...(zone === "UTC" ? {} : { zone }), ...kept } },
    doubts,
  };
}

/** Returns the format that the mapping needs; undefined if its own fits. */
function formatFor({ format }: TimeSource, form: TimeForm): string | undefined {
  const unit = unitWords[format];
  if (unit !== undefined && form.words.startsWith("epoch") && form.words !== unit) return "auto";
  return form.format !== undefined && format === "auto" ? form.format : undefined;
}

function doubtsOf(
  { field, zone }: FoundTime,
  form: TimeForm,
  documentedZone: string | undefined,
): readonly string[] {
  const { isLocal, format, otherFormat } = form;
  return [
    ...(otherFormat === undefined
      ? []
      : [
          `The times in ${field} are read as ${format}; ${otherFormat} would read them as well. ` +
            "Look at a few of the exported days.",
        ]),
    ...(isLocal && documentedZone === undefined
      ? [
          `The times in ${field} name no zone and are read as ${zone}. ` +
            'If they are local, add "zone": "America/Los_Angeles" or the like to the timestamp.',
        ]
      : []),
  ];
}
