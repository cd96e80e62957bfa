import { describe, expect, test } from "vitest";
import type { EventBatch } from "../../src/batch/event-batch.js";
import { createMapper } from "../../src/mapper/create-mapper.js";
import type { MapperOptions } from "../../src/mapper/mapper-options.js";
import type { WrittenChanges } from "../../src/mapper/mapping.js";
import { presets } from "../../src/mapper/presets.js";
import { resolveWritten } from "../../src/mapper/resolve-mapping.js";
import type { Transform } from "../../src/mapper/transform.js";
import { type CellRow, createBatch } from "../support/cells.js";
import { usedKernel } from "../support/used-kernel.js";

const time = { event_time: "2026-01-31 17:03:12" };
const stepsOf = (events: EventBatch, row: number) =>
  events.trace(row).map(({ from, to }) => `${from.join("/")} → ${to.join("/")}`);

/** The steps of the last of the rows, but for those of names and times in their usual fields. */
function traced(
  mapping: WrittenChanges,
  rows: readonly CellRow[],
  options: Partial<MapperOptions> = {},
): readonly string[] {
  const kernel = usedKernel();
  const all = { userID: "id", stableID: null, metadata: null, user: null } as const;
  const mapper = createMapper(kernel, {
    mapping: resolveWritten({ ...presets.amplitude.mapping, ...all, ...mapping }),
    minTimeMs: -8.64e15,
    maxTimeMs: 8.64e15,
    ...options,
  });
  const given = rows.map((row) => ({ event_type: "view", ...time, id: "u", ...row }));
  const events = mapper.map(createBatch(kernel, mapper.fields, given));
  expect(kernel.bytes[events.outcomes + events.rows - 1]).toBe(0);
  const usual = ["event_type → event", "event_time → timestamp", "id → user/userID"];
  return stepsOf(events, events.rows - 1).filter((step) => !usual.includes(step));
}

describe("a value is from", () => {
  test("the first field that is not null, not empty and not excepted", () => {
    const userID = ["a", { field: "b", unless: ["none"] }, { field: "c", unlessPrefix: "$" }, "d"];
    const cells = { b: "none", c: "$x", d: "u" };
    expect(traced({ userID }, [{ a: "first" }, { a: "", ...cells }])).toEqual(["d → user/userID"]);
    expect(traced({ userID }, [{ a: null, ...cells, c: "x" }])).toEqual(["c → user/userID"]);
  });

  test("the field that counts after its text was changed", () => {
    const userID = [{ field: "a", trim: true, unless: ["none"] }, { field: "b", as: "json" }, "c"];
    const changes = { userID } as WrittenChanges;
    expect(traced(changes, [{ a: " none\u00a0", b: "null", c: "u" }])).toEqual(["c → user/userID"]);
    expect(traced(changes, [{ a: " none ", b: '"7"', c: "u" }])).toEqual(["b → user/userID"]);
  });

  test("the field that differs from the other one", () => {
    const stableID = [{ field: "device", unlessSameAs: "id" }, "cookie"];
    expect(traced({ stableID }, [{ device: "u", cookie: "k" }])).toEqual([
      "cookie → user/stableID",
    ]);
    expect(traced({ stableID }, [{ device: "d", cookie: "k" }])).toEqual([
      "device → user/stableID",
    ]);
  });

  test("the first time that is not null", () => {
    const timestamp = [{ field: "t", as: "json" }, "s", "event_time"];
    expect(traced({ timestamp } as WrittenChanges, [{ t: "null", s: 1769878992 }])).toEqual([
      "s → timestamp",
    ]);
    expect(traced({ timestamp } as WrittenChanges, [{ t: '"1769878992"' }])).toEqual([
      "t → timestamp",
    ]);
  });

  test("the value and the insert id, if they are asked for", () => {
    const changes: WrittenChanges = { value: ["price", "amount"], insertID: ["key"] };
    const row = { price: null, amount: 3, key: "k" };
    expect(traced(changes, [row], { withInsertID: true })).toEqual([
      "amount → value",
      "key → insertID",
    ]);
    expect(traced(changes, [row])).toEqual(["amount → value"]);
  });
});

describe("members are from", () => {
  test("the first object that is not null", () => {
    const metadata = [["p", "q"]] as unknown as WrittenChanges["metadata"] & object;
    expect(traced({ metadata }, [{ q: { json: '{"x":1}' } }])).toEqual(["q → metadata"]);
  });

  test("listed fields that are not null, under their names", () => {
    const metadata = { fields: ["a.b", { field: "c", name: "renamed" }, "d"] };
    expect(traced({ metadata }, [{ "a.b": 1, c: "x", d: null }])).toEqual([
      "a/b → metadata/b",
      "c → metadata/renamed",
    ]);
  });

  test("the part of a merged object in which they are not null first", () => {
    const metadata = ["p", { fields: ["plan", "path"] }, { rest: "q" }, "r"];
    const row = {
      p: { json: '{"x":null,"y":1,"z":null}' },
      plan: "pro",
      q: { json: '{"x":2,"plan":"free"}' },
      r: { json: '{"y":3,"w":4}' },
    };
    expect(traced({ metadata } as WrittenChanges, [row]).toSorted()).toEqual([
      "p/y → metadata/y",
      "p/z → metadata/z",
      "plan → metadata/plan",
      "q/x → metadata/x",
      "r → metadata",
    ]);
  });

  test("the last element of a list with their name", () => {
    const metadata = { pairs: ["none", "list"], key: "k", value: ["v.text", "v.number"] };
    const list =
      '[{"k":"a","v":{"text":"1"}},{"k":"b","v":{"text":null,"number":2}},{"k":"a","v":{"number":3}}]';
    const steps = ["list/2/v/number → metadata/a", "list/1/v/number → metadata/b"];
    expect(traced({ metadata }, [{ list: { json: list } }])).toEqual(steps);
    expect(traced({ metadata }, [{ list: JSON.stringify(list) }])).toEqual(steps);
  });

  test("the properties, also an id that has no field", () => {
    const user = "properties";
    const row = { id: null, device: "d", properties: { json: '{"userID":"p"}' } };
    expect(traced({ user, stableID: "device" }, [row])).toEqual([
      "device → user/stableID",
      "properties → user",
    ]);
  });
});

test("an id replaces the property of its name, wherever that is from", () => {
  const user = { fields: [{ field: "name", name: "userID" }, "plan"] };
  const row = { name: "Mina", plan: "pro", cookie: null };
  expect(traced({ user, stableID: "cookie" }, [row])).toEqual(["plan → user/plan"]);
  expect(traced({ user, stableID: "cookie" }, [{ ...row, id: null, cookie: "c" }])).toEqual([
    "cookie → user/stableID",
    "name → user/userID",
    "plan → user/plan",
  ]);
});

test("the filter names its field", () => {
  const filter = { field: "type", include: ["track"] };
  expect(traced({ filter }, [{ type: "track" }])).toEqual(["type → "]);
});

test("each event of a transform has the trace of its row", () => {
  const transform: Transform = (event) => (event.event === "gone" ? null : [event, event]);
  const rows = [{ event_type: "gone" }, { id: null, other: "o" }];
  expect(traced({ userID: ["id", "other"] }, rows, { transform })).toEqual(["other → user/userID"]);
});
