import { formatCount } from "../../base/format-count.js";
import { groupBy } from "../../base/group-by.js";
import { sum } from "../../base/sum.js";
import { formatLeast, formatNumberOf } from "../quantities.js";
import { RENAMED_MAX } from "./event-names.js";
import { type Observation, quoted, type ReportedFacts } from "./observation.js";
import { memberOf, pathOf, propertySets } from "./property-uses.js";

/** Word separators `_` and `-`; `2026-01` and `202601` remain different. */
const separators = /(?<=\p{L})[_-]+(?=[\p{L}\p{N}])|(?<=\p{N})[_-]+(?=\p{L})/gu;

/**
 * Groups names that differ only by case, width and word separators, the most frequent of a group
 * first. Omits names without a similar one.
 */
function alikeGroups<T extends { readonly rows: number }>(
  ones: readonly T[],
  nameOf: (one: T) => string,
): readonly (readonly T[])[] {
  const groups = groupBy(ones, (one) =>
    nameOf(one).normalize("NFKC").toLowerCase().replaceAll(/\s+/g, "").replaceAll(separators, ""),
  );
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => [...group].sort((one, other) => other.rows - one.rows));
}

/** `"Sign Up" (120), "sign up" (3)`. */
function describeGroup<T extends { readonly rows: number }>(
  group: readonly T[],
  nameOf: (one: T) => string,
): string {
  return group.map((one) => `${quoted(nameOf(one))} (${formatCount(one.rows)})`).join(", ");
}

/** Returns a text without white space and characters of no width around it, as `trim` removes them. */
export function withoutBlanks(text: string): string {
  return text.replaceAll(/^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu, "");
}

/** Groups names of several spellings; those that differ only by blanks around them are another finding. */
export function alikeNames(events: ReportedFacts["events"]): readonly ReportedFacts["events"][] {
  return alikeGroups(events, ({ event }) => event).filter(
    (group) => new Set(group.map(({ event }) => withoutBlanks(event))).size > 1,
  );
}

export function findAlikeNames({
  events,
  otherEvents,
}: ReportedFacts): Observation | readonly Observation[] {
  const groups = alikeNames(events);
  if (groups.length === 0) return [];
  const renamed = groups.flatMap(([main, ...others]) =>
    others.map(({ event }) => [event, main?.event ?? event] as const),
  );
  const examples = groups.slice(0, 3).map((group) => describeGroup(group, ({ event }) => event));
  return {
    code: "names_alike",
    title: `${formatLeast(groups.length, "event name", otherEvents.rows > 0)} ${groups.length === 1 ? "has" : "have"} several spellings`,
    detail:
      `${examples.join("; ")}. Each spelling would become a separate event. ` +
      "The module replaces them with the most frequent one.",
    rows: sum(
      groups.flatMap(([, ...others]) => others),
      ({ rows }) => rows,
    ),
    event: groups.length === 1 ? groups[0]?.[0]?.event : undefined,
    statements:
      `const names = new Map(${JSON.stringify(renamed.slice(0, RENAMED_MAX))});\n` +
      "event.event = names.get(event.event) ?? event.event;",
  };
}

interface Renaming {
  readonly root: "metadata" | "user";
  readonly key: string;
  readonly to: string;
}

/** Keys of one event, or of users, that differ only by case, width or separators. */
export function findAlikeKeys(facts: ReportedFacts): Observation | readonly Observation[] {
  const renamings = new Map<string, Renaming>();
  const descriptions = new Set<string>();
  let rows = 0;
  for (const { root, properties, event } of propertySets(facts)) {
    for (const group of alikeGroups(properties.keys, ({ key }) => key)) {
      const [main, ...others] = group;
      for (const { key, rows: touched } of others) {
        rows += touched;
        renamings.set(pathOf({ root, key }), { root, key, to: main?.key ?? key });
      }
      const owner = event === undefined ? "user" : quoted(event);
      descriptions.add(`${describeGroup(group, ({ key }) => key)} in ${owner}`);
    }
  }
  if (renamings.size === 0) return [];
  const [first] = renamings.values();
  return {
    code: "property_keys_alike",
    title: `${formatNumberOf(renamings.size, "property key")} ${renamings.size === 1 ? "differs" : "differ"} from another only by case or separators`,
    detail:
      `${[...descriptions].slice(0, 3).join("; ")}. Each spelling would become a separate property. ` +
      "The module moves values to the most frequent spelling, unless that has a value already.",
    rows,
    property: renamings.size === 1 && first !== undefined ? pathOf(first) : undefined,
    statements: withoutChains(renamings).map(renameStatement).join("\n"),
  };
}

/** Two events may prefer opposite spellings: keeps the first renaming. */
function withoutChains(renamings: ReadonlyMap<string, Renaming>): readonly Renaming[] {
  const targets = new Set<string>();
  return [...renamings.values()].filter(({ root, key, to }) => {
    if (targets.has(pathOf({ root, key }))) return false;
    targets.add(pathOf({ root, key: to }));
    return true;
  });
}

function renameStatement({ root, key, to }: Renaming): string {
  const [from, into] = [memberOf({ root, key }), memberOf({ root, key: to })];
  return `if (${from} !== undefined) {\n  ${into} ??= ${from};\n  delete ${from};\n}`;
}
