import { z } from "zod";

const text = z.string();
const count = z.int().min(0);
const share = z.number().min(0).max(1);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const tone = z.enum(["error", "warning", "good"]);
const verdict = z.strictObject({ tone, sentence: text });
const volume = { before: count, after: count };

/** A list of differences, the largest first. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ total: count, items: z.array(item).describe("The first of them.") });

const fieldOf = {
  of: z.enum(["metadata", "user"]),
  key: text,
};

const fieldSchema = z.strictObject({
  ...fieldOf,
  events: z.array(text).describe("The first names whose events have the key; empty for `user`."),
  eventsTotal: count,
  rows: count.describe("Events that have the key."),
});

const findingSchema = z.strictObject({
  code: text,
  severity: z.enum(["error", "warning", "info"]),
  title: text,
});

/** The part of a report about an earlier one. `before` is the earlier report, `after` this one. */
export const comparisonSchema = z.strictObject({
  earlier: z
    .strictObject({
      file: text,
      version: text.describe("Version of Switchyard."),
      startedAt: text.nullable().describe("Null for a result of `--json`."),
    })
    .describe("The report that this one is compared with."),
  verdict: z
    .strictObject({ before: verdict, after: verdict })
    .exactOptional()
    .describe("Absent if the sentence is the same."),
  rows: z
    .array(z.strictObject({ figure: text, ...volume }))
    .describe("Counts of `rows` that differ."),
  rejects: z
    .array(z.strictObject({ code: text, ...volume }))
    .describe("Reasons whose rejected rows differ; 0 where a reason is not in a report."),
  findings: z
    .strictObject({ came: z.array(findingSchema), went: z.array(findingSchema) })
    .describe("Findings that only one of the reports has, without accepted ones."),
  events: z
    .strictObject({
      came: listOf(z.strictObject({ event: text, rows: count })),
      went: listOf(z.strictObject({ event: text, rows: count })),
      changed: listOf(z.strictObject({ event: text, ...volume })),
    })
    .describe("Event names that came or went, or whose events are noticeably more or fewer."),
  fields: z
    .strictObject({
      came: listOf(fieldSchema),
      went: listOf(fieldSchema),
      changed: listOf(
        z.strictObject({
          ...fieldOf,
          event: text.exactOptional().describe("Absent for `user`."),
          before: share,
          after: share,
        }),
      ),
    })
    .describe(
      "Keys of `metadata`, of names in both reports, and of `user`: those that came or went, and those whose fill changed noticeably.",
    ),
  days: z
    .strictObject({
      came: listOf(z.strictObject({ day, events: count })),
      went: listOf(z.strictObject({ day, events: count })),
      changed: listOf(z.strictObject({ day, ...volume })),
    })
    .describe("Days with events that came or went, or with another number of events; in order."),
  unknown: z
    .array(text)
    .describe("What the two reports cannot tell, such as names that a list does not have."),
});
