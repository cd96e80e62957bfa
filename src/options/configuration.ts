import path from "node:path";
import type { z } from "zod";
import { UsageError } from "../base/errors.js";
import type { Naming } from "../base/option-text.js";
import { checkValue, pathText, type SchemaFault, suggestion } from "../base/schema.js";
import type { MappingChanges } from "../mapper/mapping.js";
import { type ConfigurationFile, readConfigurationFile } from "./configuration-file.js";
import {
  configurationSchema,
  defaultSteps,
  pathsOfKey,
  type StepName,
  schemaOfOptions,
} from "./configuration-schema.js";
import type { JsonText } from "./configuration-text.js";
import type { Expectation } from "./expectations.js";
import { isObject, type JsonObject, type JsonValue } from "./json-value.js";
import {
  describeOption,
  environmentNameOf,
  flagOf,
  keyOf,
  localNameOf,
  locate,
  type OptionName,
  type OptionValues,
  optionNames,
  replacementOf,
} from "./option-names.js";
import { type StepSection, sections } from "./option-types.js";
import type { MaxRejects } from "./options.js";
import { type Environment, readConsoleKey, readHashSalt, readServerSecret } from "./secrets.js";

/** Options from the command line, as the values that would be in the file. */
export type GivenFlags = Readonly<Partial<Record<OptionName, JsonValue>>>;

interface ConfigurationSources {
  readonly flags: GivenFlags;
  readonly environment: Environment;
  readonly currentDirectory: string;
  /** `--config`; null for commands that read no file. */
  readonly configPath: string | undefined | null;
  /** The options of a program, in the form of the file, and the names that it can use. */
  readonly content?: { readonly tree: JsonObject; readonly keys: readonly string[] };
}

/** The checked options, before defaults. */
export interface Configuration {
  readonly values: OptionValues;
  /** The limit of rejects of each step: its own one, or `maxRejects`; absent: the default. */
  readonly rejectLimits: Readonly<Record<StepSection, MaxRejects | undefined>>;
  /** Options that the command line itself gave. */
  readonly given: ReadonlySet<OptionName>;
  /** The part of the file that changes the preset's mapping. */
  readonly mapping: MappingChanges | undefined;
  /** Rows with what they must become, or the path of a file with them. */
  readonly expect: string | readonly Expectation[] | undefined;
  readonly steps: readonly StepName[];
  /** Directory that relative inputs are relative to. */
  readonly inputsDirectory: string;
  /** A secret: never printed, never written. */
  readonly hashSalt: string | undefined;
  /** A secret: never printed, never written. */
  readonly consoleKey: string | undefined;
  /** A secret: never printed, never written. */
  readonly serverSecret: string | undefined;
  /** Directory of the configuration file, else the current one: default paths are relative to it. */
  readonly directory: string;
  /** Name of the service of `sendTo`, if its address changes between runs. */
  readonly destination?: string;
  /** As given; undefined if there is no file. */
  readonly fileName: string | undefined;
  /** How messages name options; absent: as flags. */
  readonly naming?: Naming;
  /** Returns where an option was given; undefined if it was not. */
  originOf(name: OptionName): OptionOrigin | undefined;
}

/** The place in which an option was given. */
interface OptionOrigin {
  /** The flag, the variable, or the key in the file. */
  readonly name: string;
  /** `<file>:<line>:<column>`; absent outside of files. */
  readonly position?: string;
  /** As it was written. */
  readonly value: JsonValue;
}

/** Options from one place. */
interface Layer {
  readonly tree: JsonValue;
  readonly schema: z.ZodType<Given["value"]>;
  /** Directory that relative paths are relative to. */
  readonly directory: string;
  /** Converts the faults of the tree to lines of a message. */
  describe(faults: readonly SchemaFault[]): readonly string[];
  /** Returns the name of an option here and, in a file, its position. */
  find(name: OptionName): Omit<OptionOrigin, "value">;
}

