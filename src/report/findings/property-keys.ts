import { formatCount, formatNumberOf } from "../quantities.js";
import type { Facts, Observation } from "./observation.js";
import { memberOf, pathOf, propertySets } from "./property-places.js";
import { alikeGroups } from "./spelling.js";
import { quoted } from "./words.js";

interface Renaming {
  readonly root: "metadata" | "user";
  readonly key: string;
  readonly to: string;
}

/** Keys of one event, or of users, that differ only by case or white space. */
export function findAlikeKeys(facts: Facts): readonly Observation[] {
  const renamings = new Map<string, Renaming>();
  const descriptions = new Set<string>();
  let rows = 0;
  for (const { properties, event } of propertySets(facts)) {
    const root = event === undefined ? "user" : "metadata";
    for (const [main, ...others] of alikeGroups(properties.keys, ({ key }) => key)) {
      if (main === undefined) continue;
      for (const { key, rows: touched } of others) {
        rows += touched;
        renamings.set(pathOf({ root, key }), { root, key, to: main.key });
      }
      const counts = [main, ...others].map(
        (one) => `${quoted(one.key)} (${formatCount(one.rows)})`,
      );
      descriptions.add(`${counts.join(", ")} in ${event === undefined ? "user" : quoted(event)}`);
    }
  }
  if (renamings.size === 0) return [];
  const [first] = renamings.values();
  return [
    {
      code: "property_keys_alike",
      title: `${formatNumberOf(renamings.size, "property key")} ${renamings.size === 1 ? "differs" : "differ"} from another only by case or space`,
      detail:
        `${[...descriptions].slice(0, 3).join("; ")}. Each spelling would be a property of its own. ` +
        "The module moves values to the most frequent one, where that has none.",
      rows,
      ...(renamings.size === 1 && first !== undefined ? { property: pathOf(first) } : {}),
      mend: mendOf([...withoutChains(renamings)]),
    },
  ];
}

/** One event may prefer the spelling that another gives up: the first that was met is kept. */
function withoutChains(renamings: ReadonlyMap<string, Renaming>): readonly Renaming[] {
  const targets = new Set<string>();
  return [...renamings.values()].filter(({ root, key, to }) => {
    if (targets.has(pathOf({ root, key }))) return false;
    targets.add(pathOf({ root, key: to }));
    return true;
  });
}

function mendOf(renamings: readonly Renaming[]): string {
  return renamings
    .map(({ root, key, to }) => {
      const [from, into] = [memberOf({ root, key }), memberOf({ root, key: to })];
      return `if (${from} !== undefined) {\n  ${into} ??= ${from};\n  delete ${from};\n}`;
    })
    .join("\n");
}
