import { SwitchyardError } from "../base/errors.js";
import { formatCount } from "../base/format-count.js";
import { RENAMES_TOTAL_MAX } from "../base/limits.js";
import { repairKey, repairName } from "./rename.js";
import type { SplitRenames } from "./split-renames.js";
import type { EventRules } from "./target.js";
import type { Repair } from "./target-rules.js";

/** Changes when a reader of older files would misunderstand a newer one. */
const RENAMES_VERSION = 1;

/** A name, key or property that the target does not take as it is, with what takes its place. */
export interface Rename<Old> {
  readonly old: Old;
  readonly new: string;
  /** Events that have it, before duplicates are removed. */
  readonly events: number;
}

/** The names that a target does not take as they are; of each kind sorted by events, then by name. */
export interface Renames {
  readonly version: number;
  /** Name of the target. */
  readonly target: string;
  readonly names: readonly Rename<string>[];
  /** Keys of metadata, as paths of names: `["page", "path"]`. */
  readonly metadata: readonly Rename<readonly string[]>[];
  /** Properties of users that fill a field of the target. */
  readonly users: readonly Rename<string>[];
}

/** Adds up the names of splits. New names follow from the old ones, so splits agree about them. */
export class RenameFold {
  readonly #names = new Map<string, number>();
  readonly #keys = new Map<string, number>();
  readonly #users = new Map<string, number>();
  readonly #cut = new Set<Repair>();

  /** `needed`: parts of the target of which all names are needed. */
  constructor(private readonly needed: readonly Repair[]) {}

  /** The parts of the target that have more names than are listed. */
  get cut(): ReadonlySet<Repair> {
    return this.#cut;
  }

  /** Throws `names_too_many` if more than `RENAMES_TOTAL_MAX` of a part are needed. */
  add({ names, keys, users, cut = [] }: SplitRenames): void {
    for (const [name, rows] of names) this.#addTo(this.#names, "names", name, rows);
    for (const [path, rows] of keys)
      this.#addTo(this.#keys, "metadata", JSON.stringify(path), rows);
    for (const [property, rows] of users)
      this.#users.set(property, (this.#users.get(property) ?? 0) + rows);
    for (const part of cut) this.#cut.add(part);
  }

  #addTo(counts: Map<string, number>, part: Repair, key: string, rows: number): void {
    const known = counts.get(key);
    const hasRoom = known !== undefined || counts.size < RENAMES_TOTAL_MAX;
    if (hasRoom) counts.set(key, (known ?? 0) + rows);
    else if (this.needed.includes(part)) throw tooMany(part);
    else this.#cut.add(part);
  }

  /** Leaves out what stays as it is. */
  result({ name, names, users }: EventRules): Renames {
    const fields = Object.entries(users?.fields ?? {});
    const fieldOf = (property: string) =>
      fields.find(([, properties]) => properties.includes(property))?.[0] ?? property;
    const changed = <Old>(all: Map<string, number>, rename: (old: string) => [Old, string]) =>
      [...all]
        .map(([text, events]) => {
          const [old, now] = rename(text);
          return { old, new: now, events };
        })
        .filter((one) => JSON.stringify([one.old].flat()) !== JSON.stringify([one.new]))
        .sort((one, other) => other.events - one.events || (one.new < other.new ? -1 : 1));
    return {
      version: RENAMES_VERSION,
      target: name,
      names: changed(this.#names, (old) => [old, names ? repairName(old, names) : old]),
      metadata: changed(this.#keys, (text) => {
        const path = JSON.parse(text) as readonly string[];
        return [path, repairKey(path)];
      }),
      users: changed(this.#users, (property) => [property, fieldOf(property)]),
    };
  }
}

function tooMany(part: Repair): SwitchyardError {
  const kind = part === "names" ? "event names" : "keys of metadata";
  return new SwitchyardError(
    "names_too_many",
    `More than ${formatCount(RENAMES_TOTAL_MAX)} ${kind} are not valid at the target: they hold ids or times. Use a transform that moves these into a property.`,
  );
}
