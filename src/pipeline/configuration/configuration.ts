import path from "node:path";
import { UsageError } from "../../base/errors.js";
import { type ConfigurationFile, readConfigurationFile } from "./configuration-file.js";
import {
  defaultSteps,
  describeOption,
  environmentNameOf,
  flagOf,
  keyOf,
  localNameOf,
  type OptionName,
  type OptionValues,
  optionNames,
  type StepName,
} from "./configuration-options.js";
import { configurationSchema } from "./configuration-schema.js";
import { readConsoleKey, readHashSalt, readServerSecret } from "./configuration-secrets.js";
import type { Environment, JsonObject, JsonValue } from "./configuration-types.js";
import { type ConfigurationProblem, createValidator } from "./configuration-validation.js";
import type { Section } from "./option-description.js";

/** Options as the command line gave them, already the values that would stand in the file. */
export type GivenFlags = Readonly<Partial<Record<OptionName, JsonValue>>>;

export interface ConfigurationSources {
  readonly flags: GivenFlags;
  readonly environment: Environment;
  readonly currentDirectory: string;
  /** `--config`; null for commands that look at no file. */
  readonly configPath: string | undefined | null;
  /** Content in the form of the file, in the place of a file: the options of a program. */
  readonly content?: JsonObject;
  readonly mappingSchema: JsonObject;
  /** What is wrong with `mapping` beyond its schema; left out by commands that do not map. */
  readonly findMappingProblems?: (changes: JsonValue) => readonly ConfigurationProblem[];
}

const sections: readonly Section[] = ["validate", "export", "send", "qualify", "serve"];

/** What was asked for, checked, before defaults. */
export interface Configuration {
  readonly values: OptionValues;
  /** Options that the command line itself gave. */
  readonly given: ReadonlySet<OptionName>;
  /** The part of the file that changes the preset's mapping. */
  readonly mapping: JsonObject | undefined;
  readonly steps: readonly StepName[];
  /** What relative inputs are relative to. */
  readonly inputsDirectory: string;
  /** A secret: never printed, never written. */
  readonly hashSalt: string | undefined;
  /** A secret likewise. */
  readonly consoleKey: string | undefined;
  /** A secret: never printed, never written. */
  readonly serverSecret: string | undefined;
  /** Of the configuration file, else the current one: what defaults are relative to. */
  readonly directory: string;
  /** What the service of `sendTo` is called, where its address is another one each time. */
  readonly destination?: string;
  /** As given; undefined where there is no file. */
  readonly fileName: string | undefined;
}

/** Options from one place, with how messages call them there. */
interface Layer {
  readonly tree: JsonValue;
  /** What relative paths are relative to. */
  readonly directory: string;
  nameOf(problem: ConfigurationProblem): string;
  /** What no schema says. */
  findProblems(sources: ConfigurationSources): readonly ConfigurationProblem[];
}

/**
 * Flags before environment before file. Throws one `UsageError` that lists everything that is wrong
 * in all of them.
 */
export async function loadConfiguration(sources: ConfigurationSources): Promise<Configuration> {
  const { configPath, currentDirectory } = sources;
  const file =
    configPath === null ? undefined : await readConfigurationFile(configPath, currentDirectory);
  const layers = [
    flagLayer(sources),
    environmentLayer(sources),
    ...(file === undefined ? [] : [fileLayer(file)]),
    ...(sources.content === undefined ? [] : [contentLayer(sources.content, currentDirectory)]),
  ];
  const validate = createValidator(configurationSchema(sources.mappingSchema));
  const problems = layers.flatMap((layer) =>
    [...validate(layer.tree), ...layer.findProblems(sources)].map(
      (problem) => `${layer.nameOf(problem)}: ${problem.message}`,
    ),
  );
  if (problems.length > 0) throw invalid(problems);

  const { values, inputsDirectory } = merge(layers, sources.currentDirectory);
  const content = sources.content ?? (file?.content as JsonObject | undefined);
  return {
    values,
    given: new Set(optionNames.filter((name) => sources.flags[name] !== undefined)),
    inputsDirectory,
    mapping: content?.["mapping"] as JsonObject | undefined,
    steps: (content?.["steps"] as readonly StepName[] | undefined) ?? defaultSteps,
    hashSalt: await readHashSalt(sources.environment, values.hashSaltFile),
    consoleKey: await readConsoleKey(sources.environment, values.consoleKeyFile),
    serverSecret: await readServerSecret(sources.environment, values.serverSecretFile),
    directory: file === undefined ? sources.currentDirectory : path.dirname(file.path),
    fileName: file?.name,
  };
}

