import { expect, it } from "vitest";
import { isNeeded, stageOf } from "../../src/output/output-paths.js";

it("does not need the content of parts, of rejects and of the files of others", () => {
  const needed = [
    "manifest.json",
    "events-by-day.jsonl",
    "_switchyard/plan.json",
    "_switchyard/spill/000001.index",
    "events/_delta_log/00000000000000000000.json",
  ];
  const others = [
    "_switchyard/spill/000001",
    "backup.tar",
    "_tmp/huge",
    "events/2026-01-01/part-000000-000.parquet",
  ];
  expect([...needed, ...others, "rejects/part-000000.jsonl"].filter(isNeeded)).toEqual(needed);
});

it("writes a file after those that it lists", () => {
  const inOrder = [
    "_switchyard/compacting/events+2026-01-01/change.json",
    "events/2026-01-01/part-000000-000.parquet",
    "_switchyard/splits/000000.events.json",
    "_switchyard/epochs/1/plan.json",
    "_switchyard/epochs/1/splits/e00001-000000.json",
    "events-by-day.jsonl",
    "manifest.json",
    "events/_delta_log/00000000000000000000.json",
  ];
  expect(inOrder.map(stageOf)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(stageOf("_switchyard/merges/plan.json")).toBe(2);
  expect(stageOf("_switchyard/merges/000000.json")).toBe(4);
  expect(stageOf("_switchyard/epochs/1/plan-0.jsonl")).toBe(2);
});
