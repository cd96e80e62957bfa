import type { RowPlace } from "../batch/batch.js";
import type { FieldCount, FieldCounts } from "./field-counts.js";
import { type LackedTarget, lackedTargets } from "./field-tally.js";

/** A field that the mapping does not use, with values where a target of the mapping has none. */
export interface RenamedField {
  readonly target: LackedTarget;
  readonly path: readonly string[];
  /** Rows that have the field and lack the target. */
  readonly rows: number;
  /** Rows that lack the target. */
  readonly lacking: number;
  /** False if the rows were counted in a sample. */
  readonly isExact: boolean;
  /** True if name or values are those of the target. */
  readonly isSure: boolean;
  /** The first of the rows. */
  readonly first: RowPlace;
}

/** Most rows with the field and the target, as a share of those without the target. */
const BESIDE_SHARE = 0.02;

/** Least rows with both that chance would give. */
const CHANCE_ROWS = 3;

/** Least share of the rows without the target, for a field whose name says nothing. */
const LACKING_SHARE = 0.9;

/** Least share of values that are objects, for a target that is one. */
const OBJECT_SHARE = 0.9;

/** Words in the names of fields that fit each target. */
const words: Readonly<Record<LackedTarget, RegExp>> = {
  userID: /user|uid|member|customer|account|person|profile|subscriber|login|distinct|e-?mail/i,
  stableID: /device|anon|visitor|client|cookie|install|browser|distinct|stable/i,
  value: /value|amount|revenue|price|total|quantity/i,
  user: /user|trait|profile|person|attr/i,
  metadata: /prop|param|attr|data|meta|payload|context|detail|fields/i,
  insertID: /insert|message|dedup|uuid|event_?id|^id$/i,
  event: /event|action|name|type|activity/i,
  timestamp: /time|date|_at$|At$|^ts$|when|created|occurred/,
};

const objectTargets: ReadonlySet<LackedTarget> = new Set(["user", "metadata"]);

interface RenameCandidate {
  readonly renamed: RenamedField;
  readonly score: number;
}

/**
 * Finds fields that were probably renamed within an export: the mapping does not use them, and they have
 * values only where a target has none. `namesOf` returns the last names of the fields of a target. At most
 * one field for each target, and one target for each field.
 */
export function findRenamedFields(
  counts: FieldCounts,
  namesOf: (target: LackedTarget) => readonly string[],
): readonly RenamedField[] {
  const candidates = counts.fields.flatMap((field) =>
    field.lacking.flatMap(({ target: index, rows, first }) => {
      const target = lackedTargets[index];
      if (target === undefined) return [];
      const likeness = likenessOf(field.path, namesOf(target), target);
      if (!isRenamed(counts, field, index, likeness)) return [];
      const { lacking, shapes, isExact } = counts.targets[index]!;
      const fits =
        objectTargets.has(target) || target === "timestamp" || overlaps(field.shapes, shapes);
      const isSure = likeness >= 0.5 || (fits && !field.isKept && likeness > 0);
      const { path } = field;
      const renamed = { target, path, rows, lacking, isExact, isSure, first };
      return { renamed, score: likeness + rows / lacking + (fits ? 0.5 : 0) - path.length / 100 };
    }),
  );
  return choose(candidates);
}

function choose(candidates: readonly RenameCandidate[]): readonly RenamedField[] {
  const [targets, paths] = [new Set<string>(), new Set<string>()];
  return candidates
    .toSorted((one, other) => other.score - one.score)
    .map(({ renamed }) => renamed)
    .filter(({ target, path }) => {
      const key = path.join("\0");
      if (targets.has(target) || paths.has(key)) return false;
      targets.add(target);
      paths.add(key);
      return true;
    });
}

function isRenamed(
  { targets }: FieldCounts,
  field: FieldCount,
  index: number,
  likeness: number,
): boolean {
  const target = lackedTargets[index]!;
  const { lacking, filled, names, shapes } = targets[index]!;
  const one = field.lacking.find((count) => count.target === index)!;
  const { rows } = one;
  const beside = field.rows - rows;
  if (filled === 0 || beside > rows * BESIDE_SHARE) return false;
  if ((rows * filled) / lacking < CHANCE_ROWS) return false;
  const isObject = field.objects >= field.rows * OBJECT_SHARE;
  if (objectTargets.has(target) ? !isObject : field.objects > 0) return false;
  // A kept field is not lost; only a name like that of the target makes it one.
  if (field.isKept && (objectTargets.has(target) || likeness < 0.5)) return false;
  // The rows of an event that never has the target are of another kind.
  const isOfKind = one.names.filter((name) => names.includes(name)).length * 2 >= one.names.length;
  if (target !== "event" && !isOfKind) return false;
  if (likeness >= 0.5) return true;
  if (rows < lacking * LACKING_SHARE) return likeness > 0 && overlaps(field.shapes, shapes);
  if (objectTargets.has(target)) return true;
  const isId = target === "userID" || target === "stableID";
  const isVaried = field.texts.length >= Math.min(5, rows);
  return likeness > 0 || (isId && isVaried && overlaps(field.shapes, shapes));
}

function overlaps(ones: readonly string[], others: readonly string[]): boolean {
  return ones.filter((shape) => others.includes(shape)).length * 2 >= ones.length;
}

/** From 1 for the same name in another spelling to 0 for a name that does not fit the target. */
function likenessOf(
  path: readonly string[],
  names: readonly string[],
  target: LackedTarget,
): number {
  const name = plainName(path.at(-1) ?? "");
  const known = names.map(plainName);
  if (known.includes(name)) return 1;
  const isPart = known.some(
    (one) => Math.min(one.length, name.length) >= 4 && (one.includes(name) || name.includes(one)),
  );
  if (isPart) return 0.8;
  if (known.some((one) => one.length >= 5 && isOneEditAway(one, name))) return 0.7;
  return words[target].test(path.at(-1) ?? "") ? 0.4 : 0;
}

function plainName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Returns true if one letter more, less or different makes one text the other. */
function isOneEditAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [rest, otherRest] = [one.slice(start), other.slice(start)];
  if (rest.length === otherRest.length) return rest.slice(1) === otherRest.slice(1);
  return rest.length > otherRest.length ? rest.slice(1) === otherRest : rest === otherRest.slice(1);
}
