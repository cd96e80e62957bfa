import { describe, expect, it } from "vitest";
import type { WrittenChanges } from "../../src/mapper/mapping.js";
import type { Cell } from "../support/cells.js";
import { mapRows } from "../support/mapping.js";

type RowFilter = NonNullable<WrittenChanges["filter"]>;

const good = { event_type: "e", event_time: 1_700_000_000, user_id: "u" };

/** Outcomes of rows whose field `call` holds these cells. */
function outcomesOf(filter: RowFilter, calls: readonly Cell[]) {
  const rows = calls.map((call) => ({ ...good, call }));
  return mapRows(rows, { overrides: { filter } }).rows.map(({ outcome }) => outcome);
}

describe("a filter of rows by a field", () => {
  const calls = ["track", "identify", "ident", "", null, { json: "[1]" }, 7, "Identify"];

  it("leaves out what is excluded, and nothing where the field is empty", () => {
    expect(outcomesOf({ field: "call", exclude: ["ident?fy", "7"] }, calls)).toEqual([
      ...["deliver", "filtered", "deliver", "deliver", "deliver", "deliver", "filtered", "deliver"],
    ]);
  });

  it("leaves out what is not included, and where the field is empty", () => {
    expect(outcomesOf({ field: "call", include: ["track", "ident*"] }, calls)).toEqual([
      ...["deliver", "deliver", "deliver", "filtered", "filtered", "filtered", "filtered"],
      "filtered",
    ]);
  });

  it("lets an exclusion win over an inclusion", () => {
    const filter = { field: "call", include: ["*"], exclude: ["ident*"] };
    expect(outcomesOf(filter, calls.slice(0, 5))).toEqual([
      ...["deliver", "filtered", "filtered", "deliver", "deliver"],
    ]);
  });

  it("comes before everything that an event needs, but not before the reader's faults", () => {
    const overrides = { filter: { field: "call", exclude: ["identify"] } };
    const rows = [{ call: "identify" }, { call: "identify" }, { call: "track" }];
    const mapped = mapRows(rows, { overrides, faults: [0, 1, 0] }).rows;
    expect(mapped.map(({ outcome }) => outcome)).toEqual([
      ...["filtered", "malformed_row", "event_missing"],
    ]);
  });

  it("is taken away by null", () => {
    const rows = [{ type: "identify", timestamp: good.event_time, userId: "u" }];
    const outcome = (overrides: object) =>
      mapRows(rows, { preset: "segment", overrides }).rows.map((row) => row.event ?? row.outcome);
    expect(outcome({})).toEqual(["filtered"]);
    expect(outcome({ filter: null })).toEqual(["identify"]);
  });
});
