import { expect, it } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { outputFormat } from "../../src/formats/output-formats.js";
import { PartSizes } from "../../src/sinks/part-sizes.js";
import { eventBatch, eventRow } from "./event-rows.js";

const kernel = new Kernel();
const format = await outputFormat("jsonl").createFormat(kernel, {
  compression: "snappy",
  csvSafe: false,
  withInsertID: false,
});

/** Numbers of the splits, of `count` in order, in which parts are measured. */
function measuredOf(count: number, rows: number): readonly number[] {
  const sizes = new PartSizes(kernel, format);
  return Array.from({ length: count }, (_, split) => split).filter((split) => {
    sizes.begin(split);
    const events = eventBatch(
      kernel,
      Array.from({ length: rows }, () => eventRow({})),
    );
    sizes.take(events);
    const measured = sizes.measure();
    events.free();
    return measured.length > 0;
  });
}

it("measures parts in the first splits, and in some of the further ones", () => {
  expect(measuredOf(14, 20)).toEqual([0, 1, 2, 3, 4, 8, 12]);
  expect(measuredOf(5, 0)).toEqual([]);
});

it("measures a part of the first event, of the first 16, and of all", () => {
  const sizes = new PartSizes(kernel, format);
  sizes.begin(0);
  const metadata = `{"a":"${"x".repeat(40)}"}`;
  const events = eventBatch(kernel, [
    eventRow({ metadata }),
    ...Array.from({ length: 39 }, () => eventRow({})),
  ]);
  sizes.take(events);
  const measured = sizes.measure();
  events.free();
  expect(measured).toHaveLength(3);
  for (const [jsonBytes, partBytes] of measured) expect(jsonBytes).toBe(partBytes);
});
