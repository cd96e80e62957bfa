import { UsageError } from "../base/errors.js";
import { checkValue, faultLines } from "../base/schema.js";
import { joinedPaths, pathsOf } from "./field-plan.js";
import {
  type Mapping,
  type MappingChanges,
  type MappingTargets,
  mappingSchema,
  type ObjectPart,
  type ObjectSource,
  type WrittenMapping,
} from "./mapping.js";
import { type PresetName, presets } from "./presets.js";

/** Resolves a preset's mapping with the changes of a configuration. */
export function resolveMapping(preset: PresetName, changes: MappingChanges = {}): Mapping {
  return complete({ ...parse(presets[preset].mapping), ...changes });
}

/**
 * Resolves a written mapping: a preset's with changes, or one without a preset. Throws `UsageError` if it
 * does not fit the schema.
 */
export function resolveWritten(mapping: WrittenMapping): Mapping {
  return complete(parse(mapping));
}

function parse(mapping: WrittenMapping): MappingTargets {
  const { value, faults } = checkValue(mappingSchema, mapping);
  if (faults === undefined) return value;
  const lines = faultLines(faults).join("; ");
  throw new UsageError("mapping_invalid", `The mapping is not valid: ${lines}.`);
}

function complete(targets: MappingTargets): Mapping {
  const { event, timestamp, userID = [], stableID = [], value = [], insertID = [] } = targets;
  const { metadata = noObject, user = noObject, distinctID = [], filter = [] } = targets;
  const rows = targets.rows ?? [];
  const texts = [event, userID, stableID, value, insertID].flat();
  const fields = [...[...texts, ...timestamp].map(({ path }) => path), ...joinedPaths(texts)];
  const used = [...fields, ...pathsOf(metadata), ...pathsOf(user)];
  refuseOutside(rows, [...used, ...filter.map(({ path }) => path)]);
  used.push(...listsOf(rows));
  return {
    ...(rows.length === 0 ? {} : { rows }),
    event,
    timestamp,
    userID,
    stableID,
    value,
    insertID,
    distinctID,
    filter,
    metadata: withoutUsed(metadata, used),
    user: withoutUsed(user, used),
  };
}

/** Returns the paths of the lists of rows, from an element of the last one. */
function listsOf(rows: readonly string[]): readonly (readonly string[])[] {
  return rows.map((step, index) => [...rows.slice(index).map(() => "^"), step]);
}

/** Throws `UsageError` for a field outside of the row around the lists. */
function refuseOutside(rows: readonly string[], paths: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  const outside = paths.find(
    (path) => [...path, ""].findIndex((step) => step !== "^") > rows.length,
  );
  if (outside === undefined) return;
  const levels = rows.map(() => "^").join(".");
  throw new UsageError(
    "mapping_invalid",
    `The mapping is not valid: the field ${outside.join(".")} is outside of the row, which is ${levels} with rows ${rows.join(".")}.`,
  );
}

const noObject: ObjectSource = { kind: "choices", choices: [] };

function withoutUsed(source: ObjectSource, used: readonly (readonly string[])[]): ObjectSource {
  if (source.kind !== "merged") return restWithoutUsed(source, used);
  return { ...source, parts: source.parts.map((part) => restWithoutUsed(part, used)) };
}

/** Excludes from a rest the members directly under it that other targets use. */
function restWithoutUsed(source: ObjectPart, used: readonly (readonly string[])[]): ObjectPart {
  if (source.kind !== "rest") return source;
  const { path } = source;
  const taken = used
    .filter((other) => other.length === path.length + 1)
    .filter((other) => path.every((step, index) => step === other[index]))
    .map((other) => other[path.length] as string);
  return { ...source, except: [...new Set([...taken, ...source.except])].sort() };
}
