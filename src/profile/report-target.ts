import { z } from "zod";
import { repairs, targetRules } from "../target/target-rules.js";

const text = z.string();
const count = z.int().min(0);

/** Rules that a report tells: those for one event, and the one for days. */
const reportedRules = [...targetRules, "day"] as const;

const renameSchema = z.strictObject({
  old: text.describe("A name; a path of metadata is joined by dots."),
  new: text.describe("The name that the repair gives it."),
  events: count,
});

/** The part of a report about the platform that the events are for. */
export const targetReportSchema = z
  .strictObject({
    name: text,
    title: text.describe("Name of the platform in texts."),
    repair: z.array(z.enum(repairs)).describe("Repairs of the run."),
    events: count.describe("Events that would arrive or not, after rejects and filters."),
    lost: count.describe("Events that the target would drop as they are."),
    changed: count.describe("Other events of which it would change or not find a part."),
    rules: z
      .array(
        z.strictObject({
          rule: z.enum(reportedRules),
          isRepaired: z.boolean().describe("The events were repaired, or are by another zone."),
          events: count.describe("Events that break the rule, or did before the repair."),
          names: z.array(renameSchema).describe("The names that break it, most events first."),
          otherNames: count.describe("Names beyond the limit of the list."),
          moreNames: z
            .literal(true)
            .exactOptional()
            .describe("There are more names than were counted: `otherNames` is at least this."),
          sources: z.array(text).describe("Pages of the platform's documentation that say so."),
        }),
      )
      .describe("The rules that events break."),
    billed: count
      .nullable()
      .describe("Events that the platform bills: all that it takes; null if it is not known."),
    reloaded: count
      .exactOptional()
      .describe(
        "Events of announced days that an export of these inputs would change; the platform may load, and bill, them again. Absent if the output has announced no day.",
      ),
  })
  .meta({ id: "target" });
