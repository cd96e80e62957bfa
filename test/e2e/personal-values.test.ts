import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("personal-values");
const secrets = ["mina.b", "mina%40", "8f14e45f", "correct horse", "kiosk@", "noon@"];

/** Rows with secrets in URLs, texts, nested objects, ids, times and fields that are not mapped. */
function rowOf(index: number) {
  const day = 1 + (index % 28);
  return {
    event_type: "seen",
    event_time:
      index === 5 ? "noon@tea.example" : `2026-01-${String(day).padStart(2, "0")}T10:00:00Z`,
    user_id: index % 10 === 0 ? `mina.b${index}@tea.example` : `user ${index}`,
    device_id: "kiosk@tea.example",
    internal: `mina.b${index}@tea.example`,
    event_properties: {
      url: `https://tea.example/reset?token=8f14e45f${index}&email=mina%40tea.example`,
      text: `write to mina.b${index}@tea.example`,
      page: { path: `/a?session=8f14e45fceea${index}` },
      password: "correct horse",
    },
  };
}

async function validate() {
  const { stdout, stderr } = await runInProcess(["validate"], { cwd: directory });
  const [json, html] = ["report.json", "report.html"].map((name) =>
    readFileSync(join(directory, "report", name), "utf8"),
  );
  return { printed: `${stdout}${stderr}${json}${html}`, report: JSON.parse(json ?? "") as Report };
}

const configure = (more: object) =>
  writeFileSync(
    join(directory, "pipeline.config.json"),
    JSON.stringify({ inputs: ["events.jsonl"], maxRejects: 10, ...more }),
  );

beforeAll(() => {
  const rows = Array.from({ length: 400 }, (_, index) => JSON.stringify(rowOf(index)));
  writeFileSync(join(directory, "events.jsonl"), `${rows.join("\n")}\n`);
});

it("finds email addresses and secrets within values, and prints none of them", async () => {
  configure({});
  const { printed, report } = await validate();
  for (const secret of secrets) expect(printed, secret).not.toContain(secret);
  const found = report.findings.filter(({ code }) => code === "property_personal");
  expect(new Map(found.map(({ property, fix }) => [property, fix?.line]))).toEqual(
    new Map([
      ["metadata.url", '"cutQuery": ["metadata.url"]'],
      ["metadata.page", '"cutQuery": ["metadata.page"]'],
      ["metadata.text", '"drop": ["metadata.text"]'],
      ["metadata.password", '"drop": ["metadata.password"]'],
    ]),
  );
  expect(found.find(({ property }) => property === "metadata.url")?.rows).toBe(399);
  expect(report.samples[0]?.result).toContain("/reset?token=…&email=…");
});

it("reports nothing of them once the lines are in the configuration", async () => {
  const cutQuery = ["metadata.url", "metadata.page"];
  configure({ cutQuery, drop: ["metadata.text", "metadata.password"] });
  const { report } = await validate();
  expect(report.findings.filter(({ code }) => code === "property_personal")).toEqual([]);
  const keys = report.events[0]?.properties?.keys.map(({ key, topValues }) => [key, topValues[0]]);
  expect(keys).toContainEqual(["url", { value: "https://tea.example/reset", rows: 399 }]);
  expect(keys).toContainEqual(["page", { value: '{"path":"/a"}', rows: 399 }]);
});
