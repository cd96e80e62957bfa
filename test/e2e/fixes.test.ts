import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { editConfiguration } from "../../src/options/configuration-edit.js";
import type { Finding, Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("fixes");
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 0, 1);
const ROWS = 400;
const DAYS = 20;

type Row = Readonly<Record<string, unknown>>;

/** Rows of an ordinary export, evenly over its days, with something changed in some. */
function rows(change: (index: number, row: Row) => Row): readonly Row[] {
  return Array.from({ length: ROWS }, (_, index) => {
    const timeMs = FIRST_MS + Math.floor((index * DAYS * DAY_MS) / ROWS) + 1;
    return change(index, {
      event_type: "brewed",
      event_time: new Date(timeMs).toISOString(),
      user_id: `u${index % 40}`,
      device_id: `d${index % 40}`,
      event_properties: { tea: "oolong" },
    });
  });
}

const everyTenth = (change: (index: number) => Row) =>
  rows((index, row) => (index % 10 === 0 ? { ...row, ...change(index) } : row));
const properties = (make: (index: number) => Row) =>
  rows((index, row) => ({ ...row, event_properties: make(index) }));

async function findingsOf(directory: string): Promise<readonly Finding[]> {
  await runInProcess(["validate", "in.jsonl", "--quiet"], {
    cwd: directory,
    env: { SWITCHYARD_HASH_SALT: "pepper" },
  });
  const text = readFileSync(join(directory, "report/report.json"), "utf8");
  return (JSON.parse(text) as Report).findings;
}

const cases: readonly (readonly [Finding["code"], readonly Row[]])[] = [
  ["names_alike", everyTenth(() => ({ event_type: "Brewed " }))],
  ["names_with_ids", everyTenth((index) => ({ event_type: `Viewed /tea/${index}` }))],
  ["name_refused", everyTenth(() => ({ event_type: "a\\b" }))],
  ["name_too_long", everyTenth(() => ({ event_type: "x".repeat(2_000) }))],
  [
    "name_changed",
    rows((index, row) => ({ ...row, event_type: index < ROWS / 2 ? "brewed" : "brewed tea" })),
  ],
  ["ids_emails", rows((index, row) => ({ ...row, user_id: `u${index % 40}@example.com` }))],
  ["device_shared", rows((index, row) => ({ ...row, user_id: `u${index}`, device_id: "kiosk" }))],
  [
    "user_many_devices",
    rows((index, row) =>
      index % 2 === 0 ? { ...row, device_id: `d${index}`, user_id: "bot" } : row,
    ),
  ],
  ["times_future", everyTenth(() => ({ event_time: Date.now() + 3_600_000 }))],
  [
    "times_suspicious",
    rows((index, row) => (index === 0 ? { ...row, event_time: "1985-01-01" } : row)),
  ],
  [
    "times_scattered",
    rows((index, row) => (index === 0 ? { ...row, event_time: "2019-05-01T01:02:03Z" } : row)),
  ],
  [
    "rows_rejected",
    everyTenth((index) => ({ user_id: null, device_id: null, anonymous_id: `a${index}` })),
  ],
  ["rows_rejected", everyTenth(() => ({ event_type: null, event_name: "steeped" }))],
  [
    "rows_rejected",
    rows((index, row) => ({ ...row, event_time: `31.01.2026 10:30:${10 + (index % 40)}` })),
  ],
  ["property_json_text", properties((index) => ({ cart: `{"sku":"T-${index % 5}"}` }))],
  ["property_numbers_as_text", properties((index) => ({ price: `${index % 7}.5` }))],
  ["property_mixed_types", properties((index) => ({ size: index % 2 === 0 ? "large" : 2 }))],
  ["property_too_long", properties(() => ({ page: "x".repeat(40_000) }))],
  ["property_personal", properties((index) => ({ phone: `+49 30 12345${10 + (index % 30)}` }))],
];

// Outside CI, the others are fixed all at once, in planted.test.ts.
it.each(someOf(cases, 10))(
  "%s is fixed by the line that it comes with (%#)",
  async (code, input) => {
    const directory = join(root, `${code}-${input.length}-${JSON.stringify(input[0]).length}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(
      join(directory, "in.jsonl"),
      input.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    const before = await findingsOf(directory);
    const fix = before.find((one) => one.code === code)?.fix;
    if (fix === undefined) throw new Error(`no line for ${code} among ${JSON.stringify(before)}`);

    const { text } = editConfiguration("{}", [fix], "pipeline.config.json");
    writeFileSync(join(directory, "pipeline.config.json"), text);
    const after = (await findingsOf(directory)).map((one) => one.code);
    // An event that becomes a reject is told as such.
    expect(after.filter((one) => one !== "rows_rejected" || code === "rows_rejected")).toEqual([]);
  },
);
