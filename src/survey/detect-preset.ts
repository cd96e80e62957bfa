import type { Preset } from "../mapper/preset.js";
import { type PresetName, presetNames, presets } from "../mapper/presets.js";
import { type Fields, fieldAt } from "./field-summary.js";

/** Columns as rows have them, by their names in the preset, where only the case is another. */
export type Recased = Readonly<Record<string, string>>;

/** A preset that rows fit, with what speaks for it. */
export interface PresetMatch {
  readonly preset: PresetName;
  /** Columns at the root of the rows, and how many of them are the tool's. */
  readonly columns: number;
  readonly known: number;
  /** Paths that are there and that only this tool's rows have. */
  readonly marks: readonly string[];
  /** Empty where the columns are called exactly as in the preset. */
  readonly recased: Recased;
}

/** Share of the rows in which a field has to be filled to be called one that rows have. */
const MOST = 0.5;

/** What a mark weighs beside the share of known columns, which is 1 at most. */
const MARK_WEIGHT = 0.25;

/** The presets that the rows of a sample fit, the best one first. */
export function detectPresets(fields: Fields, rows: number): readonly PresetMatch[] {
  const names = [...fields.values()]
    .filter(({ path }) => path.length === 1)
    .map(({ path }) => path[0] as string);
  const matches = presetNames.flatMap((preset) => {
    const { required, columns, marks }: Preset = presets[preset];
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

/** How much speaks for a match. */
export function weightOf({ columns, known, marks }: PresetMatch): number {
  return (columns === 0 ? 0 : known / columns) + MARK_WEIGHT * marks.length;
}

/** Columns that the rows have in another case alone. */
function recasedIn(names: readonly string[], columns: Preset["columns"]): Recased {
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

function marksIn(fields: Fields, marks: Preset["marks"], recased: Recased): readonly string[] {
  return marks
    .filter(({ path, contains }) => {
      const field = fieldAt(fields, rowPath(path, recased));
      if (field === undefined || contains === undefined) return field !== undefined;
      return field.scalars.some((value) => String(value).toLowerCase().includes(contains));
    })
    .map(({ path }) => rowPath(path, recased).join("."));
}
