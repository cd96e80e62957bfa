import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { canonicalEvent } from "../support/canonical-event.js";
import { runInProcess } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { scratchDirectory } from "../support/scratch.js";

const lake = fileURLToPath(new URL("../../fixtures/sources/snowplow/lake", import.meta.url));

test("init names the columns of all kinds of events in Snowplow's lake", async () => {
  const cwd = scratchDirectory("kind-columns");
  const found = await runInProcess(["init", join(lake, "inputs")], { cwd });
  expect(found, found.stderr).toMatchObject({ exitCode: 0 });
  const written = readFileSync(join(cwd, "pipeline.config.json"), "utf8");
  // No row of the second kind is in the sample.
  expect(written).toContain(
    '["unstruct_event_com_tea_order_placed_1", "unstruct_event_com_tea_poured_1"]',
  );
  const words = ["export", "--format", "jsonl", "--to", "out", "--max-rejects", "100%"];
  const exported = await runInProcess(words, { cwd });
  expect(exported, exported.stderr).toMatchObject({ exitCode: 0 });
  const delivered = await readDelivered(join(cwd, "out/events"));
  const expected = readFileSync(join(lake, "expected.jsonl"), "utf8").trimEnd().split("\n");
  expect(delivered.map(({ text }) => canonicalEvent(text)).sort()).toEqual(expected);
});
