import { describe, expect, it } from "vitest";
import type { Report, TopID } from "../../../src/profile/report.js";
import { findFindings } from "../../../src/report/findings/findings.js";
import { cleanReport, exampleEvent } from "../example-report.js";

const withEvents = (...events: Report["events"]): Report => ({ ...cleanReport, events });
const withIdentity = (identity: Partial<Report["identity"]>): Report => ({
  ...cleanReport,
  identity: { ...cleanReport.identity, ...identity },
});
const codesOf = (report: Report) => findFindings(report).map(({ code }) => code);
const only = (report: Report) => {
  expect(codesOf(report)).toHaveLength(1);
  return findFindings(report)[0];
};

describe("names over time", () => {
  const until = { lastTimestamp: "2026-01-14T12:00:00.000Z", rows: 1_000, days: 14 };
  const from = { firstTimestamp: "2026-01-14T13:00:00.000Z", rows: 1_000, days: 15 };

  it("reports a name that ends in the middle", () => {
    const finding = only(withEvents(exampleEvent("brewed"), exampleEvent("old", until)));
    expect(finding).toMatchObject({ code: "name_vanished", event: "old", day: "2026-01-14" });
  });

  it("reports a name that begins in the middle", () => {
    const finding = only(withEvents(exampleEvent("brewed"), exampleEvent("new", from)));
    expect(finding).toMatchObject({ code: "name_appeared", event: "new", day: "2026-01-14" });
  });

  it("treats a name that begins where another ends as renamed, and the module renames it", () => {
    const finding = only(withEvents(exampleEvent("old", until), exampleEvent("new", from)));
    expect(finding).toMatchObject({ code: "name_changed", event: "old" });
    expect(finding?.fix?.line).toBe('"transform": "./fixes.mjs"');
    expect(finding?.fix?.module?.text).toContain('if (event.event === "old") event.event = "new";');
  });

  it("finds a renaming although late uploads have the old name for some days", () => {
    const old = exampleEvent("old", {
      ...until,
      lastTimestamp: "2026-01-19T12:00:00.000Z",
      days: 19,
    });
    const days = cleanReport.days.map((day, index) => ({
      ...day,
      byEvent: [
        ...(index < 19 ? [[0, index < 14 ? 70 : 2] as const] : []),
        ...(index >= 13 ? [[1, 70] as const] : []),
      ],
    }));
    const finding = only({ ...withEvents(old, exampleEvent("new", from)), days });
    expect(finding).toMatchObject({ code: "name_changed", event: "old", day: "2026-01-14" });
  });

  it("ignores rare names and those of a campaign", () => {
    const rare = exampleEvent("rare", { ...until, rows: 14 });
    const single = exampleEvent("single", {
      ...until,
      firstTimestamp: until.lastTimestamp,
      rows: 40,
      days: 1,
    });
    expect(codesOf(withEvents(exampleEvent("brewed"), single))).toEqual([]);
    const campaign = exampleEvent("campaign", { ...until, days: 3 });
    expect(codesOf(withEvents(exampleEvent("brewed"), rare, campaign))).toEqual([]);
  });
});

