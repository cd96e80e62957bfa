import { UsageError } from "../base/errors.js";
import { sum } from "../base/sum.js";
import type { WrittenChanges, WrittenMapping } from "../mapper/mapping.js";
import type { PresetSignature } from "../mapper/preset.js";
import { type PresetName, presetNames, presets } from "../mapper/presets.js";
import { type Fields, fieldAt, summarizeFields } from "./field-summary.js";
import type { SampledSource } from "./sample-rows.js";

/** The preset of a sample, with the reasons for it. */
interface PresetChoice {
  readonly preset: PresetName;
  /** Changes that the preset's mapping needs for these rows. */
  readonly changes?: WrittenChanges;
  readonly reasons: readonly string[];
  readonly doubts: readonly string[];
}

/** A second preset is named if its weight is at least this share of the weight of the first. */
const NEAR = 0.8;

/** Most sources that a message names. */
const NAMES_SHOWN = 3;

/**
 * Returns the preset that fits the sources; undefined if none does. Throws `UsageError` if they fit
 * different presets, because a configuration has one mapping.
 */
export function choosePreset(samples: readonly SampledSource[]): PresetChoice | undefined {
  const fitting = new Map<PresetName, SampledSource[]>();
  const strangers: SampledSource[] = [];
  for (const sample of samples) {
    const matches = detectPresets(summarizeFields(sample.rows), sample.rows.length);
    for (const { preset } of matches) {
      fitting.set(preset, [...(fitting.get(preset) ?? []), sample]);
    }
    if (matches.length === 0) strangers.push(sample);
  }
  if (fitting.size === 0) return undefined;
  const known = samples.length - strangers.length;
  const common = [...fitting].filter(([, sources]) => sources.length === known);
  if (common.length === 0) throw mixed(fitting);
  const rows = samples.filter((one) => !strangers.includes(one)).flatMap((one) => one.rows);
  const [best, ...others] = detectPresets(summarizeFields(rows), rows.length).filter(({ preset }) =>
    common.some(([name]) => name === preset),
  );
  return best === undefined ? undefined : describeChoice(best, others, strangers);
}

function describeChoice(
  best: PresetMatch,
  others: readonly PresetMatch[],
  strangers: readonly SampledSource[],
): PresetChoice {
  const { preset, marks, recased } = best;
  const { vendor, mapping, doubts } = presets[preset];
  const changes = recaseMapping(mapping, recased);
  const isRecased = Object.keys(changes).length > 0;
  const near = others.filter((other) => weightOf(other) >= weightOf(best) * NEAR);
  return {
    preset,
    ...(isRecased ? { changes } : {}),
    reasons: [
      describeColumns(best) + (isRecased ? " but for the case of their names" : ""),
      ...(marks.length === 0 ? [] : [`typical of ${vendor}: ${marks.join(", ")}`]),
    ],
    doubts: [
      ...near.map(
        (other) =>
          `The rows are like ${presets[other.preset].vendor}'s as well: ${describeColumns(other)}. ` +
          `If they are: "preset": ${JSON.stringify(other.preset)}.`,
      ),
      ...(strangers.length === 0
        ? []
        : [
            `No preset fits the rows of ${namesOf(strangers)}; leave out inputs that are not exports.`,
          ]),
      ...doubts,
    ],
  };
}

function describeColumns({ preset, columns, known }: PresetMatch): string {
  return `${known} of ${columns} columns are ${presets[preset].vendor}'s`;
}

function mixed(fitting: ReadonlyMap<PresetName, readonly SampledSource[]>): UsageError {
  const groups = [...fitting].map(
    ([preset, samples]) => `  ${presets[preset].vendor}: ${namesOf(samples)}`,
  );
  return new UsageError(
    "presets_mixed",
    `The inputs are exports of several tools, and one configuration has one mapping:\n${groups.join("\n")}\n` +
      "Name the inputs of one tool at a time, each with a file of its own: --config <file>.",
  );
}

function namesOf(samples: readonly SampledSource[]): string {
  const names = samples.slice(0, NAMES_SHOWN).map(({ source }) => source.name);
  const more = samples.length - names.length;
  return more === 0 ? names.join(", ") : `${names.join(", ")} and ${more} more`;
}

/** Members of a mapping that contain one path, as text or as a list of steps. */
const pathMembers: ReadonlySet<string> = new Set(["field", "rest", "unlessSameAs", "joinedWith"]);

/** Members that contain a list of choices, with paths from the row. */
const choiceMembers: ReadonlySet<string> = new Set(["fields", "pairs"]);

/**
 * Returns the targets of a preset's mapping with columns that differ only in case, with their names
 * in the rows; warehouses write capitals.
 */
export function recaseMapping(preset: WrittenMapping, recased: Recased): WrittenChanges {
  const changes = Object.entries(preset)
    .map(([target, value]) => [target, value, recaseChoice(value, recased)] as const)
    .filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after))
    .map(([target, , after]) => [target, after] as const);
  return Object.fromEntries(changes) as WrittenChanges;
}

function recaseChoice(value: unknown, recased: Recased): unknown {
  if (typeof value === "string") return recasePath(value, recased);
  if (Array.isArray(value)) return value.map((choice) => recaseChoice(choice, recased));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (pathMembers.has(name)) return [name, recasePath(inner, recased)];
      return [name, choiceMembers.has(name) ? recaseChoice(inner, recased) : inner];
    }),
  );
}

function recasePath(path: unknown, recased: Recased): unknown {
  if (Array.isArray(path)) {
    const [root, ...steps] = path as readonly string[];
    return root === undefined ? path : [recased[root] ?? root, ...steps];
  }
  if (typeof path !== "string") return path;
  const [root = "", ...steps] = path.split(".");
  return [recased[root] ?? root, ...steps].join(".");
}

/** Names of columns in the rows, by their names in the preset, if they differ only in case. */
type Recased = Readonly<Record<string, string>>;

/** A preset that rows fit, with the evidence for it. */
interface PresetMatch {
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
function weightOf({ columns, known, marks }: PresetMatch): number {
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
  return sum(filled, (count) => count) >= Math.max(1, rows * MOST);
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
