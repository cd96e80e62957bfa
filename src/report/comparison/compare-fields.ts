import { formatCount } from "../../base/format-count.js";
import type { Comparison } from "../../profile/report.js";
import { type Comparable, isFillChanged, listed, quotedNames } from "./differences.js";

type Properties = NonNullable<Comparable["userProperties"]>;
type Fields = Comparison["fields"];
type Field = Fields["came"]["items"][number];
type ChangedField = Fields["changed"]["items"][number];

/** Event names that a field lists. */
const NAMES_MAX = 5;

/** Lists the keys of `user`, and those of `metadata` of names in both reports, that differ. */
export function compareFields(
  before: Comparable,
  after: Comparable,
): { readonly differences: Fields; readonly unknown: readonly string[] } {
  const fold = new FieldFold(before.isWhole, after.isWhole);
  if (before.userProperties !== undefined && after.userProperties !== undefined)
    fold.add(before.userProperties, after.userProperties);
  const old = new Map((before.events ?? []).map((one) => [one.event, one.properties]));
  const unread: string[] = [];
  for (const { event, properties } of after.events ?? []) {
    const earlier = old.get(event);
    if (earlier === undefined) continue;
    if (earlier === null || properties === null) unread.push(event);
    else fold.add(earlier, properties, event);
  }
  const unreadNames =
    unread.length === 0
      ? []
      : [`Fields of ${quotedNames(unread)} are not compared: a report has too many names.`];
  return { differences: fold.differences(), unknown: [...fold.unknown(), ...unreadNames] };
}

class FieldFold {
  readonly #came = new Map<string, Found>();
  readonly #went = new Map<string, Found>();
  readonly #changed: (ChangedField & { readonly rows: number })[] = [];
  /** Keys that only one report lists, although the other one may have them. */
  #uncertain = 0;

  constructor(
    private readonly isBeforeWhole: boolean,
    private readonly isAfterWhole: boolean,
  ) {}

  /** Compares the keys of one event name, or of users. */
  add(before: Properties, after: Properties, event?: string): void {
    const old = new Map(before.keys.map((one) => [one.key, one]));
    for (const { key, rows, fill } of after.keys) {
      const earlier = old.get(key);
      old.delete(key);
      if (earlier === undefined) {
        this.#take(
          this.#came,
          this.isBeforeWhole && before.otherKeys.values === 0,
          key,
          rows,
          event,
        );
        continue;
      }
      const fills = [
        { rows: before.rows, fill: earlier.fill },
        { rows: after.rows, fill },
      ] as const;
      if (!isFillChanged(...fills)) continue;
      const of = event === undefined ? { of: "user" as const } : { of: "metadata" as const, event };
      this.#changed.push({ ...of, key, before: earlier.fill, after: fill, rows: after.rows });
    }
    const isCertain = this.isAfterWhole && after.otherKeys.values === 0;
    for (const { key, rows } of old.values()) this.#take(this.#went, isCertain, key, rows, event);
  }

  differences(): Fields {
    const moved = (one: ChangedField & { readonly rows: number }) =>
      Math.abs(one.after - one.before) * one.rows;
    const changed = this.#changed
      .sort((one, other) => moved(other) - moved(one))
      .map(({ rows: _, ...field }) => field);
    return {
      came: listed(fieldsOf(this.#came)),
      went: listed(fieldsOf(this.#went)),
      changed: listed(changed),
    };
  }

  unknown(): readonly string[] {
    if (this.#uncertain === 0) return [];
    const fields =
      this.#uncertain === 1 ? "1 field is" : `${formatCount(this.#uncertain)} fields are`;
    return [
      `${fields} in only one of the reports, but the other one does not list all fields of its inputs.`,
    ];
  }

  #take(
    fields: Map<string, Found>,
    isCertain: boolean,
    key: string,
    rows: number,
    event: string | undefined,
  ): void {
    if (!isCertain) {
      this.#uncertain++;
      return;
    }
    const of = event === undefined ? "user" : "metadata";
    const name = `${of} ${key}`;
    const known = fields.get(name) ?? { of, key, rows: 0, events: [] };
    known.rows += rows;
    if (event !== undefined) known.events.push(event);
    fields.set(name, known);
  }
}

interface Found {
  readonly of: Field["of"];
  readonly key: string;
  readonly events: string[];
  rows: number;
}

/** Returns fields, those of the most events first. */
function fieldsOf(found: ReadonlyMap<string, Found>): readonly Field[] {
  return [...found.values()]
    .sort((one, other) => other.rows - one.rows)
    .map(({ of, key, events, rows }) => ({
      of,
      key,
      events: events.slice(0, NAMES_MAX),
      eventsTotal: events.length,
      rows,
    }));
}
