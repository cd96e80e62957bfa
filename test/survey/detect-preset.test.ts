import { expect, test } from "vitest";
import { presetNames, presets } from "../../src/mapper/presets.js";
import { resolveMapping } from "../../src/mapper/resolve-mapping.js";
import { detectPresets } from "../../src/survey/choose-preset.js";
import { summarizeFields } from "../../src/survey/field-summary.js";
import type { Row } from "../../src/survey/sample-rows.js";

const detect = (rows: readonly Row[]) => detectPresets(summarizeFields(rows), rows.length);

test.each(presetNames)("%s needs only fields that its mapping uses", (preset) => {
  const { event, timestamp, rows } = resolveMapping(preset);
  const needed = presets[preset].required.flat();
  // The fields of elements are not those of the rows around them.
  if (rows !== undefined) expect(needed).toContain(rows[0]);
  for (const choices of rows === undefined ? [event, timestamp] : []) {
    const isFromPath = choices.some(({ path: [step] }) => step === "path");
    const isNeeded = choices.some(({ path }) => needed.includes(path.join(".")));
    expect(isNeeded || isFromPath).toBe(true);
  }
});

test("columns are counted, and typical ones are named", () => {
  const row = { event_type: "a", event_time: "2026-01-31", amplitude_id: 1, city: null, own: 1 };
  expect(detect([row])).toMatchObject([
    { preset: "amplitude", columns: 5, known: 4, marks: ["amplitude_id"] },
  ]);
});

test.each<[string, Row]>([
  ["a name alone", { event: "a", properties: {} }],
  ["a table of one's own", { event_name: "a", event_timestamp: 1, user_id: "u" }],
  [
    "a log with sessions",
    { event_id: 1, user_id: 2, session_id: 3, time: "2026-01-31", type: "a", app_id: "x" },
  ],
  ["a table with an app", { id: 1, user_id: 2, time: 1769878992, app_id: "x", name: "a" }],
  ["empty fields", { event_type: null, event_time: "", user_id: "u" }],
])("%s is no preset's row", (_, row) => {
  expect(detect([row])).toEqual([]);
});

test("a field that most rows lack does not fulfil a requirement", () => {
  const rows = [{ event_type: "a", event_time: "2026-01-31" }, { x: 1 }, { x: 2 }];
  expect(detect(rows)).toEqual([]);
});

test("Segment and RudderStack have similar rows and are distinguished by their own fields", () => {
  const shared = {
    type: "track",
    event: "a",
    messageId: "m",
    userId: "u",
    anonymousId: "d",
    timestamp: "2026-01-31T17:03:12Z",
    context: {},
    properties: {},
  };
  const of = (own: Row) => detect([{ ...shared, ...own }])[0]?.preset;
  expect(of({ rudderId: "r", channel: "web" })).toBe("rudderstack");
  expect(of({ context: { library: { name: "RudderLabs JavaScript SDK" } } })).toBe("rudderstack");
  expect(of({ context: { library: { name: "analytics.js" } } })).toBe("segment");
  expect(of({ writeKey: "w", integrations: {} })).toBe("segment");
});

test("fields inside a JSON text count like those of an object", () => {
  const properties = JSON.stringify({ time: 1769878992, distinct_id: "u" });
  expect(detect([{ event: "a", properties }])[0]?.preset).toBe("mixpanel");
  expect(detect([{ event: "a", properties: JSON.stringify(properties) }])[0]?.preset).toBe(
    "mixpanel",
  );
});

test.each(presetNames)("%s names no column twice", (preset) => {
  const { columns } = presets[preset];
  expect(new Set(columns).size).toBe(columns.length);
});

test("columns that differ only in case are known columns", () => {
  const row = { EVENT_TYPE: "a", EVENT_TIME: "2026-01-31", Amplitude_ID: 1, user_id: "u", Own: 1 };
  const [match] = detect([row]);
  expect(match).toMatchObject({ preset: "amplitude", columns: 5, known: 4 });
  expect(match?.recased).toEqual({
    event_type: "EVENT_TYPE",
    event_time: "EVENT_TIME",
    amplitude_id: "Amplitude_ID",
  });
});
