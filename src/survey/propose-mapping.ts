import { UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import type { WrittenMapping } from "../mapper/mapping.js";
import { isPathField } from "../sources/path-columns.js";
import type { FieldSummary, Fields } from "./field-summary.js";
import { rankTimes } from "./rank-times.js";
import type { Row, RowValue } from "./sample-rows.js";
import { findTimeForm } from "./time-form.js";

/**
 * A mapping for rows that no preset fits, guessed from names and values of their fields. It names or
 * removes every target of the default preset.
 */
interface ProposedMapping {
  readonly mapping: WrittenMapping;
  /** Other fields that could be the same target, in dotted form. */
  readonly others: Readonly<Record<string, readonly string[]>>;
}

/** Usual names of the fields of each target but the time, without case and punctuation, likeliest first. */
const names = {
  event: [
    "eventname",
    "eventtype",
    "event",
    "action",
    "activity",
    "eventaction",
    "eventlabel",
    "actionname",
    "eventcode",
    "verb",
    "name",
    "type",
  ],
  userID: [
    "userid",
    "useruuid",
    "uid",
    "user",
    "customerid",
    "accountid",
    "memberid",
    "externalid",
    "externaluserid",
    "profileid",
    "personid",
    "loginid",
    "customer",
    "who",
    "distinctid",
    "username",
    "identity",
  ],
  stableID: [
    "stableid",
    "deviceid",
    "deviceuuid",
    "anonymousid",
    "anonid",
    "anonymoususerid",
    "visitorid",
    "clientid",
    "cookieid",
    "browserid",
    "installid",
    "installationid",
    "userpseudoid",
    "device",
    "visitor",
    "cookie",
    "idfv",
    "idfa",
    "gaid",
    "domainuserid",
    "networkuserid",
  ],
  metadata: [
    "eventproperties",
    "properties",
    "props",
    "eventprops",
    "eventparams",
    "params",
    "attributes",
    "eventattributes",
    "eventdata",
    "metadata",
    "payload",
    "data",
    "details",
    "extra",
    "customattributes",
    "context",
  ],
  user: [
    "userproperties",
    "userprops",
    "traits",
    "usertraits",
    "userattributes",
    "personproperties",
    "profile",
    "userdata",
    "user",
  ],
  value: ["value", "eventvalue", "amount", "revenue", "price"],
} as const;

type TargetName = keyof typeof names | "timestamp";

/** Fields that could be each target, likeliest first. */
type Candidates = Readonly<Record<TargetName, readonly FieldSummary[]>>;

/** Share of the rows in which a field must be filled if its target is needed in most rows. */
const MOST = 0.5;

/** Guesses the mapping of rows with these fields; undefined if they have no event, time or id. */
export function proposeMapping(fields: Fields, rows: readonly Row[]): ProposedMapping | undefined {
  const found = findCandidates(fields, rows.length);
  const { event, timestamp, userID, stableID } = found;
  if (event.length === 0 || timestamp.length === 0) return undefined;
  if (userID.length + stableID.length === 0) return undefined;
  const others = Object.entries(found).flatMap(([target, [, ...further]]) =>
    further.length === 0 ? [] : [[target, further.map(({ path }) => path.join("."))] as const],
  );
  return {
    mapping: {
      ...requiredTargets(found),
      insertID: targetOrNone(findInsertID(fields, rows, found)),
      ...(found.value[0] === undefined ? {} : { value: targetOf(found.value[0]) }),
    },
    others: Object.fromEntries(others),
  };
}

/** A mapping with the targets that were found; empty text for a required one that was not. */
export type MappingSkeleton = Readonly<Record<string, JsonLike>>;

type JsonLike = string | null | { readonly [name: string]: string | readonly string[] };

/**
 * Returns the guessable part of a mapping if a required target has no field; undefined if there is none.
 */
export function proposeSkeleton(fields: Fields, rows: number): MappingSkeleton | undefined {
  const found = findCandidates(fields, rows);
  const { event, timestamp, userID, stableID } = found;
  if (event.length + timestamp.length + userID.length + stableID.length === 0) return undefined;
  return requiredTargets(found);
}

/** Returns the targets that every mapping needs; empty text for a target without a candidate. */
function requiredTargets({ event, timestamp, userID, stableID, metadata, user }: Candidates) {
  const [time] = timestamp;
  const format = findTimeForm(time?.scalars ?? [])?.format;
  const required = (field: FieldSummary | undefined) =>
    field === undefined ? "" : targetOf(field);
  return {
    event: required(event[0]),
    timestamp:
      time === undefined || format === undefined ? required(time) : { field: pathOf(time), format },
    userID: userID.length + stableID.length === 0 ? "" : targetOrNone(userID[0]),
    stableID: targetOrNone(stableID[0]),
    metadata: metadata[0] === undefined ? { rest: "" } : targetOf(metadata[0]),
    user: targetOrNone(user[0]),
  };
}

/** Describes the parts of an event that these fields lack. */
export function findMissing(fields: Fields, rows: number): readonly string[] {
  const { event, timestamp, userID, stableID } = findCandidates(fields, rows);
  const isThere = {
    "an event's name": event.length > 0,
    "an event's time": timestamp.length > 0,
    "a user's or a device's id": userID.length + stableID.length > 0,
  };
  return Object.entries(isThere).flatMap(([words, found]) => (found ? [] : [words]));
}

/** Finds the fields that could be each target, likeliest first; no field is first for two targets. */
function findCandidates(fields: Fields, rows: number): Candidates {
  const times = rankTimes(fields, rows);
  const isTime = (field: FieldSummary) => times.some((one) => one.field === field);
  const isUseful: Readonly<Record<keyof typeof names, (field: FieldSummary) => boolean>> = {
    event: (field) => isScalar(field) && isMost(field, rows) && !isTime(field),
    userID: isScalar,
    stableID: isScalar,
    metadata: isObject,
    user: isObject,
    value: (field) => isScalar(field) && !isTime(field),
  };
  const timestamp = times.filter(({ isLikely }) => isLikely).map(({ field }) => field);
  const taken = new Set<FieldSummary>(timestamp.slice(0, 1));
  const candidates = (target: keyof typeof names): readonly FieldSummary[] => {
    const known: readonly string[] = names[target];
    const ranked = [...fields.values()]
      .filter((field) => !taken.has(field) && field.filled > 0)
      .flatMap((field) => {
        const rank = rankOf(field, known);
        return rank === undefined || !isUseful[target](field) ? [] : [{ field, rank }];
      })
      .sort((one, other) => one.rank - other.rank)
      .map(({ field }) => field);
    if (ranked[0] !== undefined) taken.add(ranked[0]);
    return ranked;
  };
  return {
    timestamp,
    event: candidates("event"),
    userID: candidates("userID"),
    stableID: candidates("stableID"),
    metadata: candidates("metadata"),
    user: candidates("user"),
    value: candidates("value"),
  };
}

/** Usual names of an id that repeats only with its event, likeliest first. */
const insertIDs: readonly string[] = "insertid eventid eventuuid messageid dedupeid uuid id".split(
  " ",
);

/** Names of the ids of other things, which are unique in a small sample too. */
const otherIDs =
  /user|customer|account|member|person|profile|device|visitor|session|order|product|item|cart|page|amplitude|distinct/;

/** Rows from which on a field whose name is not usual may be an insert id by its values. */
const ROWS_MIN = 20;

/** Finds the id of the event by values: unique, or repeated only together with event, time and user. */
function findInsertID(
  fields: Fields,
  rows: readonly Row[],
  { event, timestamp, userID, stableID, value }: Candidates,
): FieldSummary | undefined {
  const heads = [event, timestamp, userID, stableID].flatMap(([first]) => first ?? []);
  const taken = new Set([...heads, ...value.slice(0, 1)]);
  const rankOfID = (field: FieldSummary) => {
    const rank = rankOf(field, insertIDs);
    if (rank !== undefined) return rank;
    const name = field.path.join(" ").toLowerCase();
    const isUsable = rows.length >= ROWS_MIN && !otherIDs.test(name) && looksLikeID(field);
    return isUsable ? insertIDs.length * 10 * field.path.length : undefined;
  };
  return [...fields.values()]
    .filter((field) => !taken.has(field) && isScalar(field) && isMost(field, rows.length))
    .flatMap((field) => {
      const rank = rankOfID(field);
      return rank === undefined ? [] : [{ field, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .find(({ field }) => isKey(field, rows, heads))?.field;
}

/** Returns true for texts or numbers with the name or the form of an id. */
function looksLikeID({ path, scalars }: FieldSummary): boolean {
  const isNamed = /(?:^|[^a-z])(?:u?u?id|guid|key|hash|nonce)$|(?:ID|Id|Uuid|UUID)$/.test(
    path.at(-1) ?? "",
  );
  const isFormed = scalars.every((value) => /^(?=.*\d)[\w-]{16,}$/.test(String(value)));
  return isNamed || isFormed;
}

/** Share of the values that may repeat with another event, because ids collide in bad exports. */
const COLLISIONS = 0.01;

function isKey(field: FieldSummary, rows: readonly Row[], heads: readonly FieldSummary[]): boolean {
  if (new Set(field.scalars.map(String)).size === field.scalars.length) return true;
  const known = new Map<string, string>();
  let collisions = 0;
  for (const row of rows) {
    const id = valueAt(row, field.path);
    if (id === undefined || id === null) continue;
    const event = JSON.stringify(heads.map(({ path }) => valueAt(row, path) ?? null));
    const before = known.get(String(id));
    if (before !== undefined && before !== event) collisions++;
    known.set(String(id), event);
  }
  return collisions <= field.filled * COLLISIONS;
}

/** Returns the value of the column with the dotted name, or else the nested one. */
function valueAt(row: Row, path: readonly string[]): RowValue | undefined {
  const member = (value: RowValue | undefined, name: string) =>
    typeof value === "object" && value !== null ? (value as Row)[name] : undefined;
  return row[path.join(".")] ?? path.reduce<RowValue | undefined>(member, row);
}

/** Rank of the columns of a path: the rows' own fields come before them. */
const PATH_RANK = 10_000;

/** Index among the known names; fields at the root come before nested ones. */
function rankOf({ path }: FieldSummary, known: readonly string[]): number | undefined {
  const whole = known.indexOf(plain(path.join("")));
  const last = known.indexOf(plain(path.at(-1) ?? ""));
  const depth = isPathField({ path }) ? PATH_RANK : (path.length - 1) * known.length;
  if (whole >= 0) return depth + whole;
  return last < 0 ? undefined : depth + known.length + last;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function isScalar({ filled, scalars, objects }: FieldSummary): boolean {
  return objects === 0 && scalars.length >= filled * MOST;
}

function isObject({ filled, objects }: FieldSummary): boolean {
  return objects >= filled * 0.9;
}

function isMost({ filled }: FieldSummary, rows: number): boolean {
  return filled >= rows * MOST;
}

function pathOf({ path }: FieldSummary): string | string[] {
  return path.some((step) => step === "" || step.includes(".")) ? [...path] : path.join(".");
}

/** Null removes the preset's own target. */
function targetOrNone(field: FieldSummary | undefined) {
  return field === undefined ? null : targetOf(field);
}

function targetOf(field: FieldSummary) {
  const path = pathOf(field);
  return typeof path === "string" ? path : { field: path };
}

/** The facts of rows for which no mapping was found. */
export interface SkeletonFacts {
  readonly mapping: MappingSkeleton;
  /** The parts of an event that no field has, in words. */
  readonly missing: readonly string[];
  /** Names of fields, in words. */
  readonly columns: string;
}

/** No preset fits, and the fields lack a part of an event. */
export class MappingUnknown extends UsageError {
  constructor(
    readonly reason: string,
    /** Undefined if no part of an event was found. */
    readonly skeleton: SkeletonFacts | undefined,
    advice = `Pass ${option("preset")}, or write a mapping (docs/mapping.md).`,
  ) {
    super("mapping_unknown", `${reason} ${advice}`);
  }
}
