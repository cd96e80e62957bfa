import { expect, it } from "vitest";
import { MERGES_MAX } from "../../../src/base/limits.js";
import type { SplitRecord } from "../../../src/ledger/ledger-records.js";
import { digestOfSpilled } from "../../../src/ledger/merge-state.js";
import { planMerges, WaitingTotals } from "../../../src/run/merge/merge-plan.js";
import { SpillIndex, SpillIndexBuilder } from "../../../src/sinks/spill/spill-index.js";

function indexOf(packs: readonly (readonly [day: number, rows: number, bytes: number])[]) {
  const builder = new SpillIndexBuilder();
  for (const [day, rows, bytes] of packs) {
    builder.add({ day, rows, bytes, offset: 2 ** 40, checksum: 0xffff_ffff });
  }
  return new SpillIndex(builder.finish());
}

it("packs consecutive days into merges up to a size, and divides no day", () => {
  const totals = new WaitingTotals();
  totals.add(
    indexOf([
      [3, 10, 40],
      [-2, 1, 30],
      [3, 5, 20],
    ]),
  );
  totals.add(
    indexOf([
      [0, 2, 30],
      [9, 7, 500],
      [10, 1, 60],
    ]),
  );
  const facts = (days: readonly number[], rows: number, bytes: number) => ({
    firstDay: days[0],
    lastDay: days.at(-1),
    days: days.length,
    rows,
    bytes,
  });
  expect(planMerges(totals, 100)).toEqual([
    { id: "000000", ...facts([-2, 0], 3, 60) },
    { id: "000001", ...facts([3], 15, 60) },
    { id: "000002", ...facts([9], 7, 500) },
    { id: "000003", ...facts([10], 1, 60) },
  ]);
  expect(planMerges(new WaitingTotals(), 100)).toEqual([]);
});

it("makes merges larger if there would be too many", () => {
  const totals = new WaitingTotals();
  const days = 3 * MERGES_MAX;
  totals.add(indexOf(Array.from({ length: days }, (_, day) => [day, 1, 100] as const)));
  const merges = planMerges(totals, 100);
  expect(merges).toHaveLength(MERGES_MAX);
  expect(merges.reduce((sum, { rows }) => sum + rows, 0)).toBe(days);
});

it("sorts an index by day, and within a day like the rows", () => {
  const packs = Array.from({ length: 700 }, (_, place) => [place % 7, place, 1] as const);
  const index = indexOf(packs);
  const found = Array.from({ length: index.packs }, (_, place) => index.pack(place));
  const sorted = [...packs].sort(([one], [other]) => one - other);
  expect(found.map(({ day, rows }) => [day, rows])).toEqual(sorted.map((pack) => pack.slice(0, 2)));
  expect(found[0]).toMatchObject({ offset: 2 ** 40, checksum: 0xffff_ffff });
});

it("tells spill files with other content apart, in any order", () => {
  const record = (id: string, indexSha256: string): SplitRecord =>
    ({ id, spill: { rows: 1, bytes: 2, packs: 3, indexSha256 } }) as SplitRecord;
  const [a, b] = [record("000000", "a"), record("000001", "b")];
  const digest = digestOfSpilled([a, b]);
  expect(digestOfSpilled([b, a])).toBe(digest);
  expect(digestOfSpilled([a, record("000001", "c")])).not.toBe(digest);
  expect(digestOfSpilled([a])).not.toBe(digest);
});
