import { valueAtStep } from "../base/list-step.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { parseJson } from "../base/parse-json.js";
import { createFieldUse, pathsOf } from "../mapper/field-plan.js";
import type { Mapping } from "../mapper/mapping.js";
import {
  FieldTally,
  type LackedTarget,
  lackedTargets,
  type TallyMapping,
} from "../profile/field-tally.js";
import { findRenamedFields, type RenamedField } from "../profile/renamed-fields.js";
import { isPathField, pathValuesOf } from "../sources/path-columns.js";
import type { Row, RowValue, SampledSource } from "./sample-rows.js";

/** Returns what a tally of fields needs of a mapping. */
export function tallyMappingOf(mapping: Mapping): TallyMapping {
  const cells = lackedTargets.flatMap((target) =>
    isObjectTarget(target) ? [] : mapping[target].map(({ path }) => path.join("\0")),
  );
  const known = new Set(cells);
  return {
    useOf: createFieldUse(mapping),
    isCell: (path) => known.has(path.join("\0")) || known.has(path.join(".").replaceAll(".", "\0")),
    mapped: lackedTargets.reduce(
      (bits, target, index) =>
        pathsOfTarget(mapping, target).length > 0 ? bits | (1 << index) : bits,
      0,
    ),
  };
}

/**
 * Finds fields that were renamed, which rows have instead of those that the mapping names. `lacking`: all
 * rows without a value for a target, if only some of them are in the tally.
 */
export function renamedFieldsOf(
  tally: FieldTally,
  mapping: Mapping,
  lacking: ReadonlyMap<LackedTarget, number> = new Map(),
): readonly RenamedField[] {
  const counts = tally.counts();
  if (counts === undefined) return [];
  const namesOf = (target: LackedTarget) =>
    pathsOfTarget(mapping, target).map((path) => path.at(-1) ?? "");
  return findRenamedFields(counts, namesOf).map((one) => {
    const all = lacking.get(one.target) ?? 0;
    if (all === 0 || all === one.lacking) return one;
    return {
      ...one,
      rows: Math.max(1, Math.round((one.rows / one.lacking) * all)),
      lacking: all,
      isExact: false,
    };
  });
}

/** Says in a sentence what is uncertain about a renamed field. */
export function doubtOfRename({
  target,
  path,
  rows,
  lacking,
  isSure,
  first,
}: RenamedField): string {
  const where = first.row === undefined ? first.source : `row ${first.row} of ${first.source}`;
  const field = path.join(".");
  return (
    `${rows} of ${lacking} sampled rows without a value for ${target} have the field ${field}, from ${where} on. ` +
    (isSure
      ? "The mapping reads it there: check that it is the same."
      : "If it is the same, add it to the mapping.")
  );
}

function isObjectTarget(target: LackedTarget): target is "user" | "metadata" {
  return target === "user" || target === "metadata";
}

function pathsOfTarget(mapping: Mapping, target: LackedTarget): readonly (readonly string[])[] {
  if (isObjectTarget(target)) return pathsOf(mapping[target]);
  return mapping[target].map(({ path }) => path);
}

/** Counts the fields of whole rows, as far as paths say which targets a row lacks. */
export function tallyRows(samples: readonly SampledSource[], mapping: Mapping): FieldTally {
  const tally = new FieldTally(tallyMappingOf(mapping));
  const known = 2 ** lackedTargets.length - 1;
  for (const { source, rows, numbers } of samples) {
    const fromPath = pathValuesOf(source);
    const findValue = (row: Row, path: readonly string[]) =>
      (isPathField({ path }) ? fromPath.get(path[1] ?? "") : undefined) ?? valueAt(row, path);
    for (const [index, row] of rows.entries()) {
      const filledAt = (target: LackedTarget) =>
        pathsOfTarget(mapping, target)
          .map((path) => findValue(row, path))
          .find(isFilled);
      const values = new Map(lackedTargets.map((target) => [target, filledAt(target)]));
      const textOf = (target: LackedTarget) => {
        const value = values.get(target);
        return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
      };
      const number = numbers[index];
      tally.add({
        members: row,
        lacks: lackedTargets.reduce(
          (bits, target, bit) => (values.get(target) === undefined ? bits | (1 << bit) : bits),
          0,
        ),
        known,
        event: textOf("event"),
        texts: Object.fromEntries(
          (["userID", "stableID", "value", "insertID"] as const).map((target) => [
            target,
            textOf(target),
          ]),
        ),
        weight: 1,
        place: () => omitUndefined({ source: source.name, row: number }),
      });
    }
  }
  return tally;
}

function valueAt(row: Row, path: readonly string[]): RowValue | undefined {
  const dotted = row[path.join(".")];
  if (dotted !== undefined && path.length > 0) return dotted;
  let value: RowValue | undefined = row;
  for (const step of path) {
    if (typeof value === "string") value = parseJson(value) as RowValue | undefined;
    value = valueAtStep(value, step) as RowValue | undefined;
  }
  return value;
}

function isFilled(value: RowValue | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === "{}") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
