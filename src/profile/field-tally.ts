import { isObject } from "../base/is-object.js";
import type { RowPlace } from "../batch/batch.js";
import type { FieldCounts } from "./field-counts.js";
import { profiledTargets } from "./split-profile.js";

/** Targets that a row can lack. The first ones are those of events; rows without the last two are rejects. */
export const lackedTargets = [...profiledTargets, "event", "timestamp"] as const;
export type LackedTarget = (typeof lackedTargets)[number];

/** How a mapping uses the field at a path. */
type TalliedUse = "whole" | "part" | "none";

/** The parts of the mapping that a tally needs. */
export interface TallyMapping {
  readonly useOf: (path: readonly string[]) => TalliedUse;
  /** True for a path that an id, a name, a time or a value is read from. */
  readonly isCell: (path: readonly string[]) => boolean;
  /** Bits of the mapped targets, in the order of `lackedTargets`. */
  readonly mapped: number;
}

/** A source row, and what the mapping made of it. */
interface TalliedRow {
  readonly members: Readonly<Record<string, unknown>>;
  /** Bits of the targets without a value, in the order of `lackedTargets`; and of those that are known. */
  readonly lacks: number;
  readonly known: number;
  readonly event: string | undefined;
  /** Texts that the targets have. */
  readonly texts: { readonly [Target in LackedTarget]?: string | undefined };
  /** Rows that this one stands for. */
  readonly weight: number;
  /** Returns the position of the row. */
  place(): RowPlace;
}

const FIELDS_MAX = 512;
const NAMES_MAX = 200;
const SHAPES_MAX = 8;
const TEXTS_MAX = 5;
const SEEN_MAX = 6;
const TEXT_CHARACTERS = 40;

/** Counts which fields rows have that lack a target of the mapping. Memory is bounded. */
export class FieldTally {
  readonly #targets: MutableTarget[] = lackedTargets.map(() => ({
    lacking: 0,
    filled: 0,
    isExact: true,
    seen: 0,
    names: new Set(),
    shapes: new Set(),
  }));
  readonly #fields = new Map<string, MutableField>();
  /** Members of rows by their names: undefined if the mapping needs them as they are. */
  readonly #known = new Map<string, KnownField>();

  /** Without a mapping, counts can only be merged. */
  constructor(private readonly mapping: TallyMapping = unmapped) {}

  add(row: TalliedRow): void {
    const { members, event, texts, weight } = row;
    const known = row.known & this.mapping.mapped;
    const missing = row.lacks & known;
    for (const [index, target] of this.#targets.entries()) {
      if (((known >> index) & 1) === 0) continue;
      if ((missing >> index) & 1) {
        target.lacking += weight;
        if (weight > 1) target.isExact = false;
        continue;
      }
      target.filled += weight;
      if (event !== undefined) addUpTo(target.names, event, NAMES_MAX);
      if (target.seen === SEEN_MAX) continue;
      const text = texts[lackedTargets[index]!];
      if (text === undefined) continue;
      target.seen++;
      target.shapes.add(shapeOf(text));
    }
    for (const [name, value] of Object.entries(members)) {
      if (isEmpty(value)) continue;
      const field = this.#knownField(name);
      if (field.isCounted) this.#count(field, value, missing, row);
      if (field.members === undefined || !isObject(value)) continue;
      for (const [inner, one] of Object.entries(value)) {
        if (isEmpty(one)) continue;
        const member = this.#knownMember(field.members, name, inner);
        if (member.isCounted) this.#count(member, one, missing, row);
      }
    }
  }

  /** Returns the counts; undefined if no row lacks a mapped target. */
  counts(): FieldCounts | undefined {
    if (this.#targets.every(({ lacking }) => lacking === 0)) return undefined;
    return {
      targets: this.#targets.map(({ names, shapes, seen: _, ...counts }) => ({
        ...counts,
        names: [...names],
        shapes: [...shapes],
      })),
      fields: [...this.#fields.values()].map(({ shapes, texts, lacking, seen: _, ...field }) => ({
        ...field,
        shapes: [...shapes],
        texts: [...texts],
        lacking: [...lacking.values()].map(({ names, ...one }) => ({ ...one, names: [...names] })),
      })),
    };
  }

  clear(): void {
    for (const target of this.#targets) {
      target.lacking = 0;
      target.filled = 0;
      target.isExact = true;
      target.seen = 0;
      target.names.clear();
      target.shapes.clear();
    }
    this.#fields.clear();
    this.#known.clear();
  }

  /** Adds the counts of other rows, which come after these; `isSample`: of some of more rows. */
  merge({ targets, fields }: FieldCounts, { isSample = false } = {}): void {
    for (const [index, other] of targets.entries()) {
      const target = this.#targets[index]!;
      target.lacking += other.lacking;
      target.filled += other.filled;
      if (!other.isExact || isSample) target.isExact = false;
      for (const name of other.names) addUpTo(target.names, name, NAMES_MAX);
      for (const shape of other.shapes) addUpTo(target.shapes, shape, SHAPES_MAX);
    }
    for (const other of fields) {
      const field = this.#field(other.path, other.isKept);
      if (field === undefined) continue;
      field.rows += other.rows;
      field.objects += other.objects;
      for (const shape of other.shapes) addUpTo(field.shapes, shape, SHAPES_MAX);
      for (const text of other.texts) addUpTo(field.texts, text, TEXTS_MAX);
      for (const { target, rows, names, first } of other.lacking) {
        const lacking = lackingOf(field, target, () => first);
        lacking.rows += rows;
        for (const name of names) addUpTo(lacking.names, name, NAMES_MAX);
      }
    }
  }

  #count(known: KnownField, value: unknown, missing: number, row: TalliedRow): void {
    known.field ??= this.#field(known.path, known.isKept);
    const { field } = known;
    if (field === undefined) return;
    field.rows += row.weight;
    if (isObject(value) || isObjectText(value)) field.objects += row.weight;
    else if (field.seen < SEEN_MAX && (typeof value === "string" || typeof value === "number")) {
      field.seen++;
      field.shapes.add(shapeOf(String(value)));
      field.texts.add(String(value).slice(0, TEXT_CHARACTERS));
    }
    for (let target = 0; missing >> target !== 0; target++) {
      if (((missing >> target) & 1) === 0) continue;
      const lacking = lackingOf(field, target, row.place);
      lacking.rows += row.weight;
      if (row.event !== undefined) addUpTo(lacking.names, row.event, NAMES_MAX);
    }
  }

  #field(path: readonly string[], isKept: boolean): MutableField | undefined {
    const key = path.join("\0");
    const known = this.#fields.get(key);
    if (known !== undefined || this.#fields.size === FIELDS_MAX) return known;
    const [shapes, texts, lacking] = [new Set<string>(), new Set<string>(), new Map()];
    const field = { path, isKept, rows: 0, objects: 0, seen: 0, shapes, texts, lacking };
    this.#fields.set(key, field);
    return field;
  }

  #knownField(name: string): KnownField {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const path = [name];
    const use = this.mapping.useOf(path);
    const isCell = this.mapping.isCell(path);
    const field = {
      path,
      isKept: use === "whole",
      isCounted: use !== "part" && !isCell,
      members: isCell ? undefined : new Map<string, KnownField>(),
    };
    if (this.#known.size < FIELDS_MAX * 2) this.#known.set(name, field);
    return field;
  }

  #knownMember(members: Map<string, KnownField>, name: string, inner: string): KnownField {
    const known = members.get(inner);
    if (known !== undefined) return known;
    const path = [name, inner];
    const use = this.mapping.useOf(path);
    const isCounted = use !== "part" && !this.mapping.isCell(path);
    const field = { path, isKept: use === "whole", isCounted, members: undefined };
    if (members.size < FIELDS_MAX) members.set(inner, field);
    return field;
  }
}