function merge(layers: readonly Layer[], currentDirectory: string) {
  const values: Partial<Record<OptionName, unknown>> = {};
  let inputsDirectory = currentDirectory;
  for (const name of optionNames) {
    const layer = layers.find(({ tree }) => valueIn(tree, name) !== undefined);
    const value = layer === undefined ? undefined : valueIn(layer.tree, name);
    if (layer === undefined || value === undefined) continue;
    values[name] = describeOption(name).type.read(value, (text) =>
      path.resolve(layer.directory, text),
    );
    if (name === "inputs") inputsDirectory = layer.directory;
  }
  return { values: values as OptionValues, inputsDirectory };
}

function valueIn(tree: JsonValue, name: OptionName): JsonValue | undefined {
  const { section } = describeOption(name);
  const parent = section === undefined ? tree : (tree as JsonObject)[section];
  return (parent as JsonObject | undefined)?.[localNameOf(name)];
}

function flagLayer({ flags, currentDirectory }: ConfigurationSources): Layer {
  return {
    tree: treeOf(flags),
    directory: currentDirectory,
    nameOf: ({ path: [first, second] }) => {
      const name = optionAt(first, second);
      return name === "inputs" ? "inputs" : flagOf(name);
    },
    findProblems: () => [],
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
    tree: treeOf(Object.fromEntries(given)),
    directory: currentDirectory,
    nameOf: ({ path: [first, second] }) => environmentNameOf(optionAt(first, second)),
    findProblems: () => [],
  };
}

function fileLayer({ name, path: file, content, places }: ConfigurationFile): Layer {
  return {
    tree: content,
    directory: path.dirname(file),
    nameOf: ({ path: keys }) => {
      const { line, column } = places.placeOf(keys);
      return [`${name}:${line}:${column}`, ...(keys.length > 0 ? [dotted(keys)] : [])].join(": ");
    },
    findProblems: (sources) => [
      ...places.repeated.map(({ path: keys, first: { line, column } }) => ({
        path: keys,
        message: `stands at ${line}:${column} already; take one of them away`,
      })),
      ...mappingProblems(content, sources),
    ],
  };
}

/** Messages name an option by its key alone: a program has no sections. */
function contentLayer(content: JsonObject, directory: string): Layer {
  return {
    tree: content,
    directory,
    nameOf({ path: [first = "", second, ...others] }) {
      const isOfSection = second !== undefined && sections.some((name) => name === first);
      return dotted(
        isOfSection
          ? [second, ...others]
          : [first, ...(second === undefined ? [] : [second]), ...others],
      );
    },
    findProblems: (sources) => mappingProblems(content, sources),
  };
}

function mappingProblems(
  content: JsonValue,
  { findMappingProblems = () => [] }: ConfigurationSources,
): readonly ConfigurationProblem[] {
  return findMappingProblems(mappingIn(content) ?? {}).map(({ path: keys, message }) => ({
    path: ["mapping", ...keys],
    message,
  }));
}

function mappingIn(content: JsonValue): JsonValue | undefined {
  return typeof content === "object" && content !== null && "mapping" in content
    ? content["mapping"]
    : undefined;
}

function treeOf(values: GivenFlags): JsonObject {
  const root: Record<string, JsonValue> = {};
  const bySection: Record<Section, Record<string, JsonValue>> = {
    validate: {},
    export: {},
    send: {},
    qualify: {},
    serve: {},
  };
  for (const name of optionNames) {
    const value = values[name];
    if (value === undefined) continue;
    const { section } = describeOption(name);
    (section === undefined ? root : bySection[section])[localNameOf(name)] = value;
  }
  return { ...root, ...bySection };
}

function optionAt(first: string | undefined, second: string | undefined): OptionName {
  const name = optionNames.find(
    (one) => keyOf(one) === first || keyOf(one) === `${first}.${second}`,
  );
  if (name === undefined) throw new Error(`no option at ${first}.${second}`);
  return name;
}

function dotted(keys: readonly string[]): string {
  return keys
    .map((key, index) => (/^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join("");
}

function invalid(problems: readonly string[]): UsageError {
  const [first = "", ...others] = problems;
  const text = others.length === 0 ? first : `\n  ${problems.join("\n  ")}`;
  return new UsageError("configuration_invalid", `The configuration is not valid: ${text}`);
}
