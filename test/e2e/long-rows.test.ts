import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("long-rows");
const limitBytes = 64 * 2 ** 20;

async function exportAndVerify(input: string, out: string, ...options: readonly string[]) {
  const words = ["export", input, "--to", out, "--format", "jsonl", "--json", "--threads", "1"];
  const exported = await runInProcess([...words, ...options]);
  expect(exported, exported.stderr).toMatchObject({ exitCode: 0 });
  const verified = await runInProcess(["verify", out]);
  expect(verified, verified.stdout).toMatchObject({ exitCode: 0 });
  return JSON.parse(exported.stdout);
}

// The mapping that takes the most memory for a row: paths of two steps, and what is left of an object.
it("a row of the longest size that is allowed is read, written and verified, with its neighbours", async () => {
  const head = '{"event":"e","properties":{"time":1735689600,"$user_id":"u","p":"';
  const tail = '"}}';
  const long = head + "x".repeat(limitBytes - head.length - tail.length) + tail;
  const short = `${head}x${tail}`;
  const input = join(scratch, "longest.ndjson");
  writeFileSync(input, [short, long, short, ""].join("\n"));
  const out = join(scratch, "longest");
  const options = ["--preset", "mixpanel", "--max-row-size", "64MiB", "--memory", "4GB"];
  const { rows } = await exportAndVerify(input, out, ...options);
  expect(rows).toMatchObject({ read: 3, delivered: 3 });
  const lengths = readdirSync(join(out, "events/2025-01-01")).flatMap((name) =>
    readFileSync(join(out, "events/2025-01-01", name), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line).metadata.p.length),
  );
  expect(lengths.sort((one, other) => one - other)).toEqual([
    1,
    1,
    limitBytes - head.length - tail.length,
  ]);
});

longTest("an event that its escapes make six times as long as its row is verified", async () => {
  const input = join(scratch, "escapes.csv");
  const id = "\u0001".repeat(12_000_000);
  writeFileSync(input, `event_type,event_time,user_id\na,1735689600,${id}\nb,1735689600,u\n`);
  const { rows } = await exportAndVerify(input, join(scratch, "escapes"));
  expect(rows).toMatchObject({ read: 2, delivered: 2 });
});
