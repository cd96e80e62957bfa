import { entityKindRows, type GivenFile } from "./entity-kinds.js";

/** Conditions that name entities, by the directory of these. */
const conditionKinds: Readonly<Record<string, string>> = {
  passes_gate: "gates",
  fails_gate: "gates",
  passes_segment: "segments",
  fails_segment: "segments",
};

/** Members that have ids of entities. */
const memberKinds: Readonly<Record<string, string>> = {
  holdoutIDs: "holdouts",
  targetingGateID: "gates",
  layerID: "layers",
  gateIDs: "gates",
  layerIDs: "layers",
  experimentIDs: "experiments",
};

/**
 * Sorts files by kind, and so that an entity comes after those that it names. Of a circle, any is first.
 */
export function creationOrder(files: readonly GivenFile[]): readonly GivenFile[] {
  const byKey = new Map(files.map((file) => [`${file.row.directory}/${idOf(file)}`, file]));
  const sorted = new Set<GivenFile>();
  const seen = new Set<GivenFile>();
  // A list of its own instead of recursion: chains of gates can be long.
  const rank = ({ row }: GivenFile) => entityKindRows.indexOf(row);
  const waiting = [...files].sort((one, other) => rank(one) - rank(other)).reverse();
  for (let file = waiting.at(-1); file !== undefined; file = waiting.at(-1)) {
    if (seen.has(file)) {
      sorted.add(file);
      waiting.pop();
      continue;
    }
    seen.add(file);
    const named = [...namesIn(file.content)].flatMap((key) => byKey.get(key) ?? []);
    waiting.push(...named.filter((one) => !seen.has(one)).reverse());
  }
  return [...sorted];
}

function idOf({ content, row }: GivenFile): string {
  const settings = content as Readonly<Record<string, unknown>> | null | undefined;
  return String(settings?.[row.id ?? "id"]);
}

/** Finds the keys of the entities that a file names. */
function* namesIn(value: unknown): Generator<string, void> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* namesIn(item);
    return;
  }
  const settings = value as Readonly<Record<string, unknown>>;
  const kind = conditionKinds[String(settings["type"])];
  if (kind !== undefined) yield* keysOf(kind, settings["targetValue"]);
  if (settings["type"] === "gate" || settings["type"] === "segment") {
    yield* keysOf(`${settings["type"]}s`, settings["id"]);
  }
  for (const [name, member] of Object.entries(settings)) {
    const named = memberKinds[name];
    if (named === undefined) yield* namesIn(member);
    else yield* keysOf(named, member);
  }
}

function* keysOf(kind: string, ids: unknown): Generator<string, void> {
  for (const id of [ids].flat()) if (typeof id === "string") yield `${kind}/${id}`;
}
