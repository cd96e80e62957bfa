import { describe, expect, test } from "vitest";
import type { WrittenMapping } from "../../src/mapper/mapping.js";
import { resolveWritten } from "../../src/mapper/resolve-mapping.js";
import { summarizeFields } from "../../src/survey/field-summary.js";
import { findMissing, proposeMapping } from "../../src/survey/propose-mapping.js";
import type { Row } from "../../src/survey/sample-rows.js";

function propose(...rows: Row[]) {
  return proposeMapping(summarizeFields(rows), rows);
}

test.each<[Row, object]>([
  [
    { action: "open", ts: 1769878992, uid: "u", anonymous_id: "d", props: { a: 1 }, id: "i1" },
    {
      event: "action",
      timestamp: "ts",
      userID: "uid",
      stableID: "anonymous_id",
      metadata: "props",
      user: null,
      insertID: "id",
    },
  ],
  [
    { EventName: "open", "Created At": "2026-01-31T17:03:12Z", "Customer ID": 5, Amount: "1.50" },
    {
      event: "EventName",
      timestamp: "Created At",
      userID: "Customer ID",
      stableID: null,
      metadata: { rest: "" },
      user: null,
      insertID: null,
      value: "Amount",
    },
  ],
  [
    { name: "open", time: "31/01/2026 17:03", user: { id: "u", plan: "x" }, data: '{"a":1}' },
    {
      event: "name",
      timestamp: { field: "time", format: "d/M/yyyy HH:mm" },
      userID: "user.id",
      stableID: null,
      metadata: "data",
      user: "user",
      insertID: null,
    },
  ],
  [
    { event: { name: "open", at: 1769878992123 }, "device.id": "d" },
    {
      event: "event.name",
      timestamp: "event.at",
      userID: null,
      stableID: { field: ["device.id"] },
      metadata: { rest: "" },
      user: null,
      insertID: null,
    },
  ],
  [
    {
      collector_tstamp: "2026-01-31 17:03:13",
      derived_tstamp: "2026-01-31 17:03:12",
      event: "struct",
      event_name: "open",
      event_id: "i1",
      domain_userid: "d",
    },
    {
      event: "event_name",
      timestamp: "derived_tstamp",
      userID: null,
      stableID: "domain_userid",
      metadata: { rest: "" },
      user: null,
      insertID: "event_id",
    },
  ],
])("of %j the mapping is guessed", (row, mapping) => {
  const proposal = propose(row, row);
  expect(proposal?.mapping).toEqual(mapping);
  expect(() => resolveWritten(proposal?.mapping as WrittenMapping)).not.toThrow();
});

test("values of a field count more than its name", () => {
  const row = { event: "2026-01-31", type: "open", time: "noon", created_at: "2026-01-31", uid: 1 };
  expect(propose(row)?.mapping).toMatchObject({ event: "type", timestamp: "created_at" });
});

test("a field that few rows have is not the event, whatever its name", () => {
  const usual: Row = { action: "b", ts: "2026-01-31", user_id: "u" };
  const rare: Row = { event: "a", ts: "2026-01-31", user_id: "u" };
  expect(propose(usual, usual, usual, rare)?.mapping.event).toBe("action");
});

test("other possible fields are named", () => {
  const row = { event: "a", action: "b", ts: "2026-01-31", created_at: "2026-02-01", uid: "u" };
  expect(propose(row)?.others).toEqual({ event: ["action"], timestamp: ["created_at"] });
});

test.each<[string, Row]>([
  ["event", { ts: 1769878992, uid: "u" }],
  ["time", { event: "a", uid: "u", day: "Monday" }],
  ["id", { event: "a", ts: 1769878992 }],
  ["field", {}],
])("nothing is guessed where there is no %s", (_, row) => {
  expect(propose(row)).toBeUndefined();
});

test("rows with very many fields are summarized up to a limit", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`c${index}`, index]),
  );
  expect(summarizeFields([wide]).size).toBe(2_000);
});

test.each<[Row, string[]]>([
  [{ event: "a", uid: "u" }, ["an event's time"]],
  [{ event: "a", ts: "noon", other: "u" }, ["an event's time", "a user's or a device's id"]],
  [{ ts: "2026-01-31", uid: "u" }, ["an event's name"]],
  [{ event: "a", ts: "2026-01-31", device: "d" }, []],
])("of %j it is said what is missing", (row, missing) => {
  expect(findMissing(summarizeFields([row]), 1)).toEqual(missing);
});

