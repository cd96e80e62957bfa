import { z } from "zod";

const text = z.string();
const count = z.int().min(0);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const figureSchema = z
  .strictObject({
    count: count.describe("Rows or events in all inputs."),
    error: count
      .nullable()
      .describe("Half of the confidence interval; 0 means exact, null that it is not known."),
  })
  .meta({ id: "figure" });

/** The part of a report that estimates all inputs from a sample. */
export const quickSchema = z.strictObject({
  isExact: z.boolean().describe("All rows were read, because the inputs are small."),
  confidence: z.number().describe("Probability that all exact numbers are within their errors."),
  units: count.describe("Pieces of files, row groups and inputs that were drawn."),
  beginnings: count.describe("Inputs and row groups of which only the beginning was read."),
  rows: z
    .strictObject({
      read: figureSchema,
      added: figureSchema,
      mapped: figureSchema,
      rejected: figureSchema,
      filtered: figureSchema,
    })
    .describe("As `rows` of the report, for all inputs."),
  rejects: z.array(z.strictObject({ code: text, rows: figureSchema })),
  events: z
    .array(z.strictObject({ event: text, rows: figureSchema }))
    .describe("The most frequent names that were found."),
  days: z.array(z.strictObject({ day, events: figureSchema })).describe("Days that were found."),
  unknown: z.array(text).describe("What the sample cannot tell."),
});
