import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_COUNTS_PENDING_MAX } from "../../src/base/limits.js";
import { createZone } from "../../src/base/luxon-zone.js";
import type { Zone } from "../../src/base/zone.js";
import {
  EventCounts,
  type EventCountsLimits,
  type SplitEvents,
} from "../../src/profile/event-counts.js";
import { type EventRow, eventBatch, eventRow, utc } from "../sinks/event-rows.js";
import { propertyRuns } from "../support/property-runs.js";
import { usedKernel } from "../support/used-kernel.js";

const DAY_MS = 86_400_000;
const wide: EventCountsLimits = { namesMax: 1_000, nameBytesMax: 100_000, pairsMax: 10_000 };

function countInKernel(
  batches: readonly (readonly EventRow[])[],
  { zone = utc, limits = wide }: { zone?: Zone; limits?: EventCountsLimits } = {},
): SplitEvents {
  const kernel = usedKernel();
  const eventCounts = new EventCounts(kernel, zone, limits);
  for (const rows of batches) {
    const batch = eventBatch(kernel, rows);
    eventCounts.take(batch);
    // The counts must not point into a batch that is gone.
    kernel.bytes.fill(0xee, batch.event.starts, batch.event.starts + rows.length * 4);
    batch.free();
  }
  return eventCounts.events();
}

/** The same with Maps. */
function countPlainly(rows: readonly EventRow[], zone: Zone): SplitEvents {
  const names = new Map<string, number[]>();
  const days = new Map<number, Map<number, number>>();
  for (const { event, timestamp, outcome = 0 } of rows) {
    if (outcome !== 0) continue;
    names.set(event, [...(names.get(event) ?? []), timestamp]);
    const place = [...names.keys()].indexOf(event);
    const day = Math.floor((timestamp + zone.offsetMs(timestamp)) / DAY_MS);
    const counts = days.get(day) ?? new Map<number, number>();
    days.set(day, counts.set(place, (counts.get(place) ?? 0) + 1));
  }
  return {
    names: [...names].map(([event, times]) => ({
      event,
      rows: times.length,
      firstMs: Math.min(...times),
      lastMs: Math.max(...times),
    })),
    days: [...days]
      .sort(([one], [other]) => one - other)
      .map(([day, counts]) => [day, ...[...counts].flat()] as const),
  };
}

// Names that share beginnings, lengths and hashes' low bits more often than chance would have it.
const eventName = fc.oneof(
  fc.constantFrom("", "a", "b", "page_view", "page_viev", "page_view2", "é", "constructor"),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const row = fc
  .record({
    event: eventName,
    timestamp: fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS }),
    outcome: fc.constantFrom(0, 0, 0, 13, 254),
  })
  .map(eventRow);

describe("event counts", () => {
  it("continues to count pairs while it makes room for thousands of them", () => {
    const rows = Array.from({ length: 9_000 }, (_, index) =>
      eventRow({ event: `event ${index % 3}`, timestamp: ((index * 7) % 2_500) * DAY_MS }),
    );
    const counted = countInKernel([rows.slice(0, 4_000), rows.slice(4_000)]);
    expect(counted).toEqual(countPlainly(rows, utc));
    expect(counted.days.flatMap(([, ...counts]) => counts)).toHaveLength(2 * 7_500);
  });

  it("counts more rows than its pending rows can hold", () => {
    const rows = Array.from({ length: EVENT_COUNTS_PENDING_MAX + 5_000 }, (_, index) =>
      eventRow({ event: `event ${index % 7}`, timestamp: (index % 11) * DAY_MS }),
    );
    const middle = rows.length - 3_000;
    const { days } = countInKernel([rows.slice(0, middle), rows.slice(middle)]);
    const counted = days.flatMap(([, ...counts]) => counts.filter((_, place) => place % 2 === 1));
    expect(counted).toHaveLength(7 * 11);
    expect(counted.reduce((sum, count) => sum + count)).toBe(rows.length);
  });

  it.each(["UTC", "America/New_York", "+05:30"])("counts like a Map in %s", (name) => {
    const zone = createZone(name);
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 60 }), { maxLength: 4 }), (batches) => {
        expect(countInKernel(batches, { zone })).toEqual(countPlainly(batches.flat(), zone));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("counts names beyond the limit together, and on no day", () => {
    const rows = ["a", "b", "c", "a", "c"].map((event, index) =>
      eventRow({ event, timestamp: index }),
    );
    const { names, others, days } = countInKernel([rows], { limits: { ...wide, namesMax: 2 } });
    expect(names.map(({ event, rows }) => [event, rows])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    expect(others).toEqual({ rows: 2, firstMs: 2, lastMs: 4 });
    expect(days).toEqual([[0, 0, 2, 1, 1]]);
  });

  it("counts a name that is too long with the others, and a short one after it by name", () => {
    const rows = ["x".repeat(11), "abc"].map((event) => eventRow({ event }));
    const { names, others } = countInKernel([rows], { limits: { ...wide, nameBytesMax: 10 } });
    expect(names.map(({ event }) => event)).toEqual(["abc"]);
    expect(others?.rows).toBe(1);
  });

  it("leaves out days beyond the limit of pairs", () => {
    const rows = [0, 1, 2, 0].map((day) => eventRow({ event: "a", timestamp: day * DAY_MS }));
    const { names, days } = countInKernel([rows], { limits: { ...wide, pairsMax: 2 } });
    expect(names[0]?.rows).toBe(4);
    expect(days).toEqual([
      [0, 0, 2],
      [1, 0, 1],
    ]);
  });

  it("counts from zero after it is cleared", () => {
    const kernel = usedKernel();
    const eventCounts = new EventCounts(kernel, utc, wide);
    eventCounts.take(eventBatch(kernel, [eventRow({ event: "a" })]));
    eventCounts.clear();
    eventCounts.take(eventBatch(kernel, [eventRow({ event: "b" }), eventRow({ event: "b" })]));
    expect(eventCounts.events().names.map(({ event, rows }) => [event, rows])).toEqual([["b", 2]]);
  });

  it("counts names and pairs up to the limits", () => {
    const rows = Array.from({ length: 1_000 }, (_, index) =>
      eventRow({ event: `event ${index}`, timestamp: index * DAY_MS }),
    );
    const exact = { namesMax: 1_000, nameBytesMax: 20_000, pairsMax: 1_000 };
    const { names, others, days } = countInKernel([rows], { limits: exact });
    expect(names).toHaveLength(1_000);
    expect(days).toHaveLength(1_000);
    expect(others).toBeUndefined();
  });

  it("counts by name only the names that it is limited to", () => {
    const kernel = usedKernel();
    const eventCounts = new EventCounts(kernel, utc, wide);
    eventCounts.limitTo(["b", "c"]);
    eventCounts.take(
      eventBatch(
        kernel,
        ["a", "b"].map((event) => eventRow({ event })),
      ),
    );
    const { names, others } = eventCounts.events();
    expect(names.map(({ event, rows }) => [event, rows])).toEqual([
      ["b", 1],
      ["c", 0],
    ]);
    expect(others?.rows).toBe(1);
  });
});
