import { z } from "zod";

const text = z.string();
const count = z.int().min(0);
const share = z.number().min(0).max(1);

export const estimateSchema = z
  .strictObject({
    count,
    error: share.describe("Standard error as a share of `count`; 0 means that the count is exact."),
  })
  .meta({ id: "estimate" });

export const topIDSchema = z.strictObject({
  id: text.describe("Long ids end in `…`; email addresses are written as `m…@…`."),
  rows: count.describe(
    "Its events. In `sharedUsers` and `sharedDevices` at least these, if there are more than `limits.ids` ids.",
  ),
  others: estimateSchema.describe("Distinct ids of the other kind in the same events."),
});

/** Forms of ids that are odd. */
const oddForms = ["blanks", "quotes", "decimal"] as const;
export type OddForm = (typeof oddForms)[number];

const oddIDsSchema = z
  .array(
    z.strictObject({
      field: z.enum(["userID", "stableID"]),
      form: z.enum(oddForms),
      rows: count,
      ids: count.nullable().describe("Distinct ids; null if there are too many to count."),
      twins: count
        .nullable()
        .describe("Ids that are the same as another one in the usual form; null like `ids`."),
      examples: z.array(text),
    }),
  )
  .describe(
    "Ids with blanks or characters of no width around them, in quotes as JSON texts are, or with a fraction of zero, such as `1000.0`.",
  );

export const identitySchema = z.strictObject({
  both: count.describe("Events with a user id and a device id."),
  userOnly: count,
  deviceOnly: count,
  none: count.describe("Events with neither, which the mapping allows."),
  filled: count
    .exactOptional()
    .describe("Events whose user id is from the table of `identity`; among those with both."),
  same: count.describe("Events whose user id is their device id; typical of anonymous visitors."),
  devicePrefixes: count.describe("Events whose user id begins with `$device:`."),
  generatedAlone: count.describe(
    "Events without a device id whose user id has the shape that libraries generate for devices, such as a UUID.",
  ),
  generatedBeside: count.describe("The same of events that have another device id."),
  users: estimateSchema.describe("Distinct user ids."),
  devices: estimateSchema.describe("Distinct device ids."),
  emailUsers: count.describe("Events whose user id contains an email address."),
  emailDevices: count.describe("The same of device ids."),
  junkIDs: z
    .array(z.strictObject({ field: z.enum(["userID", "stableID"]), value: text, rows: count }))
    .describe("Placeholder ids, such as `0`, `null` and the zero UUID, as written in the export."),
  oddIDs: oddIDsSchema,
  topUsers: z
    .array(topIDSchema)
    .describe("User ids with the most events; only those that are certain, with exact `rows`."),
  sharedUsers: z.array(topIDSchema).describe("User ids with the most device ids, at least ten."),
  topDevices: z.array(topIDSchema).describe("The same of device ids."),
  sharedDevices: z.array(topIDSchema).describe("Device ids with the most user ids, at least ten."),
});
