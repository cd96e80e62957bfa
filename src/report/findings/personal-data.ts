import type { Facts, Observation } from "./observation.js";
import { personalKinds, secretKeyPattern } from "./personal-patterns.js";
import { type KeyUse, keyUses, onlyEvent, pathOf } from "./property-places.js";
import { listFix } from "./recorded-options.js";
import { plainText, quoted, shareOf } from "./words.js";

/** Share of a property's most frequent values that look personal, from which on it is held to be. */
const PERSONAL_SHARE = 0.5;

/** Properties that seem to hold what identifies people. Values are not repeated here. */
export function findPersonalData(facts: Facts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => {
    const kind = kindOf(use);
    if (kind === undefined) return [];
    const path = pathOf(use);
    return [
      {
        code: "property_personal" as const,
        title: `${quoted(path)} seems to hold ${kind.words}`,
        detail:
          `${kind.evidence} It would stand in every event that is exported or sent. The line leaves it ` +
          "out; with hash in the place of drop it is replaced by a salted hash.",
        rows: use.uses.reduce((sum, { property }) => sum + property.rows, 0),
        ...onlyEvent(use.uses),
        property: path,
        fix: listFix(facts, "drop", [path]),
      },
    ];
  });
}

function kindOf(use: KeyUse): { readonly words: string; readonly evidence: string } | undefined {
  const lastStep = use.key.split(".").at(-1) ?? "";
  const isFilled = use.uses.some(({ property }) => property.fill > 0);
  if (secretKeyPattern.test(lastStep) && isFilled && !isHashed(use)) {
    return { words: "secrets", evidence: "Its name says so." };
  }
  const values = use.uses.flatMap(({ property }) =>
    property.topValues.map(({ value }) => plainText(value)),
  );
  for (const { words, matches } of personalKinds) {
    const found = values.filter(matches).length;
    if (found > 0 && found >= values.length * PERSONAL_SHARE) {
      return {
        words,
        evidence: `${shareOf(found, values.length)} of its most frequent values look like it.`,
      };
    }
  }
  return undefined;
}

function isHashed({ uses }: KeyUse): boolean {
  const values = uses.flatMap(({ property }) => property.topValues);
  return values.every(({ value }) => /^[0-9a-f]{64}$/.test(plainText(value)));
}
