import type { RowMember, TextToken } from "./text-tokens.js";

type Path = readonly string[];

/** A field with the values that count as null. */
interface Choice {
  readonly path: Path;
  readonly unlessPrefix?: string;
  readonly unless?: readonly string[];
  readonly unlessSameAs?: Path;
}

type ObjectSource =
  | { readonly kind: "choices"; readonly choices: readonly Choice[] }
  | {
      readonly kind: "fields";
      readonly fields: readonly { readonly path: Path; readonly name: string }[];
    }
  | { readonly kind: "rest"; readonly path: Path }
  | {
      readonly kind: "pairs";
      readonly lists: readonly Choice[];
      readonly keys: readonly Choice[];
      readonly values: readonly Choice[];
    }
  | { readonly kind: "merged"; readonly parts: readonly ObjectSource[] };

/** The resolved mapping, as `Report.configuration` has it. */
export interface ReportedMapping {
  readonly event: readonly Choice[];
  readonly timestamp: readonly Choice[];
  readonly userID: readonly Choice[];
  readonly stableID: readonly Choice[];
  readonly value: readonly Choice[];
  readonly insertID: readonly Choice[];
  readonly metadata: ObjectSource;
  readonly user: ObjectSource;
  readonly filter: Choice | null;
}

/** A value of the source and the value of the event that the mapping makes of it. */
export interface Trace {
  readonly from: TextToken;
  readonly to: TextToken;
  /** Target of the mapping: `userID`, `metadata`, … */
  readonly field: string;
  /** True if the texts differ, as for times. */
  readonly isConverted: boolean;
}

interface MappingTraces {
  readonly traces: readonly Trace[];
  /** The value that the filter reads. */
  readonly consulted: TextToken | undefined;
}

/** Targets that have one value. */
const idTargets = ["userID", "stableID"] as const;
const valueTargets = ["event", "timestamp", "value", "insertID"] as const;

/**
 * Finds the source value of each value of an event by the mapping. A value that the mapping does not
 * explain, such as one that a transform has added, has no trace.
 */
export function traceMapping(
  source: readonly RowMember[],
  event: readonly RowMember[],
  mapping: ReportedMapping,
): MappingTraces {
  const row = new SourceValues(source);
  const traces: Trace[] = [];
  for (const to of event.flatMap(({ tokens }) => tokens)) {
    if (to.kind !== "value" && to.kind !== "null") continue;
    const field = targetOf(to.path);
    const from = field && sourceOf(row, mapping, field, to.path);
    if (!field || !from) continue;
    traces.push({ from, to, field, isConverted: from.value !== to.value });
  }
  return { traces, consulted: mapping.filter ? row.at(mapping.filter.path) : undefined };
}

/** Returns the target of a path in an event. Ids are members of `user`, before its own properties. */
function targetOf([first, second, ...deeper]: Path): keyof ReportedMapping | undefined {
  const id = idTargets.find((name) => name === (first === "user" ? second : first));
  if (id !== undefined && deeper.length === 0) return id;
  return (["metadata", "user", ...valueTargets] as const).find((name) => name === first);
}

function sourceOf(
  row: SourceValues,
  mapping: ReportedMapping,
  field: keyof ReportedMapping,
  path: Path,
): TextToken | undefined {
  if (field === "filter") return undefined;
  const target = mapping[field];
  return "kind" in target ? memberSource(row, target, path.slice(1)) : row.first(target);
}

/** Finds the source of a member of `metadata` or `user`; `rest` is its path in that object. */
function memberSource(row: SourceValues, source: ObjectSource, rest: Path): TextToken | undefined {
  const [name, ...deeper] = rest;
  switch (source.kind) {
    case "choices": {
      const chosen = source.choices.find(({ path }) => row.has(path));
      return chosen && row.at(chosen.path, rest);
    }
    case "fields": {
      const field = source.fields.find((one) => one.name === name);
      return field && row.at(field.path, deeper);
    }
    case "rest":
      return row.at(source.path, rest);
    case "pairs": {
      const list = source.lists.find(({ path }) => row.has(path))?.path;
      const element = list && row.lastElement(list, source.keys, name);
      const value = element && source.values.find(({ path }) => row.has([...element, ...path]));
      return element && value && row.at([...element, ...value.path], deeper);
    }
    case "merged":
      for (const part of source.parts) {
        const found = memberSource(row, part, rest);
        if (found !== undefined) return found;
      }
      return undefined;
  }
}

/** Values of a row by their paths. */
class SourceValues {
  readonly #values = new Map<string, TextToken>();
  /** Paths of all values and of the objects that contain them. */
  readonly #present = new Set<string>();

  constructor(members: readonly RowMember[]) {
    for (const token of members.flatMap(({ tokens }) => tokens)) {
      const { kind, text, path } = token;
      if (kind === "value" || kind === "null") this.#values.set(keyOf(path), token);
      const isValue = kind === "value" || (kind === "mark" && /[{[]/.test(text));
      if (isValue) this.#present.add(keyOf(path));
    }
  }

  /** Returns whether a field is not null. */
  has(path: Path): boolean {
    return [dotted(path), path].some((one) => this.#present.has(keyOf(one)));
  }

  /** Finds a value. A column named as the path joined by dots comes first. */
  at(path: Path, rest: Path = []): TextToken | undefined {
    const found = [dotted(path), path].map((one) => this.#values.get(keyOf([...one, ...rest])));
    return found.find((token) => token !== undefined);
  }

  /** Finds the value of the first field that counts. */
  first(choices: readonly Choice[]): TextToken | undefined {
    for (const choice of choices) {
      const token = this.has(choice.path) ? this.at(choice.path) : undefined;
      if (token !== undefined && !this.#isExcepted(token.value, choice)) return token;
    }
    return undefined;
  }

  /** Finds the path of the last list element with this name as its key. */
  lastElement(list: Path, keys: readonly Choice[], name = ""): Path | undefined {
    let last: Path | undefined;
    for (let index = 0; this.has([...list, String(index)]); index++) {
      const element = [...list, String(index)];
      const inElement = keys.map((key) => ({ ...key, path: [...element, ...key.path] }));
      if (this.first(inElement)?.value === name) last = element;
    }
    return last;
  }

  #isExcepted(value: string, { unless, unlessPrefix, unlessSameAs }: Choice): boolean {
    const isListed = value === "" || unless?.includes(value) === true;
    const isPrefixed = unlessPrefix !== undefined && value.startsWith(unlessPrefix);
    return isListed || isPrefixed || (!!unlessSameAs && this.at(unlessSameAs)?.value === value);
  }
}

function dotted(path: Path): Path {
  return [path.join(".")];
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}
