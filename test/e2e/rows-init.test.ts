import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("rows-init");
const time = Date.UTC(2026, 0, 31);

async function initIn(cwd: string, lines: readonly object[]) {
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "in.jsonl"), lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const { stdout, stderr } = await runInProcess(["init", "in.jsonl", "--json"], { cwd });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout).survey;
}

test("init finds the list whose elements have a name and a time", async () => {
  const cwd = join(scratch, "init");
  const lines = Array.from({ length: 5 }, (_, row) => ({
    visitorId: `v${row}`,
    userId: `u${row}`,
    plugins: [{ pluginName: "pdf" }],
    visitEcommerce: { items: [{ name: "tea", price: 3 }] },
    actionDetails: [
      { action: "view", timestamp: time / 1000 + row, url: "https://shop.example/" },
      { action: "buy", timestamp: time / 1000 + row + 5 },
    ],
  }));
  const survey = await initIn(cwd, lines);
  expect(survey.mapping).toMatchObject({
    kind: "guess",
    changes: {
      rows: "actionDetails",
      event: "action",
      timestamp: "timestamp",
      userID: "^.userId",
      stableID: "^.visitorId",
    },
  });
  expect(survey.trial).toMatchObject({ rows: 10, delivered: 10 });
  expect(survey.doubts.join("\n")).toContain("the elements of the list actionDetails have");
  const exported = await runInProcess(["export", "in.jsonl", "--to", "out", "--json"], { cwd });
  expect(JSON.parse(exported.stdout).rows).toMatchObject({ read: 10, delivered: 10 });
  const validated = await runInProcess(["validate", "in.jsonl", "--json"], { cwd });
  const { findings, unusedFields } = JSON.parse(validated.stdout);
  const codes = findings.map(({ code }: { readonly code: string }) => code);
  expect(codes).not.toContain("field_missing");
  expect(codes).not.toContain("field_renamed");
  expect(unusedFields.map(({ field }: { readonly field: string }) => field)).toContain(
    "^.visitEcommerce",
  );
});

test("init finds a list that is JSON text", async () => {
  const events = JSON.stringify([
    { action: "view", timestamp: time },
    { action: "buy", timestamp: time },
  ]);
  const lines = Array.from({ length: 5 }, (_, row) => ({ userId: `u${row}`, events }));
  const survey = await initIn(join(scratch, "text"), lines);
  expect(survey).toMatchObject({
    mapping: { changes: { rows: "events", event: "action", userID: "^.userId" } },
    trial: { rows: 10, delivered: 10 },
  });
});

test("init finds a preset in the elements", async () => {
  const cwd = join(scratch, "init-preset");
  const call = (n: number) => ({
    type: "track",
    event: `e${n}`,
    messageId: `m${n}`,
    userId: "u1",
    anonymousId: "a1",
    timestamp: new Date(time + n).toISOString(),
    properties: { n },
    context: { library: { name: "analytics.js" } },
  });
  const survey = await initIn(cwd, [
    { batch: [call(1), call(2)], sentAt: new Date(time).toISOString() },
    { batch: [call(3)], sentAt: new Date(time).toISOString() },
  ]);
  expect(survey.mapping).toMatchObject({ kind: "preset", preset: "segment" });
  expect(survey.mapping.changes).toMatchObject({ rows: "batch" });
  expect(survey.trial).toMatchObject({ rows: 3, delivered: 3 });
});
