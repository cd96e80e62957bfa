import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { sum } from "../../base/sum.js";
import type { TopID } from "../../profile/report.js";
import { formatNumberOf } from "../quantities.js";
import { fieldsOf, listFix, unlessFix } from "./configuration-fixes.js";
import { type Observation, quoted, quotedList, type ReportedFacts } from "./observation.js";
import {
  ANONYMOUS_SHARE,
  GENERATED_USERS_SHARE,
  MINIMUM_DAY_EVENTS,
  SHARED_ID_OTHERS,
  USERLESS_SHARE,
} from "./thresholds.js";

const idFields = ["userID", "stableID"] as const;
const idWords = { userID: "user", stableID: "device" } as const;

/** Almost no event has a user id: another field holds it, or the mapping names none. */
export function findMissingUsers(facts: ReportedFacts): Observation | readonly Observation[] {
  const { deviceOnly, both, userOnly } = facts.identity;
  const total = both + userOnly + deviceOnly;
  if (total < MINIMUM_DAY_EVENTS || deviceOnly < total * USERLESS_SHARE) return [];
  const names = fieldsOf(facts, "userID").map(({ path }) => path.join("."));
  return {
    code: "users_missing",
    title: `${formatShare(deviceOnly, total)} of the events have no user id`,
    detail:
      `${names.length === 0 ? "The mapping has no field for it" : `It is read from ${quotedList(names)}`}. ` +
      "Without it, nothing can be counted by user. If another field holds it, map that field to userID.",
    rows: deviceOnly,
  };
}

/** Anonymous visitors count as users: the tool writes the device id where it knows no user. */
export function findAnonymousUsers(facts: ReportedFacts): readonly Observation[] {
  return [findSameIDs(facts), findDevicePrefixes(facts), findGeneratedUsers(facts)].flat();
}

function findSameIDs({ identity }: ReportedFacts): Observation | readonly Observation[] {
  const { same, both, userOnly } = identity;
  if (same === 0) return [];
  return {
    code: "users_anonymous",
    title: `${formatNumberOf(same, "event")} ${same === 1 ? "has its" : "have their"} device id as user id`,
    detail:
      `That is ${formatShare(same, both + userOnly)} of the events with a user id. Tools write it for visitors who have ` +
      "not logged in: each would count as a user, and as another one after the login. Map a field to userID that " +
      "only identified users have.",
    rows: same,
  };
}

function findDevicePrefixes({ identity }: ReportedFacts): Observation | readonly Observation[] {
  const { devicePrefixes: rows } = identity;
  if (rows === 0) return [];
  return {
    code: "users_anonymous",
    title: `${formatNumberOf(rows, "event")} ${rows === 1 ? "has a user id that begins" : "have user ids that begin"} with $device:`,
    detail:
      "Mixpanel writes these for visitors who have not logged in: each would count as a user, and as another one " +
      'after the login. Set unlessPrefix to "$device:" in mapping.userID.',
    rows,
  };
}

/**
 * User ids with the shape of generated ids in events without a device id. They are evidence only if other
 * users have ids of another shape: some applications give their users UUIDs.
 */
function findGeneratedUsers({ identity }: ReportedFacts): Observation | readonly Observation[] {
  const { both, userOnly, same, devicePrefixes } = identity;
  const { generatedAlone: rows, generatedBeside } = identity;
  const others = both + userOnly - same - devicePrefixes - rows - generatedBeside;
  const isEvidence =
    Math.min(rows, others) >= Math.max(MINIMUM_DAY_EVENTS, (rows + others) * ANONYMOUS_SHARE) &&
    generatedBeside <= (both - same) * GENERATED_USERS_SHARE;
  if (!isEvidence) return [];
  return {
    code: "users_anonymous",
    title: `${formatNumberOf(rows, "event")} have user ids that look like generated device ids`,
    detail:
      `They have no device id, and their user ids are UUIDs or similar; the user ids of ${formatNumberOf(others, "other event")} ` +
      "are not. Tools write a device id as user id for visitors who have not logged in: each would count as a user. " +
      "Map a field to userID that only identified users have, or map this field to stableID in such events.",
    rows,
  };
}

/** Names of events by which tools link an anonymous id to a user. */
const identityEvents = new Set(
  "$identify $create_alias $merge $merge_dangerously $identify_merge identify alias Identify Alias".split(
    " ",
  ),
);

/** Events that only link ids. */
export function findIdentityEvents(facts: ReportedFacts): Observation | readonly Observation[] {
  const found = facts.events.filter(({ event }) => identityEvents.has(event));
  if (found.length === 0) return [];
  const rows = sum(found, (one) => one.rows);
  const names = found.map(({ event }) => event);
  return {
    code: "identity_events",
    title: `${formatNumberOf(rows, "event")} only ${rows === 1 ? "links ids; it is not a user action" : "link ids; they are not user actions"}`,
    detail:
      `${quotedList(names)}. The platform does not link ids by them: events before a login stay with the ` +
      "device. The suggested line filters them out.",
    rows,
    fix: listFix(facts, "excludeEvent", names),
  };
}

