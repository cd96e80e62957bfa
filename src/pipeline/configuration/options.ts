import path from "node:path";
import type { z } from "zod";
import type { JsonValue } from "./configuration-file.js";
import { optionTable } from "./option-table.js";
import type { OptionRow, OptionType } from "./option-types.js";

type Table = typeof optionTable;

export type OptionName = keyof Table;
export const optionNames = Object.keys(optionTable) as OptionName[];

type ValueOf<Name extends OptionName> = z.output<Table[Name]["type"]["schema"]>;

type WithDefault = {
  [Name in OptionName]: Table[Name] extends { readonly default: JsonValue } ? Name : never;
}[OptionName];

/** The values that were given; options that nobody gave are absent. */
export type OptionValues = { readonly [Name in OptionName]?: ValueOf<Name> };

/** The same with the defaults of the table. */
export type CompleteValues = OptionValues & {
  readonly [Name in WithDefault]: ValueOf<Name>;
};

export function describeOption(name: OptionName): OptionRow {
  return optionTable[name];
}

/** The name of an option within its section. */
export function localNameOf(name: OptionName): string {
  return describeOption(name).key ?? name;
}

/** `--part-size` for `partSize`. */
export function flagOf(name: OptionName): string {
  return `--${localNameOf(name).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `SWITCHYARD_PART_SIZE` for `partSize`. */
export function environmentNameOf(name: OptionName): string {
  return `SWITCHYARD_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** `export.partSize` for `partSize`: the path in the file. */
export function keyOf(name: OptionName): string {
  const { section } = describeOption(name);
  return section === undefined ? name : `${section}.${localNameOf(name)}`;
}

/** The option's default in words for help and documentation; undefined where it has none. */
export function defaultText(name: OptionName): string | undefined {
  const { default: value, otherwise } = describeOption(name);
  if (typeof value === "boolean") return value ? "on" : "off";
  return value === undefined ? otherwise : String(value);
}

/** The given values, and the table's defaults for the others. Default paths are in `directory`. */
export function withDefaults(given: OptionValues, directory: string): CompleteValues {
  const defaults = optionNames.flatMap((name) => {
    const { default: value, type } = describeOption(name);
    if (value === undefined || given[name] !== undefined) return [];
    return [[name, locate(type, type.schema.parse(value), directory)]];
  });
  return { ...Object.fromEntries(defaults), ...given } as CompleteValues;
}

/** A value as the engine takes it: paths are absolute. */
export function locate({ isPath }: OptionType, value: unknown, directory: string): unknown {
  if (isPath !== true || value === ":memory:") return value;
  return path.resolve(directory, String(value));
}
