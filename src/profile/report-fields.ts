import { z } from "zod";

const text = z.string();
const count = z.int().min(0);

/** Members of an object that is about one row. */
export const position = {
  source: text.describe("File, or entry of an archive."),
  row: count.exactOptional().describe("Row of the source, counted from 1."),
  byte: count.exactOptional().describe("Byte of the source at which the row begins."),
  element: text
    .exactOptional()
    .describe("Number of the element of the row, from 1, if the mapping has `rows`."),
};

/** Rows of a property by the personal contents of its values. */
export const personalSchema = z
  .strictObject({
    rows: count,
    emails: count.describe("Events whose value contains an email address."),
    secrets: count.describe(
      "Events whose value contains a secret, such as a parameter `token` of a URL.",
    ),
    beyondQuery: count.describe("Events with any of it outside of the queries of URLs."),
  })
  .exactOptional()
  .describe("Events whose value contains email addresses or secrets, if there are any.");

export const unusedFieldsSchema = z.array(
  z.strictObject({
    field: text.describe("Path with dots."),
    share: z.number().min(0).max(1).describe("Share of the sampled rows that have a value."),
  }),
);

export const missingFieldsSchema = z.array(
  z.strictObject({
    target: text.describe("Target of the mapping."),
    fields: z.array(text).describe("Paths with dots; rows need a value in one of them."),
    rows: count.describe("Rows of the sources in which no row has a value."),
    sources: count.describe("Number of these sources."),
    sourcesTotal: count,
    names: z.array(text).describe("The first of these sources."),
  }),
);

export const renamedFieldsSchema = z.array(
  z.strictObject({
    target: text.describe("Target of the mapping."),
    path: z.array(text).describe("Path of the field that has the values."),
    rows: count.describe("Rows that have the field, and no value for the target."),
    lacking: count.describe("Rows without a value for the target."),
    isExact: z.boolean().describe("False if `rows` is an estimate by a sample of the rows."),
    isSure: z.boolean().describe("Name or values of the field are those of the target."),
    first: z.strictObject(position).describe("The first of the rows that were looked at."),
  }),
);
