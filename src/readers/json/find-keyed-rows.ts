import type { HeadExtent } from "../../sources/source-head.js";
import { countOf, decode, KEYED_ROWS_MIN, skipBlank, stringEnd } from "./find-wrapper.js";

const QUOTE = 0x22;
const COLON = 0x3a;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** Levels of members that are outlined: of the wrapper, of the object around the rows, of a row. */
const LEVELS = 3;

/** A member of an object. */
interface KeyedMember {
  readonly name: string;
  /** Offset of the first byte in its value, if that is an object. */
  readonly start: number | undefined;
  /** Members of its value, as far as it is known and not too deep. */
  readonly members: KeyedMember[];
}

/**
 * Finds the object whose members are the rows, by their keys: `{"k1": {…}, "k2": {…}}`, also as a member
 * of an object. Returns the offset of its first byte after its brace, "none", or "undecided" (only for a
 * `part`).
 *
 * A row may hold objects, too. So the members of an object are rows only if all of them are objects with
 * like members, and more of the fields that are mapped (`rowFields`) are in the first of them than in the
 * objects around it. Without any such field, three members are rows if their names are much the same.
 */
export function findKeyedRows(
  text: Uint8Array,
  extent: HeadExtent,
  rowFields: ReadonlySet<string>,
): number | "none" | "undecided" {
  const { members, end } = outlineOf(text);
  if (end === undefined && extent === "part") return "undecided";
  const [next] = text.subarray(skipBlank(text, end ?? text.length));
  // Objects that follow each other are rows themselves, unless fields show that their members are.
  if (next !== undefined && next !== OPENING_BRACE) return "none";
  const isCut = end === undefined;
  if (isKeyed(members, [], rowFields, isCut, next === undefined)) return 1;
  const inner = members.filter((one) => isKeyed(one.members, members, rowFields, isCut, false));
  return next === undefined && inner.length === 1 ? (inner[0]?.start ?? "none") : "none";
}

/**
 * Returns true unless the first member of the object at the start is an object too. If another value
 * follows the object, its members are then not rows.
 */
export function hasPlainMember(text: Uint8Array): boolean {
  const name = skipBlank(text, 1);
  if (text[name] !== QUOTE) return true;
  const colon = skipBlank(text, stringEnd(text, name) + 1);
  return text[skipBlank(text, colon + 1)] !== OPENING_BRACE;
}

function isKeyed(
  rows: readonly KeyedMember[],
  around: readonly KeyedMember[],
  rowFields: ReadonlySet<string>,
  isCut: boolean,
  mayBeUnknown: boolean,
): boolean {
  const [first] = rows;
  if (first === undefined || rows.some(({ start }) => start === undefined)) return false;
  const outside = countOf(namesOf([...rows, ...around]), rowFields);
  const inside = Math.max(...rows.map(({ members }) => countOf(namesOf(members), rowFields)));
  // The head ends in the first row.
  if (rows.length === 1) return isCut && outside === 0 && inside > 0;
  if (!areAlike(rows)) return false;
  return inside > outside || (mayBeUnknown && outside === 0 && rows.length >= KEYED_ROWS_MIN);
}

/** Returns whether at least half of the members of each row are in at least half of the rows. */
function areAlike(rows: readonly KeyedMember[]): boolean {
  const counts = new Map<string, number>();
  for (const name of rows.flatMap(({ members }) => [...new Set(namesOf(members))])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const isUsual = (name: string) => (counts.get(name) ?? 0) * 2 >= rows.length;
  return rows.every(({ members }) => {
    const names = namesOf(members);
    return names.filter(isUsual).length * 2 >= names.length;
  });
}

function namesOf(members: readonly KeyedMember[]): readonly string[] {
  return members.map(({ name }) => name);
}

/** Outlines the first object; `end`: the offset after it, if it ends. */
function outlineOf(text: Uint8Array): { members: readonly KeyedMember[]; end: number | undefined } {
  const root: KeyedMember = { name: "", start: 1, members: [] };
  /** The objects that are open; undefined for an array, and for what is too deep. */
  const open: (KeyedMember | undefined)[] = [];
  let named: KeyedMember | undefined;
  for (let p = 0; p < text.length; p++) {
    const byte = text[p]!;
    if (byte === QUOTE) {
      const start = p;
      p = stringEnd(text, p);
      const colon = skipBlank(text, p + 1);
      const parent = open.at(-1);
      if (parent === undefined || text[colon] !== COLON) continue;
      const value = skipBlank(text, colon + 1);
      if (value >= text.length) break;
      const isObject = text[value] === OPENING_BRACE;
      named = {
        name: decode(text, start + 1, p),
        start: isObject ? value + 1 : undefined,
        members: [],
      };
      parent.members.push(named);
      p = colon;
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      const isOutlined =
        byte === OPENING_BRACE && open.length < LEVELS && !open.includes(undefined);
      open.push(isOutlined ? (open.length === 0 ? root : named) : undefined);
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      open.pop();
      if (open.length === 0) return { members: root.members, end: p + 1 };
    }
  }
  return { members: root.members, end: undefined };
}
