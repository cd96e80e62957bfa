import path from "node:path";
import type { z } from "zod";
import { flagText } from "../base/option-text.js";
import { isObjectUrl } from "../store/object-url.js";
import type { JsonValue } from "./json-value.js";
import { optionTable } from "./option-table.js";
import type { OptionRow, OptionType } from "./option-types.js";

type NamedOptions = typeof optionTable;

export type OptionName = keyof NamedOptions;
export const optionNames = Object.keys(optionTable) as OptionName[];

type ValueOf<Name extends OptionName> = z.output<ReturnType<NamedOptions[Name]["type"]["schema"]>>;

type WithDefault = {
  [Name in OptionName]: NamedOptions[Name] extends { readonly default: JsonValue } ? Name : never;
}[OptionName];

/** The given values; other options are absent. */
export type OptionValues = { readonly [Name in OptionName]?: ValueOf<Name> };

/** The given values and the defaults of the table. */
export type CompleteValues = OptionValues & {
  readonly [Name in WithDefault]: ValueOf<Name>;
};

export function describeOption(name: OptionName): OptionRow {
  return optionTable[name];
}

/** Returns the name of an option within its section. */
export function localNameOf(name: OptionName): string {
  return describeOption(name).key ?? name;
}

/** Returns `--part-size` for `partSize`. */
export function flagOf(name: OptionName): string {
  return flagText(localNameOf(name));
}

/** Returns `SWITCHYARD_PART_SIZE` for `partSize`. */
export function environmentNameOf(name: OptionName): string {
  return `SWITCHYARD_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Returns `export.partSize` for `partSize`: the path in the file. */
export function keyOf(name: OptionName): string {
  const { section } = describeOption(name);
  return section === undefined ? name : `${section}.${localNameOf(name)}`;
}

const replacements: ReadonlyMap<string, OptionName> = new Map(
  optionNames.flatMap((name) =>
    (describeOption(name).replaces?.split(" ") ?? []).map((former) => [former, name] as const),
  ),
);

/** Returns the option that has replaced one of this name; undefined if none has. */
export function replacementOf(former: string): OptionName | undefined {
  return replacements.get(former);
}

/** Returns the name of the option's value in help; empty for a switch. */
export function placeholderOf(name: OptionName): string {
  const { type, placeholder } = describeOption(name);
  return type.placeholder === "" ? "" : (placeholder ?? type.placeholder);
}

/** Returns what an option does, with its values if there are few. */
export function descriptionOf(name: OptionName): string {
  const { description, type } = describeOption(name);
  if (type.choices === undefined) return description;
  return `${description}: ${type.choices.join(", ")}`;
}

/** Returns the option's default as text for help and docs; undefined if it has none. */
export function defaultText(name: OptionName): string | undefined {
  const { default: value, otherwise } = describeOption(name);
  if (typeof value === "boolean") return value ? "on" : "off";
  return value === undefined ? otherwise : String(value);
}

/** Adds the table's defaults to the given values. Default paths are in `directory`. */
export function withDefaults(given: OptionValues, directory: string): CompleteValues {
  const defaults = optionNames.flatMap((name) => {
    const { default: value, type } = describeOption(name);
    if (value === undefined || given[name] !== undefined) return [];
    return [[name, locate(type, type.schema().parse(value), directory)]];
  });
  return { ...Object.fromEntries(defaults), ...given } as CompleteValues;
}

/** Makes paths absolute, as the engine needs them; returns other values as they are. */
export function locate({ isPath, words }: OptionType, value: unknown, directory: string): unknown {
  if (words?.includes(String(value)) === true) return value;
  if (isPath !== true || value === ":memory:" || isObjectUrl(String(value))) return value;
  return path.resolve(directory, String(value));
}
