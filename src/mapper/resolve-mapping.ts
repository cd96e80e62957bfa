import { UsageError } from "../base/errors.js";
import { createZone } from "../base/luxon-zone.js";
import { findSchemaFaults } from "../base/schema-faults.js";
import type {
  FieldChoice,
  FieldPath,
  Mapping,
  NamedField,
  ObjectTarget,
  OneOrMore,
  PairList,
  PairValue,
  ResolvedField,
  ResolvedFilter,
  ResolvedMapping,
  ResolvedMember,
  ResolvedObject,
  ResolvedPairs,
  ResolvedTime,
  RowFilter,
  TextTarget,
  TimeChoice,
} from "./mapping.js";
import { mappingSchema } from "./mapping-schema.js";
import { loadPreset } from "./presets.js";
import { isEpochFormat } from "./time-format.js";
import { checkPattern } from "./time-pattern.js";

/**
 * The preset's mapping with the targets of `overrides` in the place of its own. Without a preset the
 * overrides are the whole mapping. Throws `UsageError` for an unknown preset, for overrides that do
 * not fit the schema, unknown zones, unusable patterns, and when no event or time is left.
 */
export function resolveMapping(
  preset: string | undefined,
  overrides: unknown = {},
): ResolvedMapping {
  const base = preset === undefined ? {} : checkMapping(loadPreset(preset), `preset ${preset}`);
  const mapping: Mapping = { ...base, ...checkMapping(overrides, "mapping") };
  for (const target of ["event", "timestamp"] as const) {
    if (mapping[target] == null) {
      throw new UsageError(
        "mapping_incomplete",
        `The mapping has no ${target}. Name the field that holds it, or choose a preset.`,
      );
    }
  }
  const used: (readonly string[])[] = [];
  const fields = (target: TextTarget | null | undefined) => resolveFields(target, used);
  const resolved = {
    event: fields(mapping.event),
    timestamp: listOf(mapping.timestamp).map(resolveTime),
    userID: fields(mapping.userID),
    stableID: fields(mapping.stableID),
    value: fields(mapping.value),
    insertID: fields(mapping.insertID),
    filter: resolveFilter(mapping.filter),
  };
  used.push(...resolved.timestamp.map(({ path }) => path));
  used.push(...objectPaths(mapping.metadata), ...objectPaths(mapping.user));
  return {
    ...resolved,
    metadata: resolveObject(mapping.metadata, "metadata", used),
    user: resolveObject(mapping.user, "user", used),
  };
}

function checkMapping(value: unknown, where: string): Mapping {
  // Formats are looked at where they are put to use.
  const faults = findSchemaFaults(mappingSchema, value);
  if (faults.length === 0) return value as Mapping;
  const deepest = Math.max(...faults.map(({ instancePath }) => instancePath.split("/").length));
  const words = faults
    .filter(({ instancePath }) => instancePath.split("/").length === deepest)
    .filter(({ keyword }) => keyword !== "anyOf")
    .map(({ instancePath, message, params }) => {
      const { additionalProperty } = params;
      const name = additionalProperty === undefined ? "" : ` (${additionalProperty})`;
      return `${instancePath === "" ? "it" : instancePath} ${message}${name}`;
    });
  throw new UsageError(
    "mapping_invalid",
    `The ${where} is not valid: ${[...new Set(words)].join("; ")}.`,
  );
}

function listOf<T>(target: OneOrMore<T> | null | undefined): readonly T[] {
  if (target == null) return [];
  return Array.isArray(target) ? target : [target as T];
}

/** The steps of a path as it is written. */
function parsePath(path: FieldPath): readonly string[] {
  if (typeof path !== "string") return path;
  return path === "" ? [] : path.split(".");
}

const withField = <T extends { readonly field: FieldPath }>(choice: string | T) =>
  typeof choice === "string" ? { field: choice } : choice;

function resolveFields(
  target: TextTarget | null | undefined,
  used: (readonly string[])[],
): readonly ResolvedField[] {
  return listOf(target).map((choice) => {
    const { field, unlessSameAs, ...exceptions }: FieldChoice = withField(choice);
    const path = parsePath(field);
    used.push(path);
    if (unlessSameAs === undefined) return { path, ...exceptions };
    return { path, ...exceptions, unlessSameAs: parsePath(unlessSameAs) };
  });
}

function resolveTime(choice: string | TimeChoice): ResolvedTime {
  const { field, format = "auto", zone = "UTC", shifted = false }: TimeChoice = withField(choice);
  createZone(zone);
  if (!isEpochFormat(format)) checkPattern(format);
  return { path: parsePath(field), format, zone, shifted };
}

function resolveFilter(filter: RowFilter | null | undefined): ResolvedFilter | null {
  if (filter == null) return null;
  const { field, include = [], exclude = [] } = filter;
  return { path: parsePath(field), include, exclude };
}

function objectPaths(target: ObjectTarget | null | undefined): (readonly string[])[] {
  if (target == null) return [];
  if (typeof target === "object" && "rest" in target) return [parsePath(target.rest)];
  if (typeof target === "object" && "pairs" in target) return objectPaths(target.pairs);
  const choices = typeof target === "object" && "fields" in target ? target.fields : target;
  return listOf<string | NamedField>(choices).map((choice) => parsePath(withField(choice).field));
}

function resolveObject(
  target: ObjectTarget | null | undefined,
  name: string,
  used: readonly (readonly string[])[],
): ResolvedObject {
  if (target == null) return { kind: "choices", choices: [] };
  if (typeof target === "object" && "fields" in target) {
    return { kind: "fields", fields: resolveMembers(target.fields, name) };
  }
  if (typeof target === "object" && "pairs" in target) return resolvePairs(target);
  if (typeof target === "object" && "rest" in target) {
    const path = parsePath(target.rest);
    const taken = used
      .filter((other) => other.length === path.length + 1)
      .filter((other) => path.every((step, index) => step === other[index]))
      .map((other) => other[path.length] as string);
    const except = [...new Set([...taken, ...(target.except ?? [])])].sort();
    return { kind: "rest", path, except };
  }
  return { kind: "choices", choices: resolveFields(target, []) };
}

function resolvePairs({ pairs, key, value }: PairList): ResolvedPairs {
  const values = listOf(value).map((choice) => {
    const { field, as }: PairValue = withField(choice);
    return { path: parsePath(field), isNumber: as === "number" };
  });
  return { kind: "pairs", lists: resolveFields(pairs, []), keys: resolveFields(key, []), values };
}

function resolveMembers(
  fields: readonly (string | NamedField)[],
  target: string,
): readonly ResolvedMember[] {
  const members = fields.map((choice) => {
    const { field, name }: NamedField = withField(choice);
    const path = parsePath(field);
    return { path, name: name ?? path.at(-1) ?? "" };
  });
  const names = members.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new UsageError(
      "mapping_invalid",
      `The mapping's ${target} has two fields named ${JSON.stringify(repeated)}. Give one of them another name.`,
    );
  }
  return members;
}
