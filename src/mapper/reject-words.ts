import { rejectCodes } from "../base/reject-codes.js";
import type { Batch } from "../batch/batch.js";
import { type CellKind, type Column, cellKinds } from "../batch/column.js";
import { isOfType, type TextType, type TypedTarget } from "../batch/text-types.js";
import { type FieldPlan, otherIndex, partsOf } from "./field-plan.js";
import type { FieldSource } from "./field-schemas.js";
import type { MapperOptions } from "./mapper-options.js";
import type { ObjectPart } from "./mapping.js";
import { parsePrivacyPath } from "./privacy-path.js";
import { unquote } from "./type-stage.js";

/** Characters of a cell that a message shows. */
const SHOWN_MAX = 80;

const kindWords: Record<CellKind, string> = {
  [cellKinds.null]: "null",
  [cellKinds.string]: "the text",
  [cellKinds.number]: "the number",
  [cellKinds.boolean]: "the boolean",
  [cellKinds.object]: "the object",
  [cellKinds.array]: "the list",
  [cellKinds.malformedString]: "text with a lone surrogate,",
};

/** Explains why a row of a batch was rejected: the value found and what was expected. */
export class RejectWords {
  constructor(
    private readonly options: MapperOptions,
    private readonly plan: FieldPlan,
  ) {}

  /** `time` is the row's timestamp, if it has one. */
  explain(batch: Batch, row: number, code: number, time: number): string {
    const { mapping } = this.options;
    const found = (choices: readonly FieldSource[], indexes: readonly number[]) =>
      describeCell(batch, row, choices, indexes, false);
    switch (code) {
      case rejectCodes.event_missing:
        return `no event name in ${namesOf(mapping.event)}`;
      case rejectCodes.event_not_text:
        return `the event name must be text, but ${describeCell(batch, row, mapping.event, this.plan.event, true)}`;
      case rejectCodes.time_missing:
        return `no time in ${namesOf(mapping.timestamp)}`;
      case rejectCodes.time_unparsable:
        return `${found(mapping.timestamp, this.plan.timestamp)}, which is not a time`;
      case rejectCodes.time_out_of_range:
        return `${found(mapping.timestamp, this.plan.timestamp)}: ${this.#limits(time)}`;
      case rejectCodes.unit_id_missing:
        return `no unit id in ${namesOf([...mapping.userID, ...mapping.stableID])}${this.#dropped()}`;
      case rejectCodes.unit_id_not_text:
        return `a unit id must be text or a number, but ${this.#wrongId(batch, row)}`;
      case rejectCodes.metadata_not_object:
        return `event properties must be ${this.#object(batch, row, "metadata")}`;
      case rejectCodes.user_not_object:
        return `user properties must be ${this.#object(batch, row, "user")}`;
      case rejectCodes.value_not_scalar:
        return `the value must be text or a number, but ${found(mapping.value, this.plan.value)}`;
      case rejectCodes.type_mismatch:
        return this.#wrongType(batch, row);
      default:
        return batch.raw.explain(row);
    }
  }

  #dropped(): string {
    const drop = this.options.privacy?.drop ?? [];
    const ids = drop.filter((path) => parsePrivacyPath(path).cells?.endsWith("ID"));
    return ids.length === 0 ? "" : `; ${ids.join(" and ")} is dropped`;
  }

  #limits(time: number): string {
    const { minTimeMs, maxTimeMs } = this.options;
    const side =
      time < minTimeMs ? `before ${isoText(minTimeMs)}` : `at or after ${isoText(maxTimeMs)}`;
    return `${isoText(time)} is ${side}`;
  }

  #wrongId(batch: Batch, row: number): string {
    const { mapping } = this.options;
    const cell = firstCell(batch, row, mapping.userID, this.plan.userID, true);
    const isWrong = cell !== undefined && !isIdKind(cell.column.kind(row));
    return isWrong
      ? describeCell(batch, row, mapping.userID, this.plan.userID, true)
      : describeCell(batch, row, mapping.stableID, this.plan.stableID, true);
  }

  #wrongType(batch: Batch, row: number): string {
    const { mapping, types = {} } = this.options;
    for (const [target, type] of Object.entries(types) as [TypedTarget, TextType][]) {
      const cell = firstCell(batch, row, mapping[target], this.plan[target], target !== "value");
      const token = cell?.column.text(row) ?? "";
      const text = target === "value" ? unquote(token) : token;
      const bytes = Buffer.from(text);
      if (cell === undefined || isOfType(bytes, 0, bytes.length, type)) continue;
      return `${nameOf(cell.choice)} is ${JSON.stringify(shorten(text))}, which is not a ${type}`;
    }
    return "a text is not of the type of its column";
  }

  #object(batch: Batch, row: number, target: "metadata" | "user"): string {
    const parts = partsOf(this.options.mapping[target]).map((part, index) => ({
      part,
      indexes: this.plan[target][index] ?? [],
    }));
    const wrong = parts.find(({ part, indexes }) => isWrongPart(batch, row, part, indexes));
    const { part, indexes } = wrong ?? (parts[0] as (typeof parts)[number]);
    const found = (choices: readonly FieldSource[]) =>
      describeCell(batch, row, choices, indexes, true);
    switch (part.kind) {
      case "choices":
        return `an object, but ${found(part.choices)}`;
      case "rest":
        return `an object, but ${found([part])}`;
      case "fields":
        return "an object";
      case "pairs":
        return `a list of objects with text in ${namesOf(part.keys)}, but ${found(part.lists)}`;
    }
  }
}

