import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { optionOff } from "../base/option-text.js";
import type { TargetTypes, TypedTarget } from "../batch/text-types.js";
import { outputFormat } from "../formats/output-formats.js";
import type { Mapping } from "../mapper/mapping.js";
import { shortenIdPath } from "../mapper/privacy-path.js";
import {
  EVENT_COLUMNS,
  eventColumns,
  needsInsertID,
  type OutputColumn,
  parseColumn,
  parseEventColumns,
  type RowsOptions,
} from "../sinks/output-columns.js";
import { loadTarget } from "../target/targets.js";
import type { CompleteValues } from "./option-names.js";
import type { RunOptions } from "./options.js";

/** Resolves what the rows of an export have. Throws `UsageError` (`columns_invalid`). */
export function resolveColumns(
  values: CompleteValues,
  mapping: Mapping,
): RowsOptions & Pick<RunOptions, "types"> {
  const { insertId, columns, drop = [], hash = [] } = values;
  const withInsertID = insertId && mapping.insertID.length > 0;
  if (columns === undefined) return columnsOfTarget(values, withInsertID);
  const unit = columns.length === 1 ? parseEventColumns(columns[0] ?? "") : undefined;
  if (unit === undefined) {
    const listed = listedColumns(columns, withInsertID);
    const types = typesOf(listed.columns);
    checkKept(types, [...drop, ...hash]);
    return { ...listed, ...omitUndefined({ types }) };
  }
  if (unit === "ms") return { withInsertID };
  const { rows } = outputFormat(values.format.format);
  return { withInsertID, columns: eventColumns(rows, { withInsertID, unit }) };
}

/** Returns the columns that the target loads, or those of the event. */
function columnsOfTarget({ target }: CompleteValues, withInsertID: boolean): RowsOptions {
  const { files } = loadTarget(target);
  if (files === undefined) return { withInsertID };
  const columns = files.columns.map(parseColumn).filter((column) => column !== undefined);
  return {
    withInsertID,
    columns: columns.filter(({ source }) => withInsertID || !needsInsertID(source)),
  };
}

function typesOf(columns: readonly OutputColumn[]): TargetTypes | undefined {
  const typed = columns.filter(({ type }) => type !== undefined);
  if (typed.length === 0) return undefined;
  return Object.fromEntries(typed.map(({ source, type }) => [source, type]));
}

/** Throws `columns_invalid` if a typed text is dropped or hashed. */
function checkKept(types: TargetTypes = {}, paths: readonly string[]): void {
  const path = paths.find((one) => shortenIdPath(one) in types);
  if (path === undefined) return;
  const target = shortenIdPath(path) as TypedTarget;
  throw notValid(
    `${path} is dropped or hashed, so it cannot be a ${types[target]}`,
    "no type for it",
  );
}

function listedColumns(texts: readonly string[], withInsertID: boolean) {
  const event = texts.find((text) => parseEventColumns(text) !== undefined);
  if (event !== undefined)
    throw notValid(`${event} is all columns of ${EVENT_COLUMNS}`, "it alone");
  const columns = texts.map(parseColumn).filter((column) => column !== undefined);
  const sources = columns.map(({ source }) => source);
  for (const source of ["event", "timestamp"] as const) {
    if (sources.includes(source)) continue;
    throw notValid(`no column has the ${source}, which is needed to verify an export`, source);
  }
  const names = columns.map(({ name }) => name.toLowerCase());
  const again = names.find((name, index) => names.indexOf(name) !== index);
  if (again !== undefined) throw notValid(`two columns are called ${again}`, "another name");
  const twice = sources.find((source, index) => sources.indexOf(source) !== index);
  if (twice !== undefined) throw notValid(`two columns have the ${twice}`, "one of them only");
  const idColumn = columns.find(({ source }) => needsInsertID(source));
  if (idColumn !== undefined && !withInsertID) {
    throw new UsageError(
      "columns_invalid",
      `Column ${idColumn.name} holds insert ids, but there are none: map insertID, do not pass ${optionOff("insertId")}, or leave the column out.`,
    );
  }
  return { withInsertID: idColumn !== undefined, columns };
}

function notValid(reason: string, needed: string): UsageError {
  return new UsageError(
    "columns_invalid",
    `The list of columns is not valid: ${reason}. Give ${needed} in columns.`,
  );
}
