import { describe, expect, it } from "vitest";
import { MIB } from "../../src/base/limits.js";
import {
  growSplitBytes,
  makePlan,
  type Plan,
  type RangedSource,
  replaceSources,
} from "../../src/plan/plan.js";
import type { Source } from "../../src/sources/source.js";

function sourceOf(name: string, sizeMib: number, changes: Partial<Source> = {}): Source {
  return {
    name,
    path: `/in/${name}`,
    codecs: [],
    size: sizeMib * MIB,
    fingerprint: name,
    format: { kind: "ndjson" },
    ...changes,
  };
}

/** A source whose ranges end at these MiB (or row groups); the last one ends with the source. */
function ranged(source: Source, unit: number, ...ends: readonly number[]): RangedSource {
  const starts = [0, ...ends.map((end) => end * unit)];
  const ranges = starts.map((start, index) => ({ source, start, end: starts[index + 1] ?? null }));
  return { source, ranges };
}

const whole = (source: Source) => ranged(source, MIB);

/** `id: name[start-end) …  bytes`, sizes in MiB. */
function describePlan(plan: Plan): readonly string[] {
  return plan.splits.map(({ id, ranges, bytes }) => {
    const places = ranges.map(({ source, start, end }) => {
      const unit = source.format.kind === "parquet" ? 1 : MIB;
      return `${source.name}[${start / unit}-${end === null ? "" : end / unit})`;
    });
    return `${id}: ${places.join(" ")} ${bytes / MIB}`;
  });
}

const limits = { splitBytes: 64 * MIB };

describe("a plan", () => {
  it("makes splits of their own of ranges that stand alone", () => {
    const one = ranged(sourceOf("a", 6), MIB, 1, 2, 3);
    const plan = makePlan([one, whole(sourceOf("b", 1))], {
      splitBytes: 64 * MIB,
      isAlone: ({ start }) => start === MIB,
    });
    expect(describePlan(plan)).toEqual([
      "000000: a[0-1) 1",
      "000001: a[1-2) 1",
      "000002: a[2-) b[0-) 5",
    ]);
  });

  it("packs small sources in order and gives large ones several splits", () => {
    const plan = makePlan(
      [
        whole(sourceOf("a", 10)),
        whole(sourceOf("b", 50)),
        whole(sourceOf("c", 5)),
        ranged(sourceOf("d", 150), MIB, 64, 128),
        whole(sourceOf("e", 30)),
      ],
      limits,
    );
    expect(describePlan(plan)).toEqual([
      "000000: a[0-) b[0-) 60",
      "000001: c[0-) 5",
      "000002: d[0-64) 64",
      "000003: d[64-128) 64",
      "000004: d[128-) e[0-) 52",
    ]);
  });

  it("gives no split more than a thousand sources, even if they are tiny", () => {
    const many = Array.from({ length: 3_000 }, (_, index) => whole(sourceOf(`tiny ${index}`, 0)));
    const { splits } = makePlan(many, limits);
    expect(splits.map(({ ranges }) => ranges.length)).toEqual([1_024, 1_024, 952]);
    const [only] = makePlan(many, { ...limits, splitsMax: 1 }).splits;
    expect(only?.ranges).toHaveLength(3_000);
  });

  it("weighs compressed bytes more than their size on disk", () => {
    const gzip = { codecs: ["gzip"] } as const;
    const plan = makePlan(
      [
        whole(sourceOf("a.gz", 4, gzip)),
        whole(sourceOf("b.gz", 4, gzip)),
        whole(sourceOf("c.gz", 4, gzip)),
        ranged(sourceOf("d.parquet", 30, { format: { kind: "parquet" } }), 1, 1, 2),
      ],
      limits,
    );
    expect(describePlan(plan).slice(0, 2)).toEqual([
      "000000: a.gz[0-) b.gz[0-) 8",
      "000001: c.gz[0-) 4",
    ]);
  });

  it("shares the bytes of a Parquet file among its row groups", () => {
    const parquet = sourceOf("d.parquet", 30, { format: { kind: "parquet" } });
    const ranges = [
      { source: parquet, start: 0, end: 2 },
      { source: parquet, start: 2, end: 6 },
    ];
    const plan = makePlan([{ source: parquet, ranges }], limits);
    expect(describePlan(plan)).toEqual(["000000: d.parquet[0-2) 10", "000001: d.parquet[2-6) 20"]);
  });

  it("makes splits larger instead of exceeding their limit, and joins adjacent ranges", () => {
    const source = sourceOf("a", 80);
    const ends = [10, 20, 30, 40, 50, 60, 70];
    const plan = makePlan([ranged(source, MIB, ...ends)], { splitBytes: 10 * MIB, splitsMax: 3 });
    expect(describePlan(plan)).toEqual(["000000: a[0-40) 40", "000001: a[40-) 40"]);
  });

  it("cuts many or large sources into larger pieces from the start", () => {
    const sources = [sourceOf("a", 100), sourceOf("b.gz", 100, { codecs: ["gzip"] })];
    expect(growSplitBytes(sources, limits)).toBe(64 * MIB);
    expect(growSplitBytes(sources, { ...limits, splitsMax: 4 })).toBe(256 * MIB);
  });

  it("is the same for the same sources, and frozen", () => {
    const make = () => makePlan([whole(sourceOf("a", 1)), whole(sourceOf("b", 1))], limits);
    expect(make()).toEqual(make());
    const [split] = make().splits;
    for (const part of [make(), make().splits, make().sources, split, split?.ranges]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen(split?.ranges[0])).toBe(true);
  });

  it("keeps an empty source, so that it is inspected", () => {
    expect(describePlan(makePlan([whole(sourceOf("empty", 0))], limits))).toEqual([
      "000000: empty[0-) 0",
    ]);
  });
});

describe("a plan with a repaired source", () => {
  const before = makePlan(
    [whole(sourceOf("a", 10)), ranged(sourceOf("b", 150), MIB, 64, 128), whole(sourceOf("c", 10))],
    limits,
  );

  it.each([
    [[], ["000000: a[0-) 10", "000001: 0", "000002: 0", "000003: b[0-) c[0-) 30"]],
    [[10], ["000000: a[0-) 10", "000001: 0", "000002: b[0-10) 10", "000003: b[10-) c[0-) 20"]],
    [
      [4, 8, 12, 16],
      ["000000: a[0-) 10", "000001: b[0-4) 4", "000002: b[4-12) 8", "000003: b[12-) c[0-) 18"],
    ],
  ])("deals its new ranges, cut at %j, out over its old places", (ends, expected) => {
    const repaired = ranged(sourceOf("b", 20), MIB, ...ends);
    const after = replaceSources(before, [repaired]);
    expect(describePlan(after).map((line) => line.replace(":  ", ": "))).toEqual(expected);
    expect(after.sources.map(({ name, size }) => `${name} ${size / MIB}`)).toEqual([
      "a 10",
      "b 20",
      "c 10",
    ]);
  });
});