/** Returns true if this part of an object is a reason for a reject, as far as a message needs it. */
function isWrongPart(
  batch: Batch,
  row: number,
  part: ObjectPart,
  indexes: readonly number[],
): boolean {
  if (part.kind === "fields") return false;
  const choices =
    part.kind === "choices" ? part.choices : part.kind === "rest" ? [part] : part.lists;
  const cell = firstCell(batch, row, choices, indexes, true);
  if (cell === undefined) return false;
  const kind = cell.column.kind(row);
  const wanted = part.kind === "pairs" ? cellKinds.array : cellKinds.object;
  return kind === cellKinds.string ? !holds(cell.column.text(row), wanted) : kind !== wanted;
}

/** Returns true if the text is JSON of the wanted kind or null, also if it is quoted twice. */
function holds(text: string | undefined, wanted: CellKind): boolean {
  try {
    let value: unknown = JSON.parse(text ?? "null");
    if (typeof value === "string") value = JSON.parse(value);
    const isWanted = Array.isArray(value) === (wanted === cellKinds.array);
    return value === null || (typeof value === "object" && isWanted);
  } catch {
    return text?.trim() === "";
  }
}

function isIdKind(kind: CellKind): boolean {
  return kind === cellKinds.string || kind === cellKinds.number;
}

function namesOf(choices: readonly { readonly path: readonly string[] }[]): string {
  return choices.length === 0 ? "the mapping" : choices.map(nameOf).join(" or ");
}

function nameOf({ path }: { readonly path: readonly string[] }): string {
  return path.length === 0 ? "the row" : path.join(".");
}

/** Returns the choice that the mapper used: the first that is not null. */
function firstCell(
  batch: Batch,
  row: number,
  choices: readonly FieldSource[],
  indexes: readonly number[],
  emptyIsNull: boolean,
): { readonly column: Column; readonly choice: FieldSource } | undefined {
  for (const [index, choice] of choices.entries()) {
    const column = batch.columns[indexes[index] as number] as Column;
    const kind = column.kind(row);
    if (kind === cellKinds.null) continue;
    if (emptyIsNull && kind === cellKinds.string && column.text(row) === "") continue;
    const { unlessPrefix, unless, joinedWith, names } = choice;
    if (unlessPrefix !== undefined && column.text(row)?.startsWith(unlessPrefix)) continue;
    if (unless !== undefined && isIdKind(kind) && unless.includes(column.text(row) ?? "")) continue;
    const other = batch.columns[otherIndex(choices, indexes, index) ?? -1];
    if (joinedWith === undefined && other !== undefined && isSameId(other, column, row)) continue;
    if (joinedWith !== undefined && (other?.text(row) ?? "") === "") continue;
    const isUnnamed = names !== undefined && !Object.hasOwn(names, column.text(row) ?? "");
    if (isUnnamed && isIdKind(kind)) continue;
    return { column, choice };
  }
  return undefined;
}

function isSameId(one: Column, other: Column, row: number): boolean {
  return isIdKind(one.kind(row)) && isIdKind(other.kind(row)) && one.text(row) === other.text(row);
}

function describeCell(
  batch: Batch,
  row: number,
  choices: readonly FieldSource[],
  indexes: readonly number[],
  emptyIsNull: boolean,
): string {
  const cell = firstCell(batch, row, choices, indexes, emptyIsNull);
  if (cell === undefined) return `${namesOf(choices)} is null`;
  const kind = cell.column.kind(row);
  const text = cell.column.text(row) as string;
  const shown = shorten(text);
  const words = kind === cellKinds.string ? JSON.stringify(shown) : shown;
  return `${nameOf(cell.choice)} is ${kindWords[kind]} ${words}`;
}

function shorten(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

function isoText(timeMs: number): string {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? `${timeMs} ms` : date.toISOString();
}
