import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type StoredResult, verifyStored } from "../../src/check/verify/verify-stored.js";
import { openRange } from "../../src/formats/input-formats.js";
import type { StoredEvent } from "../../src/storage/event-store.js";
import type { Store } from "../../src/storage/store.js";
import { runInProcess } from "../support/command-line.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { openTestStore } from "../support/test-store.js";

const scratch = scratchDirectory("verify-stored");

const rows = [
  { event_type: "view", event_time: "2026-01-30 23:30:00", user_id: "a", revenue: 12.5 },
  { event_type: "view", event_time: "2026-01-31 00:30:00", user_id: "b", revenue: "12.50" },
  { event_type: "view", event_time: "2026-01-31 00:30:00", user_id: "b", revenue: "" },
  { event_type: "=sum(A1)", event_time: "2026-01-31 12:00:00", device_id: "d" },
  { event_type: 'q"uo\te, 🍵', event_time: "2026-01-31 12:00:00.123", device_id: "d" },
];
const properties =
  '{"deep":{"digits":12345678901234567890.10,"text":"\\u00e9\\ud83c\\udf75 \\"x\\""}}';
const lines = rows.map(
  (row) => `${JSON.stringify(row).slice(0, -1)},"event_properties":${properties}}\n`,
);
writeFileSync(join(scratch, "rows.jsonl"), lines.join(""));
writeFileSync(join(scratch, "config.json"), '{"mapping": {"value": ["revenue"]}}');

async function exportRows(name: string, ...words: string[]): Promise<string> {
  const directory = join(scratch, name);
  const result = await runInProcess(
    ["export", "rows.jsonl", "--config", "config.json", "--to", directory, "--fresh", ...words],
    { cwd: scratch },
  );
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return directory;
}

/** Events as they are sent, which is as JSONL has them. */
const events: StoredEvent[] = [];
let store: Store;

beforeEach(async () => {
  store = await openTestStore();
  if (events.length > 0) return;
  const directory = join(await exportRows("sent", "--format", "jsonl"), "events");
  for (const day of readdirSync(directory)) {
    const [part = ""] = readdirSync(join(directory, day));
    const texts = readFileSync(join(directory, day, part), "utf8")
      .trimEnd()
      .split("\n");
    for (const body of texts) {
      const { event, timestamp } = JSON.parse(body) as { event: string; timestamp: number };
      events.push({ day, event, timestamp, body });
    }
  }
});

afterEach(() => store.close());

async function verify(
  directory: string,
  stored: readonly StoredEvent[],
  refused = 0,
): Promise<StoredResult> {
  for (const event of stored) {
    await store.events.append({ events: [event], idempotencyKey: undefined });
  }
  const signal = new AbortController().signal;
  const task = { place: { directory, s3: {} }, stored: store.events, refused };
  return verifyStored(task, { signal, openReader: openRange });
}

describe.each(someOf(["parquet", "jsonl", "jsonl.gz", "csv", "csv.safe", "arrow"], 6))(
  "%s",
  (format) => {
    it("is what is stored", async () => {
      const directory = await exportRows(format, "--format", format);
      expect(await verify(directory, events)).toEqual({
        outcome: "verified",
        events: 5,
        counts: 4,
        countedBy: "day and name",
        sampled: 5,
        refused: 0,
        differences: [],
      });
      const verified = await runInProcess(["verify", directory]);
      expect(verified, verified.stderr).toMatchObject({ exitCode: 0 });
    });

    it("differs from the stored events if a field differs", async () => {
      const digits = (body: string) => body.replace("67890.10", "67890.1");
      const user = (body: string) => body.replace('"userID":"b"', '"userID":"c"');
      const value = (body: string) => body.replace('"value":"12.50"', '"value":12.5');
      const changes = new Map([
        ["2026-01-30T23:30:00.000Z", digits],
        ["2026-01-31T12:00:00.123Z", user],
        ["2026-01-31T00:30:00.000Z", (body: string) => user(value(body))],
      ]);
      const changed = events.map((event) => {
        const change = changes.get(new Date(event.timestamp).toISOString());
        return { ...event, body: change?.(event.body) ?? event.body };
      });
      const { outcome, differences } = await verify(join(scratch, format), changed);
      expect(outcome).toBe("different");
      expect(differences.map(({ message }) => message.replace(/: the service has .*/, ""))).toEqual(
        [
          'metadata of "view" at 2026-01-30T23:30:00.000Z',
          'user of "view" at 2026-01-31T00:30:00.000Z',
          'value of "view" at 2026-01-31T00:30:00.000Z',
          'user of "view" at 2026-01-31T00:30:00.000Z',
        ],
      );
      expect(differences[0]?.message).toContain(
        'the service has {"deep":{"digits":12345678901234567890.1,"text":"é🍵 \\"x\\""}}, the export has ',
      );
    });
  },
);

it("counts by name alone if the days of the export are in another zone", async () => {
  const directory = await exportRows("zone", "--day-zone", "Asia/Tokyo");
  expect(readdirSync(join(directory, "events"))).toEqual(["2026-01-31"]);
  const result = await verify(directory, events);
  expect(result).toMatchObject({ outcome: "verified", counts: 3, countedBy: "name", events: 5 });
  expect(result.sampled).toBeGreaterThan(0);
});

describe("the stored events differ", () => {
  const codesOf = ({ differences }: StoredResult) => differences.map(({ message }) => message);

  it("by an event that is missing, unless the service refused it", async () => {
    const directory = await exportRows("missing");
    const all = events.slice(1);
    expect(codesOf(await verify(directory, all))).toEqual([
      '"view" on 2026-01-30: the service has 0, the export has 1',
    ]);
    const again = await verify(directory, [], 1);
    expect(again).toMatchObject({ outcome: "verified", refused: 1 });
    expect(codesOf(await verify(directory, [], 2))).toHaveLength(1);
  });

  it("by events of other names and days, and by one that came twice", async () => {
    const directory = await exportRows("more");
    const [first] = events;
    if (first === undefined) throw new Error("there are no events");
    const others = [
      { ...first, event: "other" },
      { ...first, day: "2025-12-31", timestamp: Date.UTC(2025, 11, 31) },
      { ...first, day: "2026-02-02", timestamp: Date.UTC(2026, 1, 2) },
      first,
    ];
    expect(codesOf(await verify(directory, [...events, ...others]))).toEqual([
      '"view" on 2025-12-31: the service has 1, the export has 0',
      '"view" on 2026-01-30: the service has 2, the export has 1',
      '"other" on 2026-01-30: the service has 1, the export has 0',
      '"view" on 2026-02-02: the service has 1, the export has 0',
      '"view" at 2026-01-30T23:30:00.000Z is stored, but the export does not have it, or not as often',
    ]);
  });
});