const unmapped: TallyMapping = { useOf: () => "none", isCell: () => false, mapped: 0 };

interface MutableTarget {
  lacking: number;
  filled: number;
  isExact: boolean;
  /** Texts whose shapes were noted. */
  seen: number;
  readonly names: Set<string>;
  readonly shapes: Set<string>;
}

interface MutableField {
  readonly path: readonly string[];
  readonly isKept: boolean;
  rows: number;
  objects: number;
  /** Values whose shapes and texts were noted. */
  seen: number;
  readonly shapes: Set<string>;
  readonly texts: Set<string>;
  readonly lacking: Map<number, MutableLacking>;
}

interface MutableLacking {
  readonly target: number;
  rows: number;
  readonly names: Set<string>;
  readonly first: RowPlace;
}

interface KnownField {
  readonly path: readonly string[];
  readonly isKept: boolean;
  readonly isCounted: boolean;
  /** Its counts, once there are some. */
  field?: MutableField | undefined;
  /** Members of the field that were seen; undefined if they are not looked at. */
  readonly members: Map<string, KnownField> | undefined;
}

function lackingOf(field: MutableField, target: number, place: () => RowPlace): MutableLacking {
  const known = field.lacking.get(target);
  if (known !== undefined) return known;
  const lacking = { target, rows: 0, names: new Set<string>(), first: place() };
  field.lacking.set(target, lacking);
  return lacking;
}

function addUpTo(set: Set<string>, text: string, max: number): void {
  if (set.size < max) set.add(text);
}

function isObjectText(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const text = value.trim();
  return text.startsWith("{") && text.endsWith("}");
}

/** Values that a target does not have either: an empty text, object or list counts as none. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === "{}" || value === undefined) return true;
  if (typeof value !== "object") return false;
  for (const _ in value) return false;
  return true;
}

const uuidPattern = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Returns the shape of a text: `user-17` and `user-204` have the same. */
function shapeOf(text: string): string {
  if (uuidPattern.test(text)) return "uuid";
  return text
    .slice(0, TEXT_CHARACTERS)
    .replaceAll(/\p{L}+/gu, "a")
    .replaceAll(/\d+/g, "9");
}