describe("the spelling of names", () => {
  it("is unified by the module if it differs by case or white space", () => {
    const finding = only(
      withEvents(exampleEvent("Page View"), exampleEvent("page view ", { rows: 9 })),
    );
    expect(finding).toMatchObject({ code: "names_alike", rows: 9 });
    expect(finding?.fix?.module?.text).toContain('[["page view ","Page View"]]');
    expect(codesOf(withEvents(exampleEvent("a b"), exampleEvent("a c")))).toEqual([]);
    for (const other of ["checkout_completed", "checkout-completed", "CheckoutCompleted"]) {
      const names = withEvents(
        exampleEvent("Checkout Completed"),
        exampleEvent(other, { rows: 9 }),
      );
      expect(only(names)?.code).toBe("names_alike");
    }
    expect(codesOf(withEvents(exampleEvent("week 2026-01"), exampleEvent("week 202601")))).toEqual(
      [],
    );
  });

  it("is unified by the module if ten names differ only by an id", () => {
    const names = (count: number) =>
      Array.from({ length: count }, (_, id) => exampleEvent(`Viewed /product/${id}`, { rows: 1 }));
    const finding = only(withEvents(...names(10)));
    expect(finding).toMatchObject({ code: "names_with_ids", rows: 10 });
    expect(finding?.title).toContain("Viewed /product/*");
    expect(codesOf(withEvents(...names(9)))).toEqual([]);
  });

  it("that services refuse is filtered out or made valid", () => {
    const long = withEvents(exampleEvent("x".repeat(2_000)));
    expect(only(long)?.fix?.line).toBe(`"excludeEvent": ["${"x".repeat(60)}*"]`);
    const qualifyingEvents = [{ name: "a\\b", event: "a\\b", refused: "unsafe in SQL" }];
    const estimates = { ...cleanReport.estimates, qualifyingEvents };
    const finding = only({ ...withEvents(exampleEvent("a\\b")), estimates });
    expect(finding).toMatchObject({ code: "name_refused", event: "a\\b", rows: 33_600 });
  });

  it("that are too many to review are reported", () => {
    const report = { ...cleanReport, otherEvents: { names: 49_000, rows: 50_000 } };
    expect(codesOf(report)).toEqual(["names_too_many", "cap_reached"]);
  });
});

describe("identity", () => {
  it("treats placeholder ids as missing, which is safe if every event has the other id", () => {
    const junkIDs = [
      { field: "userID", value: "null", rows: 5 },
      { field: "userID", value: "0", rows: 2 },
    ] as const;
    const finding = only(withIdentity({ junkIDs }));
    expect(finding).toMatchObject({ code: "ids_junk", rows: 7 });
    expect(finding?.fix).toEqual({
      path: ["mapping", "userID"],
      value: { field: "user_id", unless: ["null", "0"] },
      line: '"mapping": {"userID": {"field": "user_id", "unless": ["null", "0"]}}',
      isSafe: true,
    });
    expect(only(withIdentity({ junkIDs, userOnly: 1 }))?.fix?.isSafe).toBe(false);
  });

  it("keeps other exceptions of the mapping in the line", () => {
    const userID = [{ path: ["id"], unlessPrefix: "$device:", unlessSameAs: ["device"] }];
    const configuration = { mapping: { userID } };
    const junkIDs = [{ field: "userID", value: "0", rows: 2 }] as const;
    expect(only({ ...withIdentity({ junkIDs }), configuration })?.fix?.value).toEqual({
      field: "id",
      unlessPrefix: "$device:",
      unlessSameAs: ["device"],
      unless: ["0"],
    });
  });

  it("reports anonymous visitors that count as users", () => {
    const finding = only(withIdentity({ same: 6_000 }));
    expect(finding).toMatchObject({ code: "users_anonymous", rows: 6_000 });
    expect(finding?.detail).toContain("10.0 % of the events with a user id");
  });

  it("reports user ids of anonymous visitors that have no device id, by their shape", () => {
    const prefixed = only(withIdentity({ devicePrefixes: 1 }));
    expect(prefixed?.title).toBe("1 event has a user id that begins with $device:");
    const generated = only(withIdentity({ generatedAlone: 6_000 }));
    expect(generated).toMatchObject({ code: "users_anonymous", rows: 6_000 });
  });

  it("does not take users with UUIDs for anonymous visitors", () => {
    const { both, userOnly } = cleanReport.identity;
    expect(codesOf(withIdentity({ generatedAlone: both + userOnly }))).toEqual([]);
    expect(codesOf(withIdentity({ generatedAlone: 6_000, generatedBeside: 6_000 }))).toEqual([]);
    expect(codesOf(withIdentity({ generatedAlone: 20 }))).toEqual([]);
  });

  it("reports events that only link ids, of any tool, and filters them out", () => {
    const names = ["$identify", "$create_alias", "alias"];
    const events = names.map((name) => exampleEvent(name, { rows: 50 }));
    const finding = only(withEvents(exampleEvent("brewed"), ...events));
    expect(finding).toMatchObject({ code: "identity_events", rows: 150 });
    expect(finding?.fix?.line).toBe('"excludeEvent": ["$identify", "$create_alias", "alias"]');
  });

  it("reports that almost no event has a user id", () => {
    expect(only(withIdentity({ both: 10, deviceOnly: 67_000 }))?.code).toBe("users_missing");
  });

  const top = (id: string, others: number): TopID => ({
    id,
    rows: 900,
    others: { count: others, error: 0 },
  });

  it("treats devices with hundreds of users, and users with hundreds of devices, as missing", () => {
    const device = only(withIdentity({ sharedDevices: [top("kiosk", 300), top("d2", 2)] }));
    expect(device).toMatchObject({
      code: "device_shared",
      rows: 900,
      title: 'The device "kiosk" has 300 users',
      fix: { value: { field: "device_id", unless: ["kiosk"] }, isSafe: false },
    });
    expect(only(withIdentity({ sharedUsers: [top("bot", 300)] }))?.code).toBe("user_many_devices");
  });

  it("hashes ids that are email addresses", () => {
    const finding = only(withIdentity({ emailUsers: 600 }));
    expect(finding).toMatchObject({
      code: "ids_emails",
      title: "600 events have an email address as user id",
      rows: 600,
    });
    expect(finding?.detail).toContain("That is 1.0 % of the events with a user id.");
    expect(finding?.fix?.line).toBe('"hash": ["userID"]');
    expect(only(withIdentity({ emailDevices: 1 }))?.fix?.line).toBe('"hash": ["stableID"]');
  });

  it("has no line for shared ids that are cut or masked", () => {
    const masked = only(withIdentity({ sharedDevices: [top("m…@…", 300)] }));
    expect(masked).toMatchObject({
      code: "device_shared",
      title: 'The device "m…@…" has 300 users',
    });
    expect(masked?.fix).toBeUndefined();
    const both = only(withIdentity({ sharedDevices: [top("m…@…", 300), top("kiosk", 200)] }));
    expect(both?.fix?.value).toEqual({ field: "device_id", unless: ["kiosk"] });
  });
});