const timeNames = `event_ts timestamp_utc created server_time Zeitstempel fecha 日時 horodatage дата
  data_hora tidspunkt waktu 时间 시간 czas momento Uhrzeit created_on happened t _time ts_ms utc_time
  eventDateTimeUTC occurred log_time record_time hit_time client_event_ts tracked_at moment stamp
  local_time utc datum_cas aika זמן เวลา tijdstip dt ltime x1`.split(/\s+/);

test.each(timeNames)("the one field of times wins by its values: %s", (name) => {
  for (const [first, second] of [
    ["2026-03-02T20:01:09Z", "2026-03-02T20:01:10Z"],
    ["03/31/2026 20:01:09", "04/01/2026 20:01:09"],
    [1772481669, 1772481670],
    [1772481669123, 1772481670456],
  ] as const) {
    const rows = [first, second].map((time) => ({
      name: "open",
      [name]: time,
      user_id: "u",
      n: 5,
    }));
    const timestamp = propose(...rows)?.mapping.timestamp;
    expect(timestamp).toEqual(
      typeof first === "string" && first.includes("/")
        ? { field: name, format: "MM/dd/yyyy HH:mm:ss" }
        : name,
    );
  }
});

const [early, late] = ["2026-03-02T20:01:09Z", "2026-03-02T21:01:09Z"];
test.each<[Row, string]>([
  [{ received_at: late, event_ts: early }, "event_ts"],
  [{ uploaded: late, Zeitstempel: early }, "Zeitstempel"],
  [{ _ingested_at: late, created: early }, "created"],
  [{ server_upload_time: late, client_event_time: early, updated_at: late }, "client_event_time"],
  [{ birth_date: "1985-03-02", fecha: early }, "fecha"],
  [{ user_created_at: "2020-01-01T00:00:00Z", moment: early }, "moment"],
  [{ event_date: "2026-03-02", event_ts: early }, "event_ts"],
  [{ session_id: 1772481669, at_ms: 1772481669123 }, "at_ms"],
  [{ user: { first_seen: early }, hit: { when: late } }, "hit.when"],
  [{ expires_at: "2027-01-01T00:00:00Z", zeit: early }, "zeit"],
  [{ server_time: early }, "server_time"],
])("of several times in %j the event's is taken, and the others are named", (times, field) => {
  const row = { action: "open", user_id: "u", ...times };
  const proposal = propose(row, row);
  expect(proposal?.mapping.timestamp).toBe(field);
  const others = proposal?.others["timestamp"] ?? [];
  expect(others).not.toContain(field);
  if (Object.keys(times).length > 1 && times["session_id"] === undefined)
    expect(others).not.toEqual([]);
});

test.each<[Row]>([
  [{ session_id: 1772481669 }],
  [{ phone: "1234567890", amount: 1234567890 }],
  [{ total: 45_000, visits: 20_000 }],
  [{ version: "1.2.3", ip: "10.0.0.1" }],
])("%j have no time", (row) => {
  expect(propose({ name: "open", user_id: "u", ...row })).toBeUndefined();
});

describe("the insert id", () => {
  const rowsOf = (rowOf: (index: number) => Row) =>
    Array.from({ length: 60 }, (_, index) => ({
      action: "open",
      ts: `2026-03-02T20:01:${10 + (index % 50)}Z`,
      user_id: `u${index % 7}`,
      ...rowOf(index),
    }));
  const uuid = (index: number) => `6ba7b810-9dad-11d1-80b4-${String(index).padStart(12, "0")}`;

  test.each<[string, (index: number) => Row, string | null]>([
    ["id of a user", (index) => ({ id: `u${index % 7}` }), null],
    ["id of a product", (index) => ({ id: index % 4 }), null],
    ["unique id", (index) => ({ id: index }), "id"],
    ["id that repeats with its event", (index) => ({ id: index % 50, user_id: "u" }), "id"],
    ["event_id that counts for each device", (index) => ({ event_id: index % 9 }), null],
    ["vendor's name", (index) => ({ id: index, $insert_id: uuid(index) }), "$insert_id"],
    ["other id beside one of a user", (index) => ({ id: index % 7, guid: uuid(index) }), "guid"],
    ["name in another language", (index) => ({ Kennung: uuid(index) }), "Kennung"],
    ["nested id", (index) => ({ meta: { id: `m${index}` } }), "meta.id"],
    ["id that most rows lack", (index) => ({ id: index < 10 ? index : null }), null],
    ["session's id", (index) => ({ session_id: uuid(index) }), null],
    ["measure", (index) => ({ amount: index * 1.5 }), null],
  ])("%s", (_, rowOf, field) => {
    expect(propose(...rowsOf(rowOf))?.mapping.insertID).toEqual(field);
  });
});
