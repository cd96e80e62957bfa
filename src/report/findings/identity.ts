import { formatCount, formatNumberOf } from "../quantities.js";
import type { Facts, Observation } from "./observation.js";
import { emailPattern } from "./personal-patterns.js";
import { fieldFix, fieldsOf, listFix } from "./recorded-options.js";
import { MINIMUM_DAY_EVENTS, USERLESS_SHARE } from "./thresholds.js";
import { plainText, quotedList, shareOf } from "./words.js";

const idFields = ["userID", "stableID"] as const;
const idWords = { userID: "user", stableID: "device" } as const;

/** Hardly any event has a user: another field holds them, or the mapping names none. */
export function findMissingUsers(facts: Facts): readonly Observation[] {
  const { deviceOnly, both, userOnly } = facts.identity;
  const total = both + userOnly + deviceOnly;
  if (total < MINIMUM_DAY_EVENTS || deviceOnly < total * USERLESS_SHARE) return [];
  const names = fieldsOf(facts, "userID").map(({ path }) => path.join("."));
  return [
    {
      code: "users_missing",
      title: `${shareOf(deviceOnly, total)} of the events have no user id`,
      detail:
        `It is taken from ${quotedList(names) || "nowhere"}. Without it nothing can be counted by user. ` +
        "If another field holds it, name that as userID in the mapping.",
      rows: deviceOnly,
    },
  ];
}

/** Ids that stand for nobody put all who have them together into one. */
export function findJunkIDs(facts: Facts): readonly Observation[] {
  const { identity } = facts;
  return idFields.flatMap((field) => {
    const junk = identity.junkIDs.filter((one) => one.field === field);
    if (junk.length === 0) return [];
    const texts = junk.map(({ value }) => value);
    const rows = junk.reduce((sum, one) => sum + one.rows, 0);
    // Where every event has the other id too, none is rejected for losing this one.
    const alone = field === "userID" ? identity.userOnly : identity.deviceOnly;
    const fix = fieldFix(facts, field, (one) => withUnless(one, texts), alone === 0);
    return [
      {
        code: "ids_junk" as const,
        title: `${formatNumberOf(rows, "event")} have a ${idWords[field]} id that stands for nobody`,
        detail:
          `${junk
            .slice(0, 5)
            .map((one) => `${quotedList([one.value])}: ${formatCount(one.rows)}`)
            .join(", ")}. ` +
          `All of them would be one ${idWords[field]}. The line makes them none` +
          `${alone === 0 ? "." : "; events that have no other id are then rejected."}`,
        rows,
        ...(fix === undefined ? {} : { fix }),
      },
    ];
  });
}

/** Texts that a field does not take for ids, beside those that it already does not. */
export function withUnless<T extends { readonly unless?: readonly string[] }>(
  field: T,
  texts: readonly string[],
): T {
  return { ...field, unless: [...new Set([...(field.unless ?? []), ...texts])] };
}

export function findEmailIDs(facts: Facts): readonly Observation[] {
  const { topUsers, topDevices } = facts.identity;
  return (
    [
      ["userID", topUsers],
      ["stableID", topDevices],
    ] as const
  ).flatMap(([field, top]) => {
    const emails = top.filter(({ id }) => emailPattern.test(plainText(id)));
    if (emails.length === 0 || emails.length * 2 < top.length) return [];
    const rows = emails.reduce((sum, one) => sum + one.rows, 0);
    return [
      {
        code: "ids_emails" as const,
        title: `The ${idWords[field]} ids are email addresses`,
        detail:
          `${emails.length} of the ${top.length} most frequent are. They would stand in every event that is ` +
          "exported or sent. The line makes salted hashes of them, and needs a salt: SWITCHYARD_HASH_SALT " +
          "or hashSaltFile. What assigns users later must hash alike.",
        rows,
        fix: listFix(facts, "hash", [field]),
      },
    ];
  });
}