it("reports duplicates beyond the error of the estimate", () => {
  const withDuplicates = (estimated: number, withinSplits: number): Report => ({
    ...cleanReport,
    rows: {
      ...cleanReport.rows,
      duplicates: { withInsertID: 67_200, withinSplits, unknown: 0, estimated, error: 500 },
    },
  });
  expect(codesOf(withDuplicates(1_400, 0))).toEqual([]);
  expect(only(withDuplicates(1_600, 0))?.title).toBe("About 1,600 events repeat an insert id");
  expect(only(withDuplicates(0, 1))?.title).toBe("1 event repeats an insert id");
});

it("reports an export without events, and a failed source, as errors", () => {
  const nothing: Report = {
    ...cleanReport,
    days: [],
    events: [],
    rows: { ...cleanReport.rows, mapped: 0 },
  };
  expect(only(nothing)).toMatchObject({ code: "no_events", severity: "error" });
  const failure = { code: "gzip_truncated", message: "ends in the middle" };
  const sources = [{ name: "a.gz", bytes: 9, format: "ndjson", failure }];
  const inputs = { ...cleanReport.inputs, sources };
  expect(only({ ...cleanReport, inputs })?.title).toBe("a.gz could not be read completely");
});

it("lists the most severe first, then those with the most rows", () => {
  const report = {
    ...withIdentity({ junkIDs: [{ field: "userID", value: "0", rows: 5 }] }),
    times: { ...cleanReport.times, future: 9 },
    events: [exampleEvent("x".repeat(2_000), { rows: 1 })],
  };
  expect(codesOf(report)).toEqual(["name_too_long", "times_future", "ids_junk"]);
});
