import { isDeepStrictEqual } from "node:util";
import { type FieldGroup, planFields } from "../mapper/field-plan.js";
import type { Mapping } from "../mapper/mapping.js";
import { presetNames } from "../mapper/presets.js";
import { resolveMapping } from "../mapper/resolve-mapping.js";
import type { FieldValues, SplitRecord } from "./ledger/ledger-records.js";
import type { MissingFields } from "./manifest.js";
import type { Plan } from "./plan.js";

/**
 * Fewest expected rows with a value for a source to be reported; with fewer, a lack of values may
 * be chance.
 */
const EXPECTED_ROWS_MIN = 20;

const NAMES_SHOWN = 5;

/**
 * Lists the mapped fields that have no value in any row, and those that have values but in no row
 * of some sources. Optional fields of a preset are listed only in the second case. Pure.
 */
export function foldMissingFields(
  mapping: Mapping,
  plan: Plan,
  records: readonly SplitRecord[],
): readonly MissingFields[] {
  const values = records.flatMap(({ fieldValues }) => fieldValues ?? []);
  const named = new Set(values.flatMap(({ missing }) => missing.map(({ source }) => source)));
  const rangesBySource = countRanges(plan, named);
  const rows = sum(values.map((one) => one.rows));
  return planFields(mapping).groups.flatMap((group, index) => {
    const filled = sum(values.map((one) => one.filled[index] ?? 0));
    // Few rows without properties are likely; other optional fields of presets are often missing.
    const mayBeEmpty = group.target !== "metadata" || rows < EXPECTED_ROWS_MIN;
    if (filled === 0 && mayBeEmpty && isOfPreset(group, mapping)) return [];
    const rowsMin = filled === 0 ? 1 : (EXPECTED_ROWS_MIN * rows) / filled;
    const missing = [...countMissing(values, index)].filter(
      ([name, source]) => source.ranges === rangesBySource.get(name) && source.rows >= rowsMin,
    );
    if (missing.length === 0) return [];
    return {
      target: group.target,
      fields: group.fields,
      rows: sum(missing.map(([, source]) => source.rows)),
      sources: missing.length,
      sourcesTotal: plan.sources.length,
      names: missing.slice(0, NAMES_SHOWN).map(([name]) => name),
    };
  });
}

interface RangeCount {
  ranges: number;
  rows: number;
}

/** Counts the ranges of each source in which a group has no value. */
function countMissing(values: readonly FieldValues[], group: number): Map<string, RangeCount> {
  const sources = new Map<string, RangeCount>();
  for (const { source, rows, groups } of values.flatMap(({ missing }) => missing)) {
    if (!groups.includes(group)) continue;
    const known = sources.get(source) ?? { ranges: 0, rows: 0 };
    sources.set(source, { ranges: known.ranges + 1, rows: known.rows + rows });
  }
  return sources;
}

/** Counts the ranges of some sources only, because there can be millions. */
function countRanges({ splits }: Plan, named: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map([...named].map((name) => [name, 0]));
  if (counts.size === 0) return counts;
  for (const { ranges } of splits) {
    for (const { source } of ranges) {
      const known = counts.get(source.name);
      if (known !== undefined) counts.set(source.name, known + 1);
    }
  }
  return counts;
}

/** Returns true for a target that is unchanged from the preset. */
function isOfPreset({ target }: FieldGroup, mapping: Mapping): boolean {
  return presetNames.some((name) =>
    isDeepStrictEqual(resolveMapping(name)[target], mapping[target]),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
