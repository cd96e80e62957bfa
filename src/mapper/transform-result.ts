import { isLosslessNumber } from "lossless-json";
import { JSON_DEPTH_MAX } from "../base/limits.js";
import { type RejectCode, rejectCodes } from "../base/reject-codes.js";
import {
  isOfType,
  type TargetTypes,
  type TextType,
  type TypedTarget,
} from "../batch/text-types.js";
import { isNestedDeeper, valueText } from "./lossless-values.js";
import { unquote } from "./type-stage.js";

/** An event as values of the columns of an event batch. */
export interface PlainEvent {
  readonly event: string;
  readonly timestamp: number;
  readonly userID: string | undefined;
  readonly stableID: string | undefined;
  /** JSON token. */
  readonly value: string | undefined;
  /** JSON object that begins with the ids. */
  readonly user: string;
  readonly metadata: string;
  readonly insertID: string | undefined;
  /** That of the row. */
  readonly distinctID: string | undefined;
}

/** Ids of a row that its events have too. */
export type RowIds = Pick<PlainEvent, "insertID" | "distinctID">;

/** Limits of a result beyond the rules for every event. */
export interface ResultLimits {
  /** Inclusive. */
  readonly minTimeMs: number;
  /** Exclusive. */
  readonly maxTimeMs: number;
  /** Ids that will be dropped: an event needs one that is not. */
  readonly droppedIds: ReadonlySet<string>;
  readonly types: TargetTypes;
}

/** The reason why the result of a transform is not an event. */
export class TransformFault extends Error {
  constructor(
    readonly code: RejectCode,
    reason: string,
  ) {
    super(`the transform returned ${reason}`);
  }
}

/**
 * Checks the result of a transform with the rules for rows. A result that says nothing of its insert id
 * has that of its row. Throws `TransformFault`.
 */
export function checkEvent(result: unknown, limits: ResultLimits, row: RowIds): PlainEvent {
  if (!isObject(result)) {
    throw new TransformFault(rejectCodes.transform_failed, `${describe(result)} for an event`);
  }
  const { event, timestamp, user, metadata, value, insertID = row.insertID } = result;
  const name = checkName(event);
  const time = checkTime(timestamp, limits);
  if (user != null && !isObject(user)) {
    throw new TransformFault(rejectCodes.user_not_object, `${describe(user)} for a user`);
  }
  const { userID: givenUserID, stableID: givenStableID, ...properties } = user ?? {};
  const userID = checkId(givenUserID, "userID");
  const stableID = checkId(givenStableID, "stableID");
  const ids = { ...(userID && { userID }), ...(stableID && { stableID }) };
  if (Object.keys(ids).every((name) => limits.droppedIds.has(name))) {
    throw new TransformFault(
      rejectCodes.unit_id_missing,
      "a user without a unit id that privacy keeps",
    );
  }
  if (metadata != null && !isObject(metadata)) {
    throw new TransformFault(rejectCodes.metadata_not_object, `${describe(metadata)} for metadata`);
  }
  const typed = checkTypes(
    { userID, stableID, value: checkValue(value), insertID: checkInsertID(insertID) },
    limits.types,
  );
  return {
    event: name,
    timestamp: time,
    ...typed,
    distinctID: row.distinctID,
    user: objectText({ ...ids, ...properties }, "a user"),
    metadata: objectText(metadata ?? {}, "metadata"),
  };
}

type TypedTexts = Pick<PlainEvent, TypedTarget>;

function checkTypes(texts: TypedTexts, types: TargetTypes): TypedTexts {
  const checked = { ...texts };
  for (const [target, type] of Object.entries(types) as [TypedTarget, TextType][]) {
    const token = texts[target];
    if (token === undefined) continue;
    const text = target === "value" ? unquote(token) : token;
    const bytes = Buffer.from(text);
    if (!isOfType(bytes, 0, bytes.length, type)) {
      throw new TransformFault(
        rejectCodes.type_mismatch,
        `${target} ${token}, which is not a ${type}`,
      );
    }
    checked[target] = text;
  }
  return checked;
}

function checkName(event: unknown): string {
  if (event == null || event === "") {
    throw new TransformFault(rejectCodes.event_missing, "no event name");
  }
  if (typeof event !== "string" || !isWellFormed(event)) {
    throw new TransformFault(rejectCodes.event_not_text, `${describe(event)} for an event name`);
  }
  return event;
}

function checkTime(timestamp: unknown, limits: ResultLimits): number {
  if (timestamp == null) throw new TransformFault(rejectCodes.time_missing, "no timestamp");
  const time = typeof timestamp === "bigint" ? Number(timestamp) : timestamp;
  if (typeof time !== "number" || !Number.isSafeInteger(time)) {
    throw new TransformFault(
      rejectCodes.time_unparsable,
      `${describe(timestamp)} for a timestamp, which must be whole milliseconds`,
    );
  }
  if (time >= limits.minTimeMs && time < limits.maxTimeMs) return time;
  throw new TransformFault(
    rejectCodes.time_out_of_range,
    `the timestamp ${time}, which must be at least ${limits.minTimeMs} and less than ${limits.maxTimeMs}`,
  );
}

function checkId(id: unknown, name: string): string | undefined {
  if (id == null || id === "") return undefined;
  if (isNumber(id)) return String(id);
  if (typeof id === "string" && isWellFormed(id)) return id;
  throw new TransformFault(rejectCodes.unit_id_not_text, `${describe(id)} for ${name}`);
}

function checkInsertID(id: unknown): string | undefined {
  if (id == null || id === "") return undefined;
  if (isNumber(id)) return String(id);
  if (typeof id === "string" && isWellFormed(id)) return id;
  throw new TransformFault(rejectCodes.transform_failed, `${describe(id)} for insertID`);
}

function checkValue(value: unknown): string | undefined {
  if (value == null) return undefined;
  const isText = typeof value === "string" && isWellFormed(value);
  if (isText || isNumber(value)) return valueText(value);
  throw new TransformFault(rejectCodes.value_not_scalar, `${describe(value)} for a value`);
}

function objectText(value: Record<string, unknown>, name: string): string {
  if (isNestedDeeper(value, JSON_DEPTH_MAX)) {
    throw new TransformFault(
      rejectCodes.transform_failed,
      `${name} with more than ${JSON_DEPTH_MAX} levels of objects and lists, or with itself inside`,
    );
  }
  const text = valueText(value);
  if (text?.startsWith("{")) return text;
  throw new TransformFault(rejectCodes.transform_failed, "an object that JSON cannot represent");
}

/** Excludes Map and Set: JSON would write them as empty objects. */
function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !isLosslessNumber(value) && !(value instanceof Map) && !(value instanceof Set);
}

function isNumber(value: unknown): boolean {
  return typeof value === "bigint" || Number.isFinite(value) || isLosslessNumber(value);
}

/** Returns true if the text has no lone surrogate: UTF-8 cannot encode one. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Map) return "a Map";
  if (value instanceof Set) return "a Set";
  return typeof value === "object" ? "an object" : `the ${typeof value} ${String(value)}`;
}
