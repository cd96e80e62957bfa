import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OBJECTS_OPENED_MAX } from "../../src/base/limits.js";
import type { ObjectStore } from "../../src/store/object-store.js";
import { openStore } from "../../src/store/open-store.js";
import { canonicalEvent } from "../support/canonical-event.js";
import { runInProcess } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { startGcsServer } from "../support/gcs-server.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";

const source = fileURLToPath(new URL("../../fixtures/sources/adobe/", import.meta.url));
const hour = readFileSync(join(source, "inputs/hourly/01-shop_2026-01-31-170000.tsv.gz"));
const lookups = readFileSync(
  join(source, "inputs/hourly/shop_2026-01-31-000000-lookup_data.tar.gz"),
);
const events = readFileSync(join(source, "expected/events.jsonl"), "utf8").trimEnd().split("\n");

const scratch = scratchDirectory("adobe-feed");
const { signal } = new AbortController();
let close = () => {};
let store: ObjectStore;

async function put(key: string, bytes: Buffer): Promise<void> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await store.put(key, { bytes }, { condition: "absent", sha256, signal });
}

beforeAll(async () => {
  const server = await startGcsServer(["feeds"]);
  close = server.close;
  process.env["STORAGE_EMULATOR_HOST"] = server.endpoint;
  store = await openStore({ scheme: "gs", bucket: "feeds" }, {});
});

afterAll(() => {
  delete process.env["STORAGE_EMULATOR_HOST"];
  close();
});

/** Puts hours of a feed into a bucket, with the lookups of one day, and exports them. */
async function exportHours(directory: string, hours: number) {
  await put(`${directory}/shop_2026-01-31-000000-lookup_data.tar.gz`, lookups);
  for (let index = 0; index < hours; index++) {
    await put(`${directory}/${10 + index}-shop_2026-01-31-170000.tsv.gz`, hour);
  }
  const output = join(scratch, directory);
  const more = ["--preset", "adobe", "--format", "jsonl", "--max-rejects", "20%"];
  const result = await runInProcess([
    "export",
    `gs://feeds/${directory}/`,
    "--to",
    output,
    ...more,
  ]);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  const delivered = await readDelivered(join(output, "events"));
  return delivered.map(({ text }) => canonicalEvent(text));
}

test("hours in a bucket have the columns of the lookups of their day", async () => {
  const delivered = await exportHours("few", 2);
  expect(delivered.sort()).toEqual(events.flatMap((event) => [event, event]));
});

longTest("so have those of so many that only some are opened before", async () => {
  const delivered = await exportHours("many", OBJECTS_OPENED_MAX + 1);
  expect(delivered).toHaveLength((OBJECTS_OPENED_MAX + 1) * events.length);
  expect(new Set(delivered)).toEqual(new Set(events));
});
