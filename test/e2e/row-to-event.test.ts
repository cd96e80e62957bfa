import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { rowMembers } from "../../src/report-page/mapping/text-tokens.js";
import { traceLinks } from "../../src/report-page/mapping/trace-links.js";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("row-to-event");

/** The links that the page draws for each sample of the input's only row, as texts of both sides. */
async function linksOf(name: string, content: string, mapping: object): Promise<readonly string[]> {
  const cwd = join(scratch, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, name), content);
  writeFileSync(join(cwd, "pipeline.config.json"), JSON.stringify({ mapping }));
  const result = await runInProcess(["validate", name], { cwd });
  expect(result.exitCode, result.stderr).toBeLessThan(2);
  const { samples } = JSON.parse(readFileSync(join(cwd, "report/report.json"), "utf8")) as Report;
  expect(samples).toHaveLength(1);
  return samples.flatMap(({ raw, csv, result: event, trace }) =>
    traceLinks(rowMembers(raw, csv), rowMembers(event), trace).map(
      ({ from, to }) => `${from.path.join("/")} ${from.value} → ${to.path.join("/")} ${to.value}`,
    ),
  );
}

const mapping = {
  userID: [{ field: "login", trim: true, unless: ["none"] }, "a.b"],
  stableID: null,
  metadata: ["first", { fields: [{ field: "context.app", name: "product" }] }, { rest: "more" }],
  user: null,
};

test("values of JSON come from the fields that the engine has used", async () => {
  const row =
    '{"event_type":"view","event_time":"2026-01-31 17:03:12","login":" none ","a.b":"wrong","a":{"b":"u-1"},' +
    '"first":{"x":null},"context":{"app":"shop"},"more":"{\\"x\\":1,\\"product\\":\\"u-1\\"}"}';
  expect(await linksOf("row.jsonl", `${row}\n`, mapping)).toEqual([
    "event_type view → event view",
    "event_time 2026-01-31 17:03:12 → timestamp 1769878992000",
    "a/b u-1 → user/userID u-1",
    "context/app shop → metadata/product shop",
    "more/x 1 → metadata/x 1",
  ]);
});

test("values of CSV come from the columns that the engine has used", async () => {
  const text = [
    "event_type,event_time,login,a.b,a,first,context.app,more",
    'view,2026-01-31 17:03:12, none ,u-1,"{""b"":""wrong""}","{""x"":null}",shop,"{""x"":1}"',
  ];
  expect(await linksOf("row.csv", `${text.join("\n")}\n`, mapping)).toEqual([
    "event_type view → event view",
    "event_time 2026-01-31 17:03:12 → timestamp 1769878992000",
    "a.b u-1 → user/userID u-1",
    "context.app shop → metadata/product shop",
    "more/x 1 → metadata/x 1",
  ]);
});
