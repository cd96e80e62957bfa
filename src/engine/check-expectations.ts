import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { SourceError } from "../base/errors.js";
import { isObject } from "../base/is-object.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { rejectCodeName } from "../base/reject-codes.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { Kernel } from "../batch/kernel.js";
import { createMapper } from "../mapper/create-mapper.js";
import type { Expectation } from "../options/expectations.js";
import type { CountRequest } from "../options/options.js";
import { discover } from "../run/run-inputs.js";
import { openMapperOptions } from "../run/run-setup.js";
import { openSources } from "../run/run-tools.js";
import { EventLines } from "../webhook/event-lines.js";

type Event = Readonly<Record<string, unknown>>;

/** The events and rejects that the mapping makes of the rows of an expectation. */
interface Made {
  readonly events: Event[];
  /** `<code>: <message>` of each reject. */
  readonly rejects: string[];
}

/** Maps the row of each expectation as an export would, and returns a line for each difference. */
export async function checkExpectations(
  expected: readonly Expectation[],
  options: CountRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const run = { ...options, outputDirectory: "" };
  const kernel = new Kernel();
  const opened = await openMapperOptions(run, signal);
  const withInsertID = options.mapping.insertID.length > 0;
  const mapper = createMapper(kernel, { ...opened.mapper, withInsertID });
  const lines = new EventLines(kernel);
  return inTemporaryDirectory("switchyard-expect", async (temporaryDirectory) => {
    const differences: string[] = [];
    for (const [index, one] of expected.entries()) {
      const directory = join(temporaryDirectory, String(index));
      const made = await makeEvents(one, directory);
      differences.push(...compare(one, made).map((text) => `expect[${index}]: ${text}`));
    }
    return differences;
  }).finally(() => opened.close());

  async function makeEvents({ row }: Expectation, directory: string): Promise<Made> {
    const made: Made = { events: [], rejects: [] };
    await mkdir(directory);
    const isText = typeof row === "string";
    await writeFile(join(directory, "row"), isText ? row : JSON.stringify(row));
    const { inputFormat, ...others } = run;
    const format = isText ? omitUndefined({ inputFormat }) : ({ inputFormat: "ndjson" } as const);
    const outputDirectory = join(directory, "out");
    const here = { inputs: ["row"], cwd: directory, notInputs: [], outputDirectory };
    const reading = { ...others, ...format, ...here };
    const { sources, failures } = await discover(reading, signal);
    made.rejects.push(...failures.map(({ code, message }) => `${code}: ${message}`));
    const { rowBytesMax, ratioMax, s3 } = options;
    const readerOptions = { rowBytesMax, ratioMax, s3, temporaryDirectory: directory, signal };
    const open = openSources(reading);
    for (const source of sources) {
      try {
        const reader = await open(
          kernel,
          { source, start: 0, end: null },
          mapper.fields,
          readerOptions,
        );
        for (let batch = await reader.next(); batch !== null; batch = await reader.next())
          takeEvents(mapper.map(batch), lines, made);
        await reader.close();
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        made.rejects.push(`${error.code}: ${error.message}`);
      }
    }
    return made;
  }
}

function takeEvents(events: EventBatch, lines: EventLines, { events: made, rejects }: Made): void {
  for (const { row, text } of lines.of(events)) {
    made.push({
      ...(JSON.parse(Buffer.from(text).toString()) as Event),
      userID: events.userID.text(row) ?? null,
      stableID: events.stableID.text(row) ?? null,
      insertID: events.insertID?.text(row) ?? null,
    });
  }
  for (let row = 0; row < events.rows; row++) {
    const outcome = events.kernel.bytes[events.outcomes + row] ?? outcomes.filtered;
    if (outcome === outcomes.deliver || outcome === outcomes.filtered) continue;
    rejects.push(`${rejectCodeName(outcome)}: ${events.explain(row)}`);
  }
}

/** Returns a line for each field that differs. Fields that are not expected are not compared. */
function compare({ event, reject }: Expectation, { events, rejects }: Made): readonly string[] {
  const got =
    rejects.length > 0
      ? `is rejected (${rejects.join("; ")})`
      : events.length === 0
        ? "is left out"
        : `becomes ${events.length === 1 ? "an event" : `${events.length} events`}`;
  if (reject !== undefined) {
    const isMet = rejects.some((text) => text.startsWith(`${reject}:`));
    return isMet ? [] : [`the row ${got}; it must be rejected as ${reject}`];
  }
  const wanted = event === null || event === undefined ? [] : [event].flat();
  if (rejects.length > 0 || events.length !== wanted.length) {
    const must =
      wanted.length === 0
        ? "be left out"
        : `become ${wanted.length === 1 ? "an event" : `${wanted.length} events`}`;
    return [`the row ${got}; it must ${must}`];
  }
  return wanted.flatMap((one, index) => {
    const name = wanted.length === 1 ? "event" : `event[${index}]`;
    return Object.entries(one).flatMap(([key, value]) => {
      const actual = events[index]?.[key];
      const expectedValue =
        key === "timestamp" && typeof value === "string" ? Date.parse(value) : value;
      return describeDifference(`${name}.${key}`, actual ?? null, expectedValue ?? null);
    });
  });
}

function describeDifference(path: string, actual: unknown, expected: unknown): readonly string[] {
  if (isDeepStrictEqual(actual, expected)) return [];
  if (isObject(actual) && isObject(expected)) {
    return [...new Set([...Object.keys(actual), ...Object.keys(expected)])].flatMap((key) =>
      describeDifference(`${path}.${key}`, actual[key], expected[key]),
    );
  }
  const words = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
  return [`${path} is ${words(actual)}, must be ${words(expected)}`];
}
