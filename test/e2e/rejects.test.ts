import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { canonicalEvent } from "../support/canonical-event.js";
import { runInProcess } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("rejects");

it("takes its own rejects as input, and delivers them once the mapping fits", async () => {
  const input = join(scratch, "in");
  const json = join(scratch, "rows.jsonl");
  const csv = join(scratch, "rows.csv");
  writeFileSync(
    json,
    '{"event_name":"a","event_time":"2026-01-31 10:00:00","user_id":"mina"}\n{"broken\n',
  );
  writeFileSync(csv, 'event_name,event_time,user_id\n"b, ""quoted""",2026-01-31 11:00:00,mina\n');
  const first = await runInProcess(["export", json, csv, "--to", input, "--format", "jsonl"]);
  expect(first, first.stderr).toMatchObject({ exitCode: 3 });

  const config = join(scratch, "pipeline.config.json");
  writeFileSync(config, JSON.stringify({ mapping: { event: "event_name" } }));
  const output = join(scratch, "out");
  const second = await runInProcess([
    "export",
    join(input, "rejects"),
    "--config",
    config,
    "--to",
    output,
    "--format",
    "jsonl",
    "--json",
  ]);
  expect(second, second.stderr).toMatchObject({ exitCode: 3 });
  const delivered = await readDelivered(join(output, "events"));
  expect(delivered.map(({ text }) => canonicalEvent(text)).sort()).toEqual([
    `{"event":"a","user":{"userID":"mina"},"timestamp":${Date.UTC(2026, 0, 31, 10)},"metadata":{}}`,
    `{"event":"b, \\"quoted\\"","user":{"userID":"mina"},"timestamp":${Date.UTC(2026, 0, 31, 11)},"metadata":{}}`,
  ]);
  const manifest = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
  expect(manifest.rows).toMatchObject({ read: 3, delivered: 2, rejected: 1 });
  expect(manifest.rejects).toMatchObject([
    { code: "malformed_row", rows: 1, example: { source: json, row: 2 } },
  ]);
});
