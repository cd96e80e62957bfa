import type { PresetSignature } from "../mapper/preset.js";
import { type PresetName, presetNames, presets } from "../mapper/presets.js";
import { type Fields, fieldAt } from "./field-summary.js";

/** Names of columns in the rows, by their names in the preset, if they differ only in case. */
export type Recased = Readonly<Record<string, string>>;

/** A preset that rows fit, with the evidence for it. */
export interface PresetMatch {
  readonly preset: PresetName;
  /** Number of columns at the root of the rows, and of those that the tool writes. */
  readonly columns: number;
  readonly known: number;
  /** Paths in the rows that only this tool writes. */
  readonly marks: readonly string[];
  /** Empty if the columns are named as in the preset. */
  readonly recased: Recased;
}

/** Share of the rows in which a required field must be filled. */
const MOST = 0.5;

/** Weight of a mark; the share of known columns adds at most 1. */
const MARK_WEIGHT = 0.25;

/** Returns the presets that the rows of a sample fit, best first. */
export function detectPresets(fields: Fields, rows: number): readonly PresetMatch[] {
  const names = [...fields.values()]
    .filter(({ path }) => path.length === 1)
    .map(({ path }) => path[0] as string);
  const matches = presetNames.flatMap((preset) => {
    const { required, columns, marks }: PresetSignature = presets[preset];
    const recased = recasedIn(names, columns);
    const paths = (path: string) => rowPath(path, recased);
    if (!required.every((choices) => isFilled(fields, choices.map(paths), rows))) return [];
    const own = columns.map((column) => recased[column] ?? column);
    const known = names.filter((name) => own.includes(name)).length;
    const found = marksIn(fields, marks, recased);
    return [{ preset, columns: names.length, known, marks: found, recased }];
  });
  return matches.sort((one, other) => weightOf(other) - weightOf(one));
}

/** Returns the weight of the evidence for a match. */
export function weightOf({ columns, known, marks }: PresetMatch): number {
  return (columns === 0 ? 0 : known / columns) + MARK_WEIGHT * marks.length;
}

/** Finds columns with names that differ from the preset only in case. */
function recasedIn(names: readonly string[], columns: PresetSignature["columns"]): Recased {
  const byCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(
    columns
      .filter((column) => !names.includes(column))
      .map((column) => [column, byCase.get(column.toLowerCase())] as const)
      .filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
  );
}

function rowPath(path: string, recased: Recased): readonly string[] {
  const [root = "", ...steps] = path.split(".");
  return [recased[root] ?? root, ...steps];
}

function isFilled(fields: Fields, choices: readonly (readonly string[])[], rows: number): boolean {
  const filled = choices.map((path) => fieldAt(fields, path)?.filled ?? 0);
  return filled.reduce((sum, count) => sum + count, 0) >= Math.max(1, rows * MOST);
}

function marksIn(
  fields: Fields,
  marks: PresetSignature["marks"],
  recased: Recased,
): readonly string[] {
  return marks
    .filter(({ path, contains }) => {
      const field = fieldAt(fields, rowPath(path, recased));
      if (field === undefined || contains === undefined) return field !== undefined;
      return field.scalars.some((value) => String(value).toLowerCase().includes(contains));
    })
    .map(({ path }) => rowPath(path, recased).join("."));
}
