import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const row = {
  event_type: "$pageview",
  event_time: "2026-01-31 17:03:12.123000",
  user_id: "mina",
  device_id: "d-1",
  event_properties: { "page.path": "/a", tags: ["x"] },
  user_properties: { email: "mina@example.com" },
};

function project(rows: readonly unknown[]): string {
  const cwd = scratchDirectory("preview");
  const texts = rows.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  writeFileSync(join(cwd, "in.ndjson"), texts.map((text) => `${text}\n`).join(""));
  return cwd;
}

async function preview(cwd: string, ...args: string[]) {
  const { exitCode, stdout } = await runInProcess(["preview", "in.ndjson", ...args], { cwd });
  expect(exitCode).toBe(0);
  return stdout;
}

test("a flag that can be without a value does not take the input for one", async () => {
  const cwd = project([row]);
  const run = (command: string, ...args: string[]) =>
    runInProcess([command, ...args, "in.ndjson", "--target", "statsig"], { cwd });
  const { stdout } = await run("preview", "--repair", "--json");
  expect(stdout).toContain('"auto:pageview"');
  writeFileSync(join(cwd, "pipeline.config.json"), '{ "repair": true, "target": "statsig" }');
  expect((await run("preview", "--no-repair", "--json")).stdout).not.toContain("auto:pageview");
  const validated = await run("validate", "--repair=names,days", "--preset", "amplitude");
  expect(validated.stdout).toMatch(/ export in.ndjson .*--repair=names,days/);
});

test("rows are shown as they become events, and as the target takes them", async () => {
  const cwd = project([row, { ...row, event_time: "never" }, { ...row, event_type: "skip" }]);
  const options = ["--target", "statsig", "--exclude-event", "skip"];
  const { rows } = JSON.parse(await preview(cwd, ...options, "--json")) as {
    rows: readonly Readonly<Record<string, unknown>>[];
  };
  expect(rows).toMatchObject([
    {
      source: "in.ndjson",
      row: 1,
      byte: 0,
      events: [{ event: "$pageview", user: { userID: "mina" }, metadata: { "page.path": "/a" } }],
      breaches: [
        { rule: "name", property: "event", isLost: true },
        { rule: "dots", property: "metadata.page.path", isLost: false },
        { rule: "nested", property: "metadata.tags", isLost: false },
        { rule: "user", property: "user.email", isLost: false },
      ],
    },
    { row: 2, events: [], reject: { code: "time_unparsable" } },
    { row: 3, events: [], isFiltered: true },
  ]);
  const repaired = JSON.parse(await preview(cwd, ...options, "--repair", "--json")) as {
    rows: readonly Readonly<Record<string, unknown>>[];
  };
  expect(repaired.rows[0]).toMatchObject({
    events: [{ event: "$pageview" }],
    repaired: [{ event: "auto:pageview", metadata: { page_dot_path: "/a", tags: '["x"]' } }],
    breaches: [],
  });
});

test("the table fits its width, and data cannot draw on the terminal", async () => {
  const wide = { ...row, event_type: `\u001b[31m${"x".repeat(500)}` };
  const text = await preview(project([wide, row]), "--target", "statsig");
  const lines = text.trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  expect(text).not.toContain("\u001b");
  expect(lines[2]).toContain("dropped: the name");
});

test("only the first rows are read", async () => {
  const broken = `{"event_type":`;
  const cwd = project([...Array.from({ length: 30 }, () => row), broken]);
  expect((await preview(cwd)).trimEnd().split("\n")).toHaveLength(21);
  expect((await preview(cwd, "--limit", "2")).trimEnd().split("\n")).toHaveLength(3);
  expect(await preview(cwd, "--limit", "40")).toContain("[malformed_row]");
});
