import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runValidate } from "../../../src/engine/run-validate.js";
import { configurationOf } from "../../../src/library/library-configuration.js";
import type { QuickLimits } from "../../../src/options/options.js";
import { resolveValidateRequest } from "../../../src/options/run-options.js";
import type { CountedReport } from "../../../src/run/report/fold-report.js";
import { longTest } from "../../support/long-test.js";
import { scratchDirectory } from "../../support/scratch.js";
import { shapes, writeShape } from "./quick-shapes.js";

const root = scratchDirectory("quick");

/** So small that generated exports are large. */
const limits: QuickLimits = { units: 60, pieceBytes: 6_000, firstRows: 100 };

async function validate(
  directory: string,
  quick?: QuickLimits,
  threads = 2,
): Promise<CountedReport> {
  // Names that are the same on every machine: they choose the sample.
  const options = { cwd: directory, inputs: ["."], timeLimits: "..2027-01-01", threads };
  const configuration = await configurationOf(options, ["validate", "export"]);
  const request = { ...resolveValidateRequest(configuration), ...(quick && { quick }) };
  const context = { signal: new AbortController().signal, observer: {} };
  return (await runValidate(request, context)).counted;
}

interface Checked {
  readonly name: string;
  readonly exact: number;
  readonly count: number;
  readonly error: number | null;
}

/** Returns the figures of a quick report beside those of a whole one. */
function figuresOf(quick: CountedReport, whole: CountedReport): readonly Checked[] {
  const estimates = quick.sample.quick;
  if (estimates === undefined) throw new Error("no estimates");
  const { rows, rejects, events, days } = estimates;
  const exactOf = <Item>(
    items: readonly Item[],
    is: (item: Item) => boolean,
    of: (item: Item) => number,
  ) => {
    const found = items.find(is);
    return found === undefined ? 0 : of(found);
  };
  return [
    ...(["read", "mapped", "rejected", "filtered"] as const).map((name) => ({
      name,
      exact: whole.rows[name],
      ...rows[name],
    })),
    ...rejects.map(({ code, rows: figure }) => ({
      name: code,
      exact: exactOf(
        whole.rejects,
        (one) => one.code === code,
        (one) => one.rows,
      ),
      ...figure,
    })),
    ...events.map(({ event, rows: figure }) => ({
      name: event,
      exact: exactOf(
        whole.events,
        (one) => one.event === event,
        (one) => one.rows,
      ),
      ...figure,
    })),
    ...days.map(({ day, events: figure }) => ({
      name: day,
      exact: exactOf(
        whole.days,
        (one) => one.day === day,
        (one) => one.events,
      ),
      ...figure,
    })),
  ];
}

function written(name: string): Promise<string> {
  const shape = shapes.find((one) => one.name === name);
  if (shape === undefined) throw new Error(`no shape ${name}`);
  return writeShape(shape, root);
}

/** Figures of all shapes, for the share that is within its error. */
const checked: Checked[] = [];

const isHeld = ({ exact, count, error }: Checked) =>
  error !== null && Math.abs(exact - count) <= error;

longTest.each(shapes)("estimates $name", async (shape) => {
  const directory = await writeShape(shape, root);
  const quick = await validate(directory, limits);
  expect(quick.sample.share).toBeLessThan(0.95);
  const whole = await validate(directory);
  const figures = figuresOf(quick, whole);
  checked.push(...figures);
  // Rejects that are next to each other are what a sample cannot tell, and says so.
  const ofBursts = ["mapped", "rejected", ...whole.rejects.map(({ code }) => code)];
  const beyond = figures.filter((one) => !isHeld(one)).map(({ name }) => name);
  expect(beyond.filter((name) => !ofBursts.includes(name))).toEqual([]);
  expect(beyond.length).toBeLessThan(4);
});

longTest("has errors that say something", () => {
  expect(checked.length).toBeGreaterThan(250);
  // Errors that hold because they are huge would say nothing.
  const widths = checked.map(({ count, error }) => (error ?? count) / Math.max(1, count));
  expect(widths.toSorted((one, other) => one - other)[widths.length >> 1]).toBeLessThan(0.5);
});

it("gives the same figures with any number of threads, and again", async () => {
  const directory = await written("one CSV, by time");
  const { quick } = (await validate(directory, limits)).sample;
  expect((await validate(directory, limits, 1)).sample.quick).toEqual(quick);
});

it("reads small inputs as a whole, and says that figures are exact", async () => {
  const directory = await written("some Parquet files, without order");
  const whole = await validate(directory);
  const { sample } = await validate(directory, { ...limits, pieceBytes: 100_000 });
  expect(sample).toMatchObject({ share: 1, quick: { isExact: true, units: 0, unknown: [] } });
  expect(sample.quick?.rows.mapped).toEqual({ count: whole.rows.mapped, error: 0 });
  expect(sample.quick?.days.map(({ events }) => events.count)).toEqual(
    whole.days.map(({ events }) => events),
  );
});

it("says that only beginnings were read, and that the first and last days may be others", async () => {
  const { sample } = await validate(await written("files of JSON arrays"), limits);
  expect(sample.quick?.beginnings).toBeGreaterThan(1);
  expect(sample.quick?.unknown).toEqual([
    expect.stringContaining("does not find repeated events"),
    expect.stringMatching(/with fewer than about [\d,]+ rows may be missing/),
    expect.stringMatching(/^Events may begin before 2026-01-01 and end after 2026-01-12/),
    expect.stringMatching(/^Only the beginning of \d+ inputs or row groups/),
  ]);
});

it("knows no error for inputs of which one alone was drawn", async () => {
  const many = await written("files of JSON arrays");
  const directory = join(root, "one");
  mkdirSync(directory);
  copyFileSync(join(many, "part-003.json"), join(directory, "a.json"));
  const { quick } = (await validate(directory, { ...limits, pieceBytes: 100 })).sample;
  expect(quick).toMatchObject({ units: 1, beginnings: 1, rows: { read: { error: null } } });
});
