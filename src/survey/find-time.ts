import type { Mapping, TimeSource, WrittenChanges } from "../mapper/mapping.js";
import { type Fields, fieldAt } from "./field-summary.js";
import type { FoundTime } from "./survey.js";
import { findTimeForm, type TimeForm } from "./time-form.js";

/** How the times of a mapping are written, and what the mapping would have to say for it to read them. */
export interface TimeFinding {
  readonly time: FoundTime;
  readonly changes?: Pick<WrittenChanges, "timestamp">;
  readonly doubts: readonly string[];
}

/** Epoch units of a mapping, as `TimeForm.words` has them. */
const unitWords: Readonly<Record<string, string>> = {
  s: "epoch seconds",
  ms: "epoch milliseconds",
  us: "epoch microseconds",
  ns: "epoch nanoseconds",
};

/** `documentedZone`: of the tool's times that name none, where it says so. */
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
    return { time, doubts: [`The values of ${field} are not like times, or of several kinds.`] };
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

/** What the mapping has to say of the format; undefined where what it says fits. */
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
          `The times in ${field} name no zone and are taken as ${zone}. ` +
            'Where they are local, add "zone": "America/Los_Angeles" or the like to the timestamp.',
        ]
      : []),
  ];
}
