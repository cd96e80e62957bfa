import type { ReportProperties, ReportProperty } from "../../profile/report.js";
import type { ReportedFacts } from "./observation.js";

type PropertyRoot = "metadata" | "user";

/** The properties of one event, or of users, for which `event` is undefined. */
interface PropertySet {
  readonly root: PropertyRoot;
  readonly properties: ReportProperties;
  readonly event: string | undefined;
}

/** All properties with one key, over all events. */
export interface KeyUse {
  readonly root: PropertyRoot;
  readonly key: string;
  readonly uses: readonly {
    readonly property: ReportProperty;
    readonly event: string | undefined;
  }[];
}

export function propertySets({ events, userProperties }: ReportedFacts): readonly PropertySet[] {
  const ofEvents = events.flatMap(({ event, properties }) =>
    properties === null ? [] : [{ root: "metadata" as const, properties, event }],
  );
  return [...ofEvents, { root: "user", properties: userProperties, event: undefined }];
}

/** One entry for each key, because a problem with a key is mostly the same in all events. */
export function keyUses(facts: ReportedFacts): readonly KeyUse[] {
  const uses = new Map<
    string,
    { root: PropertyRoot; key: string; uses: KeyUse["uses"][number][] }
  >();
  for (const { root, properties, event } of propertySets(facts)) {
    for (const property of properties.keys) {
      const path = pathOf({ root, key: property.key });
      const known = uses.get(path);
      const use = { property, event };
      if (known === undefined) uses.set(path, { root, key: property.key, uses: [use] });
      else known.uses.push(use);
    }
  }
  return [...uses.values()];
}

/** `metadata.price`: the name that `drop`, `hash` and the report use. */
export function pathOf({ root, key }: Pick<KeyUse, "root" | "key">): string {
  return `${root}.${key}`;
}

/** `event.metadata["price"]`: the expression for it in a transform module. */
export function memberOf({ root, key }: Pick<KeyUse, "root" | "key">): string {
  return `event.${root}[${JSON.stringify(key)}]`;
}

/** The event, if the property belongs to one only. */
export function onlyEvent(uses: KeyUse["uses"]): string | undefined {
  return uses.length === 1 ? uses[0]?.event : undefined;
}

/** Values of the uses that have text. */
export function textsOf({ uses }: KeyUse): readonly string[] {
  return uses
    .filter(({ property }) => (property.types.string ?? 0) > 0)
    .flatMap(({ property }) => valuesOf(property));
}

/** Some values of a property, the most frequent first. */
export function valuesOf({ topValues, examples }: ReportProperty): readonly string[] {
  return [...topValues.map(({ value }) => value), ...examples];
}
