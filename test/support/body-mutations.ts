import { isNumberText } from "./generated-body.js";
import { type Form, formsOf, type JsonSchema, type JsonType } from "./json-schema.js";

/** A valid body with one fault. */
export interface Mutation {
  /** The change that made the fault. */
  readonly title: string;
  /** The position of the fault. */
  readonly property: string;
  readonly body: unknown;
}

type Path = readonly (string | number)[];

/** Returns every fault that can be made at one position of a valid body. */
export function mutationsOf(schema: JsonSchema, body: unknown): readonly Mutation[] {
  return mutationsAt(schema, body, []).map(({ title, path, replacement }) => ({
    title,
    property: propertyOf(path),
    body: replaced(body, path, replacement),
  }));
}

/** `["rules", 0, "name"]` → `rules[0].name`. */
function propertyOf(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

interface Change {
  readonly title: string;
  readonly path: Path;
  /** undefined removes it. */
  readonly replacement: unknown;
}

function mutationsAt(schema: JsonSchema, value: unknown, path: Path): Change[] {
  const forms = formsOf(schema);
  if (forms.length === 0) return [];
  return [
    ...wrongTypes(forms, path),
    ...forms.flatMap((form) => [...wrongTexts(form), ...wrongNumbers(form)]),
  ]
    .map(({ title, replacement }) => ({ title, path, replacement }))
    .concat(insideOf(forms, value, path));
}

/** A fault inside one of several forms is reported for the whole, as the intended form is unknown. */
function insideOf(forms: readonly Form[], value: unknown, path: Path): Change[] {
  const form = forms.find(({ type }) => type !== "null");
  if (form === undefined || isSeveral(forms)) return [];
  if (Array.isArray(value)) return insideOfList(form, value, path);
  if (typeof value === "object" && value !== null) {
    return insideOfObject(form, value as Readonly<Record<string, unknown>>, path);
  }
  return [];
}

/** True if there are several forms beside null. */
function isSeveral(forms: readonly Form[]): boolean {
  return forms.filter(({ type }) => type !== "null").length > 1;
}

function insideOfList({ items = {}, maxItems }: Form, list: readonly unknown[], path: Path) {
  const [first] = list;
  if (first === undefined) return [];
  const changes = mutationsAt(items, first, [...path, 0]);
  if (maxItems === undefined) return changes;
  const replacement = Array.from({ length: maxItems + 1 }, () => first);
  return [...changes, { title: "one item too many", path, replacement }];
}

function insideOfObject(
  { properties = {}, required = [] }: Form,
  value: Readonly<Record<string, unknown>>,
  path: Path,
): Change[] {
  return Object.entries(properties)
    .filter(([name]) => name in value)
    .flatMap(([name, schema]) => {
      const at = [...path, name];
      const changes = mutationsAt(schema, value[name], at);
      // A null is as good as an absent field.
      if (!required.includes(name)) return changes.filter((change) => !isNullAt(change, at));
      return [...changes, { title: "missing", path: at, replacement: undefined }];
    });
}

function isNullAt({ path, replacement }: Change, at: Path): boolean {
  return replacement === null && path.length === at.length;
}

type Wrong = Omit<Change, "path">;

const samples: readonly (readonly [JsonType, unknown])[] = [
  ["null", null],
  ["boolean", true],
  ["number", 12.5],
  ["string", "no such text"],
  ["array", [[]]],
  ["object", {}],
];

/** Returns null and one value of another type, which rotates so that each type is tried in many positions. */
function wrongTypes(forms: readonly Form[], path: Path): Wrong[] {
  const plain = forms.filter((form) => !isNumberText(form));
  const wrongSamples = samples.filter(([type]) => !plain.some((form) => form.type === type));
  const others = wrongSamples.filter(([type]) => type !== "null");
  const other = others[path.join().length % others.length];
  const wrongs = wrongSamples
    .filter((sample) => sample[0] === "null" || sample === other)
    .map(([type, replacement]) => ({ title: `${type} instead`, replacement }));
  if (!isSeveral(plain) || !plain.some(({ type }) => type === "array")) return wrongs;
  return [...wrongs, { title: "list of the wrong items", replacement: [[]] }];
}

function wrongTexts(form: Form): Wrong[] {
  const { type, enum: known, pattern, minLength = 0, maxLength } = form;
  if (type !== "string" || isNumberText(form)) return [];
  if (known !== undefined) return [{ title: "unknown value", replacement: "no such value" }];
  const wrongs: Wrong[] = [];
  if (minLength > 0) wrongs.push({ title: "too short", replacement: "a".repeat(minLength - 1) });
  if (maxLength !== undefined) {
    wrongs.push({ title: "too long", replacement: "a".repeat(maxLength + 1) });
  }
  if (pattern !== undefined) {
    const allowed = new RegExp(pattern, "u");
    const replacement = ["abc/", "abc\u0000"].find((text) => !allowed.test(text));
    if (replacement === undefined) throw new Error(`nothing known breaks ${pattern}`);
    wrongs.push({ title: "a character that is not allowed", replacement });
  }
  return wrongs;
}

function wrongNumbers(form: Form): Wrong[] {
  const isText = isNumberText(form);
  if (form.type !== "number" && form.type !== "integer" && !isText) return [];
  const wrongs: Wrong[] = [];
  const add = (title: string, value: number | undefined) => {
    if (value === undefined) return;
    const words = isText ? `${title}, as text` : title;
    wrongs.push({ title: words, replacement: isText ? String(value) : value });
  };
  const { minimum, maximum, enum: known } = form;
  if (known !== undefined) {
    add("unknown value", Math.max(...known.map(Number)) + 1);
    return wrongs;
  }
  if (isBound(minimum)) add("too small", minimum - 1);
  if (isBound(maximum)) add("too large", maximum + 1);
  add("at the lower bound, which is excluded", form.exclusiveMinimum);
  add("at the upper bound, which is excluded", form.exclusiveMaximum);
  if (form.type === "integer" || form.multipleOf === 1) add("not whole", (minimum ?? 10) + 0.5);
  return wrongs;
}

/** True for the largest exact integer, which the schema states although it is not our bound. */
function isBound(bound: number | undefined): bound is number {
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
}

function replaced(value: unknown, path: Path, replacement: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === head ? replaced(item, rest, replacement) : item));
  }
  const entries = Object.entries(value as object).flatMap(([name, member]) => {
    if (name !== head) return [[name, member]];
    const next = replaced(member, rest, replacement);
    return rest.length === 0 && replacement === undefined ? [] : [[name, next]];
  });
  return Object.fromEntries(entries);
}
