import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WrittenChanges } from "../../src/mapper/mapping.js";
import type { Cell } from "../support/cells.js";
import { mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

function delivered(names: readonly string[], includeEvents: string[], excludeEvents: string[]) {
  const rows = names.map((event_type) => ({ event_type, event_time: 1_700_000_000, user_id: "u" }));
  const outcomes = mapRows(rows, { includeEvents, excludeEvents }).rows;
  return names.filter((_, row) => outcomes[row]?.outcome === "deliver");
}

describe("event filters", () => {
  const names = ["session_start", "session_end", "[Amplitude] Page", "checkout", "Session_x", "é"];

  it("keep only included events, if there are includes", () => {
    expect(delivered(names, ["session_*", "checkout"], [])).toEqual([
      "session_start",
      "session_end",
      "checkout",
    ]);
  });

  it("let excludes win", () => {
    expect(delivered(names, ["session_*"], ["*_end"])).toEqual(["session_start"]);
  });

  it("match one character with a question mark, and brackets literally", () => {
    expect(delivered(names, ["?", "[Amplitude] *"], [])).toEqual(["[Amplitude] Page", "é"]);
  });

  it("mark rows as filtered, not rejected, before later checks", () => {
    const row = { event_type: "noise", event_time: "never" };
    const { rows } = mapRows([row], { excludeEvents: ["noise"] });
    expect(rows).toEqual([{ outcome: "filtered" }]);
  });

  it("of a mapping must all be passed", () => {
    const filter = [
      { field: "excluded", exclude: ["1", "??"] },
      { field: "source", include: ["1", "2"] },
    ];
    const row = (excluded: string, source: string) => ({
      event_type: "e",
      event_time: 1_700_000_000,
      user_id: "u",
      excluded,
      source,
    });
    const rows = [row("0", "1"), row("1", "1"), row("11", "2"), row("", "2"), row("0", "7")];
    const mapped = mapRows(rows, { overrides: { filter } }).rows.map(({ outcome }) => outcome);
    expect(mapped).toEqual(["deliver", "filtered", "filtered", "deliver", "filtered"]);
  });

  it("agree with regular expressions", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "é", "\u{1f375}", "*"),
      maxLength: 8,
    });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "é", "*", "?"), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), pattern, (given, wildcard) => {
        const names = given.filter((name) => name !== "");
        const source = wildcard.replaceAll("*", ".*").replaceAll("?", ".");
        const expression = new RegExp(`^${source}$`, "su");
        expect(delivered(names, [wildcard], [])).toEqual(
          names.filter((name) => expression.test(name)),
        );
        expect(delivered(names, [], [wildcard])).toEqual(
          names.filter((name) => !expression.test(name)),
        );
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("match more names than are cached", () => {
    const names = Array.from({ length: 9_000 }, (_, index) => `event_${index}`);
    const twice = [...names, ...names];
    const given = twice.slice(0, 16_000);
    expect(delivered(given, ["*7"], [])).toEqual(given.filter((name) => name.endsWith("7")));
  });
});

type RowFilter = NonNullable<WrittenChanges["filter"]>;

const good = { event_type: "e", event_time: 1_700_000_000, user_id: "u" };

/** Outcomes of rows whose field `call` holds these cells. */
function outcomesOf(filter: RowFilter, calls: readonly Cell[]) {
  const rows = calls.map((call) => ({ ...good, call }));
  return mapRows(rows, { overrides: { filter } }).rows.map(({ outcome }) => outcome);
}

describe("a filter of rows by a field", () => {
  const calls = ["track", "identify", "ident", "", null, { json: "[1]" }, 7, "Identify"];

  it("filters excluded rows, and keeps rows with an empty field", () => {
    expect(outcomesOf({ field: "call", exclude: ["ident?fy", "7"] }, calls)).toEqual([
      "deliver",
      "filtered",
      "deliver",
      "deliver",
      "deliver",
      "deliver",
      "filtered",
      "deliver",
    ]);
  });

  it("filters rows that are not included or have an empty field", () => {
    expect(outcomesOf({ field: "call", include: ["track", "ident*"] }, calls)).toEqual([
      "deliver",
      "deliver",
      "deliver",
      "filtered",
      "filtered",
      "filtered",
      "filtered",
      "filtered",
    ]);
  });

  it("lets excludes win", () => {
    const filter = { field: "call", include: ["*"], exclude: ["ident*"] };
    expect(outcomesOf(filter, calls.slice(0, 5))).toEqual([
      "deliver",
      "filtered",
      "filtered",
      "deliver",
      "deliver",
    ]);
  });

  it("comes after the reader's faults and before all other checks", () => {
    const overrides = { filter: { field: "call", exclude: ["identify"] } };
    const rows = [{ call: "identify" }, { call: "identify" }, { call: "track" }];
    const mapped = mapRows(rows, { overrides, faults: [0, 1, 0] }).rows;
    expect(mapped.map(({ outcome }) => outcome)).toEqual([
      "filtered",
      "malformed_row",
      "event_missing",
    ]);
  });

  it("is removed by null", () => {
    const rows = [{ type: "identify", timestamp: good.event_time, userId: "u" }];
    const outcome = (overrides: object) =>
      mapRows(rows, { preset: "segment", overrides }).rows.map((row) => row.event ?? row.outcome);
    expect(outcome({})).toEqual(["filtered"]);
    expect(outcome({ filter: null })).toEqual(["identify"]);
  });
});
