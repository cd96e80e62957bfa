import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { omitUndefined } from "../../src/base/omit-undefined.js";
import {
  eventIntake,
  eventListQuery,
  eventSummaryQuery,
  TIMESTAMP_MS_MAX,
  TIMESTAMP_MS_MIN,
} from "../../src/contract/event.js";
import { faultsOf, toldFaults } from "../../src/contract/faults.js";
import { FAULTS_MAX } from "../../src/contract/fields.js";

function faults(schema: z.ZodType, value: unknown): readonly string[] {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return [];
  return toldFaults(faultsOf(parsed.error)).map(
    ({ property, errorMessage }) => `${property}: ${errorMessage}`,
  );
}

const whole = {
  event: "purchase",
  user: { userID: "u-1", stableID: "d-1", plan: "pro", age: 40, tags: ["a"] },
  timestamp: 1_704_067_200_000,
  metadata: { price: 9.5, nested: { deep: [null] } },
  value: 12,
};

describe("event (string), user (object), timestamp (integer), metadata (object), value", () => {
  it.each([
    ["all fields", whole],
    ["the name alone", { event: "e" }],
    ["a name of 1024 characters", { event: "e".repeat(1024) }],
    ["empty objects", { event: "e", user: {}, metadata: {} }],
    ["a timestamp as text", { event: "e", timestamp: "1704067200000" }],
    ["a value as text", { event: "e", value: "" }],
    ["the first moment of year 0", { event: "e", timestamp: TIMESTAMP_MS_MIN }],
    ["the last moment of year 9999", { event: "e", timestamp: TIMESTAMP_MS_MAX }],
  ])("may be %s", (_, event) => {
    // Properties are not copied: what is stored is cut from the text of the body.
    const { event: name, timestamp } = event as { event: string; timestamp?: number };
    const parsed = omitUndefined({ event: name, timestamp });
    expect(eventIntake.parse(event)).toMatchObject(parsed);
    expect(eventIntake.parse([event, event])).toMatchObject([parsed, parsed]);
  });

  it.each([
    [{}, "event: Required"],
    [{ event: "" }, "event: Must be at least 1 characters"],
    [{ event: "e".repeat(1025) }, "event: Must be at most 1024 characters"],
    [{ event: 1 }, "event: Expected string, received number"],
    [{ event: null }, "event: Expected string, received null"],
    [{ event: "e", user: "u" }, "user: Expected object, received string"],
    [{ event: "e", user: [] }, "user: Expected object, received array"],
    [{ event: "e", user: null }, "user: Expected object, received null"],
    [{ event: "e", user: { userID: 7 } }, "user.userID: Expected string, received number"],
    [{ event: "e", user: { stableID: {} } }, "user.stableID: Expected string, received object"],
    [{ event: "e", metadata: [1] }, "metadata: Expected object, received array"],
    [{ event: "e", metadata: "{}" }, "metadata: Expected object, received string"],
    [{ event: "e", value: true }, "value: Expected string or number, received boolean"],
    [{ event: "e", value: null }, "value: Expected string or number, received null"],
    [{ event: "e", timestamp: 1.5 }, "timestamp: Expected integer, received float"],
    [{ event: "e", timestamp: "soon" }, "timestamp: Expected integer, received string"],
    [{ event: "e", timestamp: null }, "timestamp: Expected integer, received null"],
    [{ event: "e", timestamp: 1e300 }, "timestamp: Integer out of range"],
    ...[TIMESTAMP_MS_MIN - 1, TIMESTAMP_MS_MAX + 1, "1704067200000000"].map((timestamp) => [
      { event: "e", timestamp },
      "timestamp: Expected ms since the epoch between the years 0000 and 9999 (are these microseconds?)",
    ]),
  ] as [unknown, string][])("is not %j", (event, fault) => {
    expect(faults(eventIntake, event)).toEqual([fault]);
    expect(faults(eventIntake, [whole, whole, whole, event])).toEqual([`[3].${fault}`]);
  });

  it("reports all faults at once", () => {
    const event = { user: { userID: 1 }, timestamp: "x", metadata: 2, value: [] };
    expect(faults(eventIntake, [whole, event]).map((fault) => fault.split(":")[0])).toEqual(
      ["event", "user.userID", "timestamp", "metadata", "value"].map((name) => `[1].${name}`),
    );
  });

  it("reports at most the maximum number of faults, and that there are more", () => {
    const told = faults(eventIntake, Array(FAULTS_MAX + 7).fill({}));
    expect(told).toHaveLength(FAULTS_MAX + 1);
    expect(told[FAULTS_MAX]).toBe(": Further faults are not listed");
  });
});

describe("the body of the event route", () => {
  it.each([
    [[], ": Must be at least 1 items"],
    [Array(1001).fill(whole), ": Must be at most 1000 items"],
    [Array(1001).fill(null), ": Must be at most 1000 items"],
    ["event", ": Expected object or array, received string"],
    [null, ": Expected object or array, received null"],
    [[null], "[0]: Expected object, received null"],
    [[[whole]], "[0]: Expected object, received array"],
  ])("is refused unless it is an event or an array of 1 to 1000 events (%#)", (body, fault) => {
    expect(faults(eventIntake, body)).toEqual([fault]);
  });

  it("accepts 1000 events", () => {
    expect(faults(eventIntake, Array(1000).fill(whole))).toEqual([]);
  });
});

describe("days of a query", () => {
  it.each(["2024-02-29", "0000-01-01", "9999-12-31"])("may be %s", (day) => {
    expect(faults(eventListQuery, { day })).toEqual([]);
    expect(faults(eventSummaryQuery, { from: day })).toEqual([]);
  });

  it.each(["2023-02-29", "2024-02-30", "2024-13-01", "2024-1-1", "20240101", "today", "", " "])(
    "must be in the calendar: %j",
    (day) => {
      const message = `Expected a day of the calendar as YYYY-MM-DD, received "${day}"`;
      expect(faults(eventListQuery, { day })).toEqual([`day: ${message}`]);
      expect(faults(eventSummaryQuery, { from: day, to: day })).toEqual([
        `from: ${message}`,
        `to: ${message}`,
      ]);
    },
  );

  it("must be in order: from before to", () => {
    const range = (from: string, to: string) => faults(eventSummaryQuery, { from, to });
    expect(range("2024-01-01", "2024-01-02")).toEqual([]);
    for (const from of ["2024-01-02", "2024-02-01"]) {
      expect(range(from, "2024-01-02")).toEqual([
        "to: Must be after `from`: the range does not include the day `to`",
      ]);
    }
  });

  it("have a limit of 1 to 1000, by default 100", () => {
    expect(eventListQuery.parse({})).toEqual({ limit: 100 });
    expect(eventListQuery.parse({ limit: "1000" })).toEqual({ limit: 1000 });
    for (const limit of ["0", "1001", "x", "1.5"]) {
      expect(faults(eventListQuery, { limit })).toHaveLength(1);
    }
  });
});
