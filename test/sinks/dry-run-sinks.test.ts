import { expect, test } from "vitest";
import { outcomes } from "../../src/batch/event-batch.js";
import { Kernel } from "../../src/batch/kernel.js";
import { createCountingSink } from "../../src/sinks/dry-run-sinks.js";
import { eventRow, writeRows } from "./event-rows.js";

test("counts what is delivered, of each split from nothing, and has no parts", async () => {
  const kernel = new Kernel();
  const sink = createCountingSink();
  const fates = [outcomes.deliver, outcomes.filtered, 13, outcomes.deliver];
  const rows = fates.map((outcome) => eventRow({ outcome }));

  const first = sink.openSplit("000000");
  await writeRows(first, kernel, rows, 2);
  await writeRows(first, kernel, rows, 2);
  const written = await first.finish();

  const second = sink.openSplit("000001");
  await writeRows(second, kernel, rows.slice(0, 1), 1);
  await second.abort();
  const again = sink.openSplit("000001");
  expect((await again.finish()).rows).toBe(0);
  expect(written.rows).toBe(4);
  expect(await written.commit()).toEqual({ parts: [], counts: {} });
});
