import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("expect");

const row = {
  event_type: "bought",
  event_time: "2026-03-02 21:01:09.000000",
  user_id: "u1",
  device_id: "d1",
  event_properties: { price: 9.5, cart: { items: 2 } },
};
const event = {
  event: "bought",
  userID: "u1",
  stableID: "d1",
  timestamp: "2026-03-02T21:01:09Z",
  metadata: { price: 9.5, cart: { items: 2 } },
};

async function validate(name: string, configuration: object, files: object = {}) {
  const cwd = join(root, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "in.jsonl"), `${JSON.stringify(row)}\n`);
  const all = { "pipeline.config.json": JSON.stringify(configuration), ...files };
  for (const [file, text] of Object.entries(all)) writeFileSync(join(cwd, file), text);
  return runInProcess(["validate", "in.jsonl", "--json"], { cwd });
}

const errorOf = ({ stdout }: { stdout: string }) =>
  (JSON.parse(stdout) as { error: { code: string; message: string } }).error;

const cases = [
  { row, event },
  { row: { ...row, event_type: "qa_click" }, event: null },
  { row: { ...row, event_time: "noon" }, reject: "time_unparsable" },
  {
    row: "event_type,event_time,user_id\nseen,2026-03-02 21:01:09,u2\nleft,2026-03-02 21:01:10,u2\n",
    event: [{ event: "seen", userID: "u2", stableID: null }, { event: "left" }],
  },
];

it("reads the inputs if each row becomes what is expected: JSON, CSV, filtered, rejected", async () => {
  const result = await validate("met", { excludeEvent: ["qa_*"], expect: cases });
  expect([result.exitCode, result.stderr]).toEqual([0, ""]);
  expect(JSON.parse(result.stdout)).toMatchObject({ rows: { read: 1 } });
});

it("takes the rows from a file with comments, and applies a transform and privacy", async () => {
  const changed = { ...event, event: "BOUGHT", metadata: { cart: { items: 2 } } };
  const result = await validate(
    "file",
    { transform: "./t.mjs", drop: ["metadata.price"], expect: "./expect.json" },
    {
      "expect.json": `// Ours\n${JSON.stringify([{ row, event: changed }])}`,
      "t.mjs": "export default (event) => ({ ...event, event: event.event.toUpperCase() });\n",
    },
  );
  expect([result.exitCode, result.stderr]).toEqual([0, ""]);
});

it("names each field that differs, and reads nothing", async () => {
  const result = await validate("differs", {
    expect: [
      { row, event: { ...event, event: "paid", metadata: { price: "9.5", cart: { items: 3 } } } },
      { row, event: null },
      { row, reject: "event_missing" },
      { row: { ...row, event_time: "noon" }, event },
    ],
  });
  expect(result.exitCode).toBe(2);
  const { code, message } = errorOf(result);
  expect(code).toBe("expectations_failed");
  expect(message.split("\n  ").slice(1)).toEqual([
    'expect[0]: event.event is "bought", must be "paid"',
    'expect[0]: event.metadata.price is 9.5, must be "9.5"',
    "expect[0]: event.metadata.cart.items is 2, must be 3",
    "expect[1]: the row becomes an event; it must be left out",
    "expect[2]: the row becomes an event; it must be rejected as event_missing",
    expect.stringMatching(
      /^expect\[3\]: the row is rejected \(time_unparsable: .*\); it must become an event/,
    ),
  ]);
});

it.each([
  ["a missing file", "none.json", "configuration_unreadable", "none.json"],
  [
    "both event and reject",
    [{ row, event, reject: "event_missing" }],
    "configuration_invalid",
    "either event or reject",
  ],
  ["an unknown code", [{ row, reject: "bad" }], "configuration_invalid", "docs/rejects.md"],
] as const)("refuses %s", async (name, expected, code, text) => {
  const result = await validate(name, { expect: expected });
  expect(result.exitCode).toBe(2);
  expect(errorOf(result)).toMatchObject({ code, message: expect.stringContaining(text) });
});
