import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LosslessNumber } from "lossless-json";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.js";
import { Kernel } from "../../src/batch/kernel.js";
import { createMapper } from "../../src/mapper/create-mapper.js";
import { presets } from "../../src/mapper/presets.js";
import { resolveWritten } from "../../src/mapper/resolve-mapping.js";
import { loadTransform, type Transform, type TransformEvent } from "../../src/mapper/transform.js";
import { type CellRow, createBatch } from "../support/cells.js";
import { type MapRowsOptions, mapRow, mapRows } from "../support/mapping.js";
import { scratchDirectory } from "../support/scratch.js";

const good = {
  event_type: "checkout",
  event_time: 1_700_000_000_000,
  user_id: "mina",
  device_id: "phone",
  event_properties: { json: '{"n":1.50,"id":9007199254740993,"x":0.1,"z":-0,"a":[1e400]}' },
  user_properties: { json: '{"plan":"free"}' },
} satisfies CellRow;

const transformed = (transform: Transform, options: MapRowsOptions = {}) =>
  mapRows([good], { ...options, transform });

describe("a transform", () => {
  it("gets the mapped event as fresh objects", () => {
    let seen: TransformEvent | undefined;
    transformed((event) => {
      seen = event;
      return event;
    });
    expect(seen).toEqual({
      event: "checkout",
      timestamp: 1_700_000_000_000,
      user: { userID: "mina", stableID: "phone", plan: "free" },
      metadata: {
        n: new LosslessNumber("1.50"),
        id: 9007199254740993n,
        x: 0.1,
        z: new LosslessNumber("-0"),
        a: [new LosslessNumber("1e400")],
      },
    });
  });

  it("that changes nothing changes no digit", () => {
    const given = { overrides: { value: "amount" } };
    const row = { ...good, amount: { json: "3.10" } };
    expect(mapRow(row, { ...given, transform: (event) => event })).toEqual(mapRow(row, given));
  });

  it("can change the event, its time, ids, properties and value", () => {
    const { rows } = transformed(() => ({
      event: "renamed",
      timestamp: 5n,
      user: { plan: "paid", stableID: 77, userID: null },
      metadata: { at: new Date(0), big: 12345678901234567890n, lone: "\ud800" },
      value: 2.5,
    }));
    expect(rows).toEqual([
      {
        outcome: "deliver",
        event: "renamed",
        timestamp: 5,
        userID: undefined,
        stableID: "77",
        value: "2.5",
        user: '{"stableID":"77","plan":"paid"}',
        metadata: '{"at":"1970-01-01T00:00:00.000Z","big":12345678901234567890,"lone":"\\ud800"}',
      },
    ]);
  });

  it("gets the insert id, and can keep, change or remove it", () => {
    const insertIDs = (transform: Transform) => {
      const kernel = new Kernel();
      const mapping = resolveWritten({ ...presets.amplitude.mapping });
      const limits = { minTimeMs: -8.64e15, maxTimeMs: 8.64e15 };
      const options = { mapping, ...limits, transform, withInsertID: true };
      const mapper = createMapper(kernel, options);
      const rows = [{ ...good, $insert_id: "i-1" }, good];
      const events = mapper.map(createBatch(kernel, mapper.fields, rows));
      return Array.from({ length: events.rows }, (_, row) => events.insertID?.text(row));
    };
    expect(insertIDs((event) => event)).toEqual(["i-1", undefined]);
    expect(insertIDs(({ insertID: _, ...event }) => [event, event])).toEqual([
      "i-1",
      "i-1",
      undefined,
      undefined,
    ]);
    expect(insertIDs((event) => ({ ...event, insertID: null }))).toEqual([undefined, undefined]);
    expect(insertIDs((event) => ({ ...event, insertID: `${event.insertID}-a` }))).toEqual([
      "i-1-a",
      "undefined-a",
    ]);
    const { rows, words } = transformed((event) => ({ ...event, insertID: {} }));
    expect(rows[0]?.outcome).toBe("transform_failed");
    expect(words[0]).toContain("an object for insertID");
  });

  it("can return several events or none, each with its source row", () => {
    const names = ["none", "one", "two", "empty", "bad"];
    const rows = names.map((event_type) => ({ ...good, event_type }));
    const transform: Transform = (event) => {
      if (event.event === "none") return null;
      if (event.event === "empty") return [];
      if (event.event === "two") return [event, { ...event, event: "second" }];
      return event.event === "bad" ? [event, { ...event, event: "" }] : event;
    };
    const mapped = mapRows([...rows, { ...good, event_time: "never" }], { transform });
    expect(mapped.rows.map(({ outcome, event }) => event ?? outcome)).toEqual([
      "filtered",
      "one",
      "two",
      "second",
      "filtered",
      "event_missing",
      "time_unparsable",
    ]);
    expect(mapped.sourceRows).toEqual([0, 1, 2, 2, 3, 4, 5]);
    expect(mapped.words.slice(-2)).toEqual([
      "the transform returned no event name",
      'event_time is the text "never", which is not a time',
    ]);
  });

  it("can return more events than a batch has rows", () => {
    const transform: Transform = (event) =>
      Array.from({ length: 20_000 }, (_, index) => ({ ...event, event: `e${index}` }));
    const { rows, sourceRows } = mapRows([good, good], { transform });
    expect(rows).toHaveLength(40_000);
    expect(rows[39_999]).toMatchObject({ event: "e19999", userID: "mina" });
    expect(sourceRows[20_000]).toBe(1);
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  it.each<[string, (event: TransformEvent) => unknown, string]>([
    ["a number", () => 5, "transform_failed"],
    ["undefined", () => undefined, "transform_failed"],
    ["a list in a list", (event) => [[event]], "transform_failed"],
    ["a promise", async (event) => event, "transform_failed"],
    ["a cycle", (event) => ({ ...event, metadata: { cycle } }), "transform_failed"],
    ["no event name", (event) => ({ ...event, event: null }), "event_missing"],
    ["a number for a name", (event) => ({ ...event, event: 5 }), "event_not_text"],
    ["a lone surrogate", (event) => ({ ...event, event: "\udc00" }), "event_not_text"],
    [
      "a value with a lone surrogate",
      (event) => ({ ...event, value: "\ud800" }),
      "value_not_scalar",
    ],
    ["no time", (event) => ({ ...event, timestamp: null }), "time_missing"],
    ["half a millisecond", (event) => ({ ...event, timestamp: 1.5 }), "time_unparsable"],
    ["a time as text", (event) => ({ ...event, timestamp: "2023" }), "time_unparsable"],
    ["a late time", (event) => ({ ...event, timestamp: 2e12 }), "time_out_of_range"],
    ["no ids", (event) => ({ ...event, user: {} }), "unit_id_missing"],
    ["an object for an id", (event) => ({ ...event, user: { userID: {} } }), "unit_id_not_text"],
    ["a list for metadata", (event) => ({ ...event, metadata: [] }), "metadata_not_object"],
    [
      "a Map for metadata",
      (event) => ({ ...event, metadata: new Map([["a", 1]]) }),
      "metadata_not_object",
    ],
    ["text for a user", (event) => ({ ...event, user: "u" }), "user_not_object"],
    ["a boolean for a value", (event) => ({ ...event, value: true }), "value_not_scalar"],
  ])("that returns %s rejects the row", (_title, transform, code) => {
    const { rows, words } = transformed(transform, { minTimeMs: 0, maxTimeMs: 1.9e12 });
    expect(rows).toEqual([{ outcome: code }]);
    expect(words[0]).toMatch(/^the transform (returned|failed)/);
  });

  it("that throws rejects the row with its message", () => {
    const { rows, words } = transformed(() => {
      throw new TypeError("no such plan");
    });
    expect(rows).toEqual([{ outcome: "transform_failed" }]);
    expect(words).toEqual(["the transform failed: no such plan"]);
  });

  it("may not nest deeper than a row, or return an object that contains itself", () => {
    const nested = (levels: number) => {
      let value: object = {};
      for (let level = 1; level < levels; level++) value = { value };
      return value as Record<string, unknown>;
    };
    const returned = (make: (event: TransformEvent) => TransformEvent) =>
      transformed(make, { privacy: { drop: ["metadata.other"], hash: [] } });
    const { rows } = returned((event) => ({ ...event, metadata: nested(512) }));
    expect(rows).toMatchObject([{ metadata: JSON.stringify(nested(512)) }]);
    const tooDeep: readonly ((event: TransformEvent) => TransformEvent)[] = [
      (event) => ({ ...event, metadata: nested(513) }),
      (event) => ({ ...event, metadata: { list: [{ toJSON: () => nested(511) }] } }),
      (event) => Object.assign(event, { metadata: { event } }),
    ];
    for (const make of tooDeep) {
      expect(returned(make)).toMatchObject({
        rows: [{ outcome: "transform_failed" }],
        words: [
          "the transform returned metadata with more than 512 levels of objects and lists, or with itself inside",
        ],
      });
    }
  });

  it("runs before privacy, which covers its result", () => {
    const { rows } = transformed((event) => ({ ...event, metadata: { copy: "mina" } }), {
      privacy: { drop: ["metadata.copy", "stableID"], hash: [] },
    });
    expect(rows[0]).toMatchObject({ metadata: "{}", user: '{"userID":"mina","plan":"free"}' });
  });

  it("rejects a row as a whole when privacy leaves one of its events without an id", () => {
    const { rows } = transformed((event) => [event, { ...event, user: { stableID: "only" } }], {
      privacy: { drop: ["stableID"], hash: [] },
    });
    expect(rows).toEqual([{ outcome: "unit_id_missing" }]);
  });
});

describe("loadTransform", () => {
  const directory = scratchDirectory("transform");

  const load = async (name: string, source: string) => {
    const path = join(directory, name);
    await writeFile(path, source);
    return loadTransform(path);
  };

  it("accepts the default export or the one named transform", async () => {
    const unnamed = await load("a.mjs", "export default (event) => [event, 1]");
    expect(unnamed({} as TransformEvent)).toEqual([{}, 1]);
    const named = await load("b.mjs", "export const transform = () => null");
    expect(named({} as TransformEvent)).toBeNull();
  });

  it("refuses modules without a function and says what to export", async () => {
    const loading = load("c.mjs", "export default 5");
    await expect(loading).rejects.toThrow(UsageError);
    await expect(loading).rejects.toThrow(/c\.mjs does not export a transform\. Export a function/);
  });

  it("refuses modules that cannot be loaded and names them", async () => {
    await expect(load("d.mjs", "throw new Error('boom')")).rejects.toThrow(/d\.mjs.*boom/);
    await expect(loadTransform(join(directory, "none.mjs"))).rejects.toThrow(UsageError);
  });
});