/** Placeholder ids merge all users who have them into one user or device. */
export function findJunkIDs(facts: ReportedFacts): readonly Observation[] {
  const { identity } = facts;
  return idFields.flatMap((field) => {
    const junk = identity.junkIDs.filter((one) => one.field === field);
    if (junk.length === 0) return [];
    const rows = sum(junk, (one) => one.rows);
    const counts = junk
      .slice(0, 5)
      .map(({ value, rows: of }) => `${quoted(value)}: ${formatCount(of)}`);
    // If every event also has the other id, no event is rejected for losing this one.
    const isSafe = (field === "userID" ? identity.userOnly : identity.deviceOnly) === 0;
    const texts = junk.map(({ value }) => value);
    return {
      code: "ids_junk" as const,
      title: `${formatNumberOf(rows, "event")} ${rows === 1 ? "has" : "have"} a placeholder ${idWords[field]} id`,
      detail:
        `${counts.join(", ")}. All of these events would belong to one ${idWords[field]}. ` +
        `The line treats such an id as missing${isSafe ? "." : "; events without another id are then rejected."}`,
      rows,
      fix: unlessFix(facts, field, texts, isSafe),
    };
  });
}

export function findEmailIDs(facts: ReportedFacts): readonly Observation[] {
  const { both, userOnly, deviceOnly, emailUsers, emailDevices } = facts.identity;
  const counts = {
    userID: { rows: emailUsers, all: both + userOnly },
    stableID: { rows: emailDevices, all: both + deviceOnly },
  };
  return idFields.flatMap((field) => {
    const { rows, all } = counts[field];
    if (rows === 0) return [];
    return {
      code: "ids_emails" as const,
      title: `${formatNumberOf(rows, "event")} ${rows === 1 ? "has" : "have"} an email address as ${idWords[field]} id`,
      detail:
        `That is ${formatShare(rows, all)} of the events with a ${idWords[field]} id. Every exported or sent event would contain it. ` +
        "The line replaces these ids with salted hashes and needs a salt: SWITCHYARD_HASH_SALT or hashSaltFile. " +
        "Whatever assigns users later must hash them in the same way.",
      rows,
      fix: listFix(facts, "hash", [field]),
    };
  });
}

/** Devices with at least a hundred users. */
export function findSharedDevices(facts: ReportedFacts): Observation | readonly Observation[] {
  return findShared(facts, facts.identity.sharedDevices, {
    code: "device_shared",
    field: "stableID",
    others: "users",
    causes: "a kiosk, a test device, or an id that is the same in every copy of an app",
  });
}

/** Users with at least a hundred devices. */
export function findSharedUsers(facts: ReportedFacts): Observation | readonly Observation[] {
  return findShared(facts, facts.identity.sharedUsers, {
    code: "user_many_devices",
    field: "userID",
    others: "devices",
    causes: "an account that many people share, a bot, or a placeholder id",
  });
}

interface SharedKind {
  readonly code: "device_shared" | "user_many_devices";
  readonly field: (typeof idFields)[number];
  readonly others: string;
  readonly causes: string;
}

function findShared(
  facts: ReportedFacts,
  top: readonly TopID[],
  { code, field, others: otherWord, causes }: SharedKind,
): Observation | readonly Observation[] {
  const junk = new Set(facts.identity.junkIDs.map(({ value }) => value));
  const shared = top.filter(({ id, others }) => others.count >= SHARED_ID_OTHERS && !junk.has(id));
  const [first] = shared;
  if (first === undefined) return [];
  const one = idWords[field];
  const ids = shared.map(({ id }) => id);
  // A mapping needs whole ids: not cut ones, nor email addresses, which are masked.
  const whole = ids.filter((id) => !id.includes("…"));
  return {
    code,
    title:
      shared.length === 1
        ? `The ${one} ${quoted(first.id)} has ${formatCount(first.others.count)} ${otherWord}`
        : `${shared.length} ${one}s have at least ${SHARED_ID_OTHERS} ${otherWord} each`,
    detail:
      `${quotedList(ids)}. The usual causes are ${causes}. An experiment would count all of it as one ${one}. ` +
      (whole.length === 0
        ? "List them in unless of the mapping to treat them as missing."
        : "The line treats these ids as missing."),
    rows: sum(shared, ({ rows }) => rows),
    fix: whole.length === 0 ? undefined : unlessFix(facts, field, whole, false),
  };
}
