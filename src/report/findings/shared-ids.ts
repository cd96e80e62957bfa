import type { TopID } from "../../profile/report.js";
import { formatCount } from "../quantities.js";
import { withUnless } from "./identity.js";
import type { Facts, Observation } from "./observation.js";
import { fieldFix } from "./recorded-options.js";
import { SHARED_ID_OTHERS } from "./thresholds.js";
import { quoted, quotedList } from "./words.js";

/** Devices with hundreds of users: kiosks, test devices, ids that are built into an app. */
export function findSharedDevices(facts: Facts): readonly Observation[] {
  return observe(facts, facts.identity.topDevices, {
    ...{ code: "device_shared", field: "stableID", one: "device", others: "users" },
    why: "A kiosk, a test device, or an id that is the same in every copy of an app",
  });
}

/** Users with hundreds of devices: accounts that many share, and bots. */
export function findSharedUsers(facts: Facts): readonly Observation[] {
  return observe(facts, facts.identity.topUsers, {
    ...{ code: "user_many_devices", field: "userID", one: "user", others: "devices" },
    why: "An account that many share, a bot, or an id that stands for nobody",
  });
}

interface Words {
  readonly code: "device_shared" | "user_many_devices";
  readonly field: "userID" | "stableID";
  readonly one: string;
  readonly others: string;
  readonly why: string;
}

function observe(facts: Facts, top: readonly TopID[], words: Words): readonly Observation[] {
  const junk = new Set(facts.identity.junkIDs.map(({ value }) => value));
  const shared = top.filter(({ id, others }) => others.count >= SHARED_ID_OTHERS && !junk.has(id));
  if (shared.length === 0) return [];
  const ids = shared.map(({ id }) => id);
  const [first] = shared;
  const fix = fieldFix(facts, words.field, (field) => withUnless(field, ids), false);
  return [
    {
      code: words.code,
      title:
        shared.length === 1 && first !== undefined
          ? `The ${words.one} ${quoted(first.id)} has ${formatCount(first.others.count)} ${words.others}`
          : `${shared.length} ${words.one}s have hundreds of ${words.others} each`,
      detail:
        `${quotedList(ids)}. ${words.why} does this; an experiment would count all of it as one ${words.one}. ` +
        "The line makes these ids none.",
      rows: shared.reduce((sum, { rows }) => sum + rows, 0),
      ...(fix === undefined ? {} : { fix }),
    },
  ];
}