/** A layer that was checked. */
interface Given {
  readonly directory: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * Loads and checks options. Flags override the environment, which overrides the file. Throws one
 * `UsageError` that lists all faults.
 */
export async function loadConfiguration(sources: ConfigurationSources): Promise<Configuration> {
  const { configPath, currentDirectory, environment, flags } = sources;
  const file =
    configPath === null ? undefined : await readConfigurationFile(configPath, currentDirectory);
  const layers = [
    flagLayer(sources),
    environmentLayer(sources),
    ...(file === undefined ? [] : [fileLayer(file)]),
    ...(sources.content === undefined ? [] : [contentLayer(sources.content, currentDirectory)]),
  ];
  const given = checkLayers(
    layers,
    sources.content === undefined ? "configuration is" : "options are",
  );
  const { values, inputsDirectory } = merge(given, currentDirectory);
  // Only the last layer, which is a file or content, can have these.
  const { steps = defaultSteps, mapping, expect } = given.at(-1)?.value ?? {};
  return {
    values,
    rejectLimits: {
      export: maxRejectsOf(given, "export"),
      send: maxRejectsOf(given, "send"),
    },
    given: new Set(optionNames.filter((name) => flags[name] !== undefined)),
    inputsDirectory,
    mapping: mapping as MappingChanges | undefined,
    expect: expect as Configuration["expect"],
    steps: steps as readonly StepName[],
    hashSalt: await readHashSalt(environment, values.hashSaltFile),
    consoleKey: await readConsoleKey(environment, values.consoleKeyFile),
    serverSecret: await readServerSecret(environment, values.serverSecretFile),
    directory: file === undefined ? currentDirectory : path.dirname(file.path),
    fileName: file?.name,
    ...(sources.content === undefined ? {} : { naming: "names" }),
    originOf: (name) => originIn(layers, name),
  };
}

function originIn(layers: readonly Layer[], name: OptionName): OptionOrigin | undefined {
  for (const { tree, find } of layers) {
    const value = isObject(tree) ? valueIn(tree, name) : undefined;
    if (value !== undefined) return { ...find(name), value: value as JsonValue };
  }
  return undefined;
}

function checkLayers(layers: readonly Layer[], subject: string): readonly Given[] {
  const faulty: string[] = [];
  const given = layers.map(({ tree, schema, directory, describe }) => {
    const { value = {}, faults = [] } = checkValue(schema, tree);
    faulty.push(...describe(faults));
    return { directory, value };
  });
  const problems = [...faulty, ...emptyRange(layers)];
  if (problems.length === 0) return given;
  const [first = "", ...others] = problems;
  const text = others.length === 0 ? ` ${first}` : `\n  ${problems.join("\n  ")}`;
  throw new UsageError(
    faulty.length === 0 ? "time_range_empty" : "configuration_invalid",
    `The ${subject} not valid:${text}`,
  );
}

/**
 * Returns a line if `fromTime` is not before `toTime`. The values need not be checked: a wrong one is
 * reported by itself.
 */
function emptyRange(layers: readonly Layer[]): readonly string[] {
  const start = timeIn(layers, "fromTime");
  const end = timeIn(layers, "toTime");
  if (start === undefined || end === undefined || start.timeMs < end.timeMs) return [];
  const [startText, endText] = [start, end].map(({ timeMs }) => new Date(timeMs).toISOString());
  const position = start.position === undefined ? "" : `${start.position}: `;
  const endPosition = end.position === undefined ? "" : `, ${end.position}`;
  return [
    `${position}${start.name} (${startText}) must be before ${end.name} (${endText}${endPosition})`,
  ];
}

/** Returns the time that counts; undefined if there is none or it is not a time. */
function timeIn(layers: readonly Layer[], name: "fromTime" | "toTime") {
  const given = ({ tree }: Layer) => (isObject(tree) ? valueIn(tree, name) : undefined);
  const layer = layers.find((one) => given(one) !== undefined);
  if (layer === undefined) return undefined;
  const { success, data } = describeOption(name).type.schema().safeParse(given(layer));
  // Numbers beyond the range of dates are not times.
  if (!success || !Number.isFinite(new Date(data as number).getTime())) return undefined;
  return { timeMs: data as number, ...layer.find(name) };
}

function merge(layers: readonly Given[], currentDirectory: string) {
  const values: Partial<Record<OptionName, unknown>> = {};
  let inputsDirectory = currentDirectory;
  for (const name of optionNames) {
    const layer = layers.find(({ value }) => valueIn(value, name) !== undefined);
    if (layer === undefined) continue;
    values[name] = locate(describeOption(name).type, valueIn(layer.value, name), layer.directory);
    if (name === "inputs") inputsDirectory = layer.directory;
  }
  return { values: values as OptionValues, inputsDirectory };
}

/** Returns `maxRejects` for a step: in each layer, that of its section comes first. */
function maxRejectsOf(
  layers: readonly Given[],
  step: StepSection,
): OptionValues["maxRejects"] | undefined {
  for (const { value } of layers) {
    const section = value[step] as Given["value"] | undefined;
    const found = section?.["maxRejects"] ?? value["maxRejects"];
    if (found !== undefined) return found as OptionValues["maxRejects"];
  }
  return undefined;
}

function valueIn(value: Given["value"], name: OptionName): unknown {
  const { section } = describeOption(name);
  const parent = section === undefined ? value : (value[section] as Given["value"] | undefined);
  return parent?.[localNameOf(name)];
}

function flagLayer({ flags, currentDirectory }: ConfigurationSources): Layer {
  const nameOf = (name: OptionName) => (name === "inputs" ? "inputs" : flagOf(name));
  return {
    ...layerOf(flags),
    directory: currentDirectory,
    describe: (faults) => describeOptions(faults, nameOf),
    find: (name) => ({ name: nameOf(name) }),
  };
}

function environmentLayer({ environment, currentDirectory }: ConfigurationSources): Layer {
  const given = optionNames.flatMap((name) => {
    const text = environment[environmentNameOf(name)];
    return text === undefined || text === ""
      ? []
      : [[name, describeOption(name).type.fromText(text)] as const];
  });
  return {
    ...layerOf(Object.fromEntries(given)),
    directory: currentDirectory,
    describe: (faults) => describeOptions(faults, environmentNameOf),
    find: (name) => ({ name: environmentNameOf(name) }),
  };
}

/** Describes faults of options that have a name of one word. */
function describeOptions(
  faults: readonly SchemaFault[],
  nameOf: (name: OptionName) => string,
): readonly string[] {
  return faults.map(({ path: [first, second], message }) => {
    const name = optionNames.find(
      (one) => keyOf(one) === first || keyOf(one) === `${first}.${second}`,
    );
    if (name === undefined) throw new Error(`no option at ${first}.${second}`);
    return `${nameOf(name)}: ${message}`;
  });
}

function fileLayer({ name, path: file, text }: ConfigurationFile): Layer {
  return {
    tree: text.value,
    schema: configurationSchema(),
    directory: path.dirname(file),
    describe: (faults) => describeFile(name, text, faults),
    find(option) {
      const key = keyOf(option);
      const { line, column } = text.positionOf(text.offsetOf(key.split(".")));
      return { name: key, position: `${name}:${line}:${column}` };
    },
  };
}

/** Names an option by its key alone in messages: a program has no sections. */
function contentLayer(
  { tree, keys }: NonNullable<ConfigurationSources["content"]>,
  directory: string,
): Layer {
  return {
    tree,
    schema: configurationSchema(),
    directory,
    describe: (faults) =>
      faults.map(({ path: [first = "", ...rest], message, isUnknownKey }) => {
        const isInSection = rest.length > 0 && Object.hasOwn(sections, first);
        const option = isInSection ? rest : [first, ...rest];
        const isUnknownOption = isUnknownKey === true && option.length === 1;
        const replaced = replacementOf(String(option[0]));
        const meant =
          replaced === undefined
            ? suggestion(String(option[0]), keys)
            : `; did you mean ${localNameOf(replaced)}?`;
        const text = isUnknownOption ? `unknown key${meant}` : message;
        return `${pathText(option)}: ${text}`;
      }),
    find: (name) => ({ name: localNameOf(name) }),
  };
}

/** Returns the messages in the order of the file. */
function describeFile(
  fileName: string,
  text: JsonText,
  faults: readonly SchemaFault[],
): readonly string[] {
  const found = [
    ...faults.map((fault) => ({ ...fault, offset: text.offsetOf(fault.path) })),
    ...text.duplicates.map(({ path: keys, offset, first }) => {
      const key = JSON.stringify(keys.at(-1));
      const message = `duplicate key ${key} (first at ${first.line}:${first.column}); remove one`;
      return { path: keys, offset, message };
    }),
  ].sort((one, other) => one.offset - other.offset);
  return found.map((fault) => {
    const { line, column } = text.positionOf(fault.offset);
    const key = fault.path.length === 0 ? "" : `${pathText(fault.path)}: `;
    return `${fileName}:${line}:${column}: ${key}${messageOf(fault)}`;
  });
}

/** Suggests an option of another section for an unknown key near the root. */
function messageOf({ path: keys, message, isUnknownKey }: SchemaFault): string {
  if (isUnknownKey !== true || keys.length > 2) return message;
  const key = String(keys.at(-1));
  const replaced = replacementOf(key);
  const elsewhere = replaced === undefined ? pathsOfKey(key) : [keyOf(replaced)];
  return elsewhere.length === 0 ? message : `unknown key; did you mean ${elsewhere.join(" or ")}?`;
}

function layerOf(values: GivenFlags): Pick<Layer, "tree" | "schema"> {
  const tree: Record<string, JsonValue> = {};
  const names = optionNames.filter((name) => values[name] !== undefined);
  for (const name of names) {
    const value = values[name] as JsonValue;
    const { section } = describeOption(name);
    if (section === undefined) tree[name] = value;
    else tree[section] = { ...(tree[section] as JsonObject), [localNameOf(name)]: value };
  }
  return { tree, schema: schemaOfOptions(names) };
}
