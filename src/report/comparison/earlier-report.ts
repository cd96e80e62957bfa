import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { UsageError } from "../../base/errors.js";
import { option } from "../../base/option-text.js";
import { checkValue, faultLines } from "../../base/schema.js";
import { REPORT_VERSION } from "../../profile/report.js";

/** A larger file is not a report; one of 20,000 keys with all their values has about 100 MB. */
const REPORT_BYTES_MAX = 400_000_000;
const FAULTS_SHOWN_MAX = 3;

const text = z.string();
const count = z.number().min(0);

// Older versions have fewer members, newer ones more: only what is compared is read.
const properties = z.object({
  keys: z.array(z.object({ key: text, rows: count, fill: count })),
  rows: count,
  otherKeys: z.object({ values: count }),
});

const commonShape = {
  version: text,
  sample: z.object({ share: count }),
  limit: z.object({ partial: z.boolean() }).optional(),
  rows: z.object({
    read: count,
    added: count.optional(),
    mapped: count,
    rejected: count,
    filtered: count,
  }),
  rejects: z.array(z.object({ code: text, rows: count })),
  findings: z.array(
    z.object({
      code: text,
      severity: z.enum(["error", "warning", "info"]),
      title: text,
      event: text.optional(),
      property: text.optional(),
      day: text.optional(),
      rejectCode: text.optional(),
      acceptedBecause: text.optional(),
      fix: z.object({ path: z.array(text) }).optional(),
    }),
  ),
  verdict: z.object({ tone: z.enum(["error", "warning", "good"]), sentence: text }),
};

const detailShape = {
  run: z.object({ startedAt: text }),
  configuration: z.record(text, z.unknown()),
  dayZone: text,
  days: z.array(z.object({ day: text, events: count })),
  otherDays: z.object({ rows: count }),
  events: z.array(z.object({ event: text, rows: count, properties: properties.nullable() })),
  otherEvents: z.object({ rows: count }),
  userProperties: properties,
};

const reportShape = z.object({
  reportVersion: z.literal(REPORT_VERSION),
  ...commonShape,
  ...detailShape,
});
const resultShape = z.object({ command: z.literal("validate"), ...commonShape });

type Details = z.output<z.ZodObject<typeof detailShape>>;

/** The parts of an earlier report that are compared. */
export type EarlierReport = z.output<z.ZodObject<typeof commonShape>> & {
  readonly file: string;
  /** Absent for a result of `--json`, which has no events, days and fields. */
  readonly details?: Details;
};

/**
 * Reads a `report.json`, or the result of `validate --json`, of this or an older version. Throws
 * `UsageError` if the file is something else.
 */
export async function readEarlierReport(file: string): Promise<EarlierReport> {
  const value = parse(file, await readText(file));
  const isResult =
    typeof value === "object" &&
    value !== null &&
    "command" in value &&
    !("reportVersion" in value);
  if (isResult) return { ...checked(file, resultShape, value), file };
  const { run, configuration, dayZone, days, otherDays, events, ...rest } = checked(
    file,
    reportShape,
    value,
  );
  const { otherEvents, userProperties, ...common } = rest;
  const listed = { days, otherDays, events, otherEvents, userProperties };
  return { ...common, file, details: { run, configuration, dayZone, ...listed } };
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > REPORT_BYTES_MAX)
      throw refusal(file, `it has ${size} bytes, and a report at most ${REPORT_BYTES_MAX}`);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw refusal(file, (error as Error).message, error);
  }
}

function parse(file: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw refusal(file, `it is not valid JSON (${(error as Error).message})`, error);
  }
}

function checked<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const { value: output, faults } = checkValue(schema, value);
  if (faults === undefined) return output;
  const lines = faultLines(faults);
  const more = lines.length - FAULTS_SHOWN_MAX;
  const shown = [...lines.slice(0, FAULTS_SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
  throw refusal(file, `it is not a report of validate: ${shown.join("; ")}`);
}

function refusal(file: string, reason: string, cause?: unknown): UsageError {
  return new UsageError(
    "compare_invalid",
    `${file} cannot be compared with: ${reason}. Pass ${option("compare")} the report.json of an earlier dry run, or its --json result.`,
    { cause },
  );
}
