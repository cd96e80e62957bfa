import { z } from "zod";
import { isZone } from "../base/luxon-zone.js";
import { once } from "../base/once.js";
import { mustBe } from "../base/schema.js";

const text = () => z.string().min(1);
const count = () => z.int().min(1);
const page = () =>
  z.url({ protocol: /^https?$/ }).describe("A page of the platform's documentation that says so.");
const sources = () =>
  z.array(page()).describe("The pages of the platform's documentation that say so.");
const charactersMax = () => count().describe("The most characters, as UTF-16 units.");

/** A suffix of renamed names has these, so that a target has to allow them. */
const suffixCharacters = /[~0-9a-z]/;

const names = () =>
  z
    .strictObject({
      forbidden: z
        .string()
        .refine((all) => !suffixCharacters.test(all), mustBe("without ~, a to z and digits"))
        .exactOptional()
        .describe("Events whose name has one of these characters are dropped."),
      charactersMax: charactersMax()
        .min(32)
        .exactOptional()
        .describe("Events with longer names are dropped. UTF-16 units."),
      prefixes: z
        .record(text(), text())
        .default({})
        .describe(
          "Repaired beginnings of names, such as `$` to `auto:`. Other names that are not valid get a suffix.",
        ),
      sources: sources(),
    })
    .describe("Rules for the names of events.");

const values = () =>
  z
    .strictObject({ charactersMax: charactersMax(), sources: sources() })
    .describe("Rules for the value of an event; longer ones are cut.");

const metadata = () =>
  z
    .strictObject({
      dotsAreLost: z
        .boolean()
        .default(false)
        .describe("A key with a dot is read as a path, so that its value is lost."),
      nestedIsText: z
        .boolean()
        .default(false)
        .describe("Objects and arrays below the first level are stored as text."),
      charactersMax: charactersMax()
        .exactOptional()
        .describe("Events with longer metadata, as JSON, are dropped. UTF-16 units."),
      sources: sources(),
    })
    .describe("Rules for the metadata of an event.");

const users = () =>
  z
    .strictObject({
      fields: z
        .record(text().max(90), z.array(text()).min(1))
        .refine(
          (fields) => Object.values(fields).flat().length + Object.keys(fields).length < 256,
          mustBe("a list of fewer than 256 fields and properties"),
        )
        .describe(
          "Fields that the platform looks for at the top level of the user, each with the properties that fill it; the first that has a value wins.",
        ),
      sources: sources(),
    })
    .describe("Rules for the user of an event.");

const days = () =>
  z
    .strictObject({
      zone: z.string().refine(isZone, mustBe("a time zone")).describe("The zone of its days."),
      sources: sources(),
    })
    .describe("The days that the platform counts.");

const files = () =>
  z
    .strictObject({
      columns: z
        .array(text())
        .min(1)
        .describe("The columns of the files, in the form of the option `columns`."),
      sources: sources(),
    })
    .describe("The files that the platform loads from an object store.");

const send = () =>
  z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).describe("Address that takes batches of events."),
      body: z
        .literal("log_event")
        .describe('`{"events": [{"eventName", "time", "user", "metadata", "value"}]}`.'),
      authHeader: text().describe("Header that carries the key."),
      batchSize: count()
        .max(1_000)
        .describe("Events of one request, unless the user names a number."),
      success: z
        .record(text(), z.union([z.string(), z.number(), z.boolean()]))
        .exactOptional()
        .describe("Members that an answer has if the events were accepted."),
      sources: sources(),
    })
    .describe("The address of events, beside the event webhook.");

const consoleLimits = () =>
  z
    .strictObject({
      writes: z
        .array(z.strictObject({ requests: count(), seconds: count() }))
        .min(1)
        .describe("The most requests that change something, in each of these times."),
      authHeader: text().describe("Header that carries the key."),
      sources: sources(),
    })
    .describe("The limits of the console API.");

const ready = () =>
  z
    .strictObject({
      marker: z
        .strictObject({
          directory: z
            .string()
            .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
            .describe("Directory of the markers, beside the day directories."),
          column: text().describe("The one column of the marker file; its rows are finished days."),
        })
        .exactOptional()
        .describe("Days are announced by a Parquet file that lists all that are finished."),
      call: z
        .strictObject({
          url: z.url({ protocol: /^https?$/ }).describe("Address that takes announcements."),
          authHeader: text().describe("Header that carries the server secret."),
          day: text().describe("The member of the body with the day, YYYY-MM-DD."),
          body: z.record(text(), z.string()).default({}).describe("Other members of the body."),
          secondsApart: z
            .int()
            .min(0)
            .describe("Seconds between two calls; each announces one day."),
        })
        .exactOptional()
        .describe("Days are announced by a call for each."),
      reload: text().describe(
        "How the platform loads days again that change after they were loaded.",
      ),
      sources: sources(),
    })
    .describe("How the platform is told that the events of a day are complete.");

/**
 * The one schema of targets, of the built-in ones and of users' own. Every rule names the pages that say
 * so, because a platform changes and nobody can check a rule without its source.
 */
export const targetSchema = once(() =>
  z.strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_-]*$/),
    title: text().describe("The name of the platform in messages."),
    names: names().exactOptional(),
    values: values().exactOptional(),
    metadata: metadata().exactOptional(),
    users: users().exactOptional(),
    days: days().exactOptional(),
    files: files().exactOptional(),
    send: send().exactOptional(),
    ready: ready().exactOptional(),
    console: consoleLimits().exactOptional(),
    billing: z
      .strictObject({ perEvent: z.literal(true), sources: sources() })
      .exactOptional()
      .describe("The platform bills each event that it takes, also one that is loaded again."),
  }),
);
