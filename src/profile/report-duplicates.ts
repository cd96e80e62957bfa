import { z } from "zod";

const count = z.int().min(0);
const amount = z.number().min(0);
/** Members of an estimate, which an exact count makes needless. */
const absent = "Absent if duplicates are counted exactly.";
const text = z.string();

/** Repeated events, as a report counts them. */
export const duplicatesSchema = z
  .strictObject({
    withInsertID: count.describe("Events that have an insert id; 0 if the mapping names none."),
    withinSplits: count.exactOptional().describe(`Repetitions within one split; exact. ${absent}`),
    unknown: count
      .exactOptional()
      .describe(`Events not compared, because their splits have too many insert ids. ${absent}`),
    estimated: count.exactOptional().describe(`Repetitions in all inputs; an estimate. ${absent}`),
    error: amount.exactOptional().describe(`Standard error of \`estimated\`, in events. ${absent}`),
    exact: z
      .strictObject({
        rows: count,
        within: text.describe("`day` or `all`."),
        by: z.array(text).describe("Targets of the key."),
        removed: z.boolean().describe("True with `dedupe`: `mapped` is without them."),
        days: z.array(z.strictObject({ day: text, rows: count })),
        sources: z.array(z.strictObject({ source: text, rows: count })),
        events: z.array(z.strictObject({ event: text, rows: count })),
      })
      .exactOptional()
      .describe(
        "Events that `dedupe` removes, or would remove; exact. Absent for a sample, and without insert ids.",
      ),
  })
  .describe("Events whose insert id occurred before.");
