import type { ReportProperties, ReportProperty } from "../../profile/report.js";
import type { Facts } from "./observation.js";

/** A property and where it stands; `event` is absent for those of the user. */
export interface PlacedProperty {
  readonly property: ReportProperty;
  readonly event?: string;
}

/** All properties under one key, over all events. */
export interface KeyUse {
  readonly root: "metadata" | "user";
  readonly key: string;
  readonly uses: readonly PlacedProperty[];
}

/** What is known of the properties of each event, and of users. */
export function propertySets({
  events,
  userProperties,
}: Facts): readonly { readonly properties: ReportProperties; readonly event?: string }[] {
  const ofEvents = events.flatMap(({ event, properties }) =>
    properties === null ? [] : [{ properties, event }],
  );
  return [...ofEvents, { properties: userProperties }];
}

/** One entry for each key: what is wrong with it is mostly wrong with it everywhere. */
export function keyUses(facts: Facts): readonly KeyUse[] {
  const uses = new Map<string, { root: KeyUse["root"]; key: string; uses: PlacedProperty[] }>();
  for (const { properties, event } of propertySets(facts)) {
    const root = event === undefined ? "user" : "metadata";
    for (const property of properties.keys) {
      const path = `${root}.${property.key}`;
      const placed = event === undefined ? { property } : { property, event };
      const known = uses.get(path);
      if (known === undefined) uses.set(path, { root, key: property.key, uses: [placed] });
      else known.uses.push(placed);
    }
  }
  return [...uses.values()];
}

/** `metadata.price`: as drop and hash name it, and as a report calls it. */
export function pathOf({ root, key }: Pick<KeyUse, "root" | "key">): string {
  return `${root}.${key}`;
}

/** `event.metadata["price"]`: as a transform module names it. */
export function memberOf({ root, key }: Pick<KeyUse, "root" | "key">): string {
  return `event.${root}[${JSON.stringify(key)}]`;
}

/** The event of a property that only one event has. */
export function onlyEvent(uses: readonly PlacedProperty[]): { readonly event?: string } {
  const [first] = uses;
  return uses.length === 1 && first?.event !== undefined ? { event: first.event } : {};
}

/** Most frequent values, of texts alone, from all places. */
export function textsOf({
  uses,
}: KeyUse): readonly { readonly value: string; readonly rows: number }[] {
  return uses
    .filter(({ property }) => (property.types.string ?? 0) > 0)
    .flatMap(({ property }) => property.topValues);
}
