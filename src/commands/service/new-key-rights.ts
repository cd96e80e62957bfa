import { UsageError } from "../../base/errors.js";
import { suggestion } from "../../base/schema.js";
import { momentOf } from "../../contract/audit-log.js";
import { keyScopes } from "../../contract/key-scopes.js";
import { kindNames } from "../../http/authentication.js";
import type { NewKeyFacts } from "../../http/key-text.js";
import { type KeyKind, keyKinds } from "../../storage/key-store.js";

const DAY_MS = 86_400_000;
const NAME_CHARACTERS_MAX = 100;
const REQUESTS_PER_MINUTE_MAX = 1_000_000;

/** The flags of `keys create`, as they were typed. */
export interface NewKeyFlags {
  /** Console by default, if scopes are given. */
  readonly kind?: KeyKind;
  readonly name?: string;
  readonly owner?: string;
  readonly scope?: readonly string[];
  readonly readOnly?: boolean;
  readonly targetApp?: string;
  /** `90d`, a UTC day, or a time of RFC 3339. */
  readonly expires?: string;
  readonly rateLimit?: string;
}

/** Checks the flags of a new key. `now` is in ms since the epoch. Throws `UsageError`. */
export function newKeyFacts(flags: NewKeyFlags, now: number): NewKeyFacts {
  const kind = kindOf(flags);
  const { name, owner, targetApp, expires, rateLimit } = flags;
  if (kind === "console" && targetApp !== undefined)
    throw invalid("A console key sees the entities of every app: remove --target-app.");
  const scopes = scopesOf(kind, flags);
  return {
    kind,
    createdTime: now,
    ...(name === undefined ? {} : { name: shortText(name, "--name") }),
    ...(owner === undefined ? {} : { owner: shortText(owner, "--owner") }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(targetApp === undefined ? {} : { targetApp }),
    ...(expires === undefined ? {} : { expiresTime: expiryOf(expires, now) }),
    ...(rateLimit === undefined ? {} : { requestsPerMinuteMax: limitOf(rateLimit) }),
  };
}

function kindOf({ kind, scope, readOnly }: NewKeyFlags): KeyKind {
  if (kind !== undefined) return kind;
  if (scope !== undefined || readOnly === true) return "console";
  throw invalid(`Pass --kind (${keyKinds.join(", ")}): it says what the key opens.`);
}

function scopesOf(
  kind: KeyKind,
  { scope = [], readOnly }: NewKeyFlags,
): readonly string[] | undefined {
  const given = readOnly === true ? ["read"] : [...new Set(scope)];
  if (given.length === 0) return undefined;
  if (readOnly === true && scope.length > 0)
    throw invalid("--read-only is the scope read: pass it or --scope, not both.");
  if (kind !== "console") {
    throw invalid(
      readOnly === true
        ? `A read-only ${kindNames[kind]} has no use: remove --read-only.`
        : `Scopes are parts of the console API, which a ${kindNames[kind]} does not open: remove --scope.`,
    );
  }
  const known = keyScopes();
  for (const one of given) {
    if (!known.includes(one))
      throw invalid(
        `There is no scope "${one}"${suggestion(one, known)}. Known are ${known.join(", ")}.`,
      );
  }
  return given;
}

function shortText(text: string, flag: string): string {
  const isFit = text.trim() === text && text !== "" && text.length <= NAME_CHARACTERS_MAX;
  if (isFit && !/\p{Cc}/u.test(text)) return text;
  throw invalid(
    `${flag} must have 1 to ${NAME_CHARACTERS_MAX} characters in one line, without blanks around them.`,
  );
}

function expiryOf(text: string, now: number): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  const given = /^\d{4}-/.test(text) ? (momentOf(text) ?? Number.NaN) : Number.NaN;
  const time = days === undefined ? given : now + Number(days) * DAY_MS;
  if (Number.isNaN(time))
    throw invalid(
      `--expires must be a number of days such as 90d, a UTC day such as 2027-06-30, or a time such as 2027-06-30T12:00:00Z; received "${text}".`,
    );
  if (time > now) return time;
  throw invalid(`--expires ${text} is in the past: the key would open nothing.`);
}

function limitOf(text: string): number {
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= REQUESTS_PER_MINUTE_MAX) return limit;
  throw invalid(
    `--rate-limit must be 1 to ${REQUESTS_PER_MINUTE_MAX} requests per minute; received "${text}".`,
  );
}

function invalid(message: string): UsageError {
  return new UsageError("key_rights_invalid", message);
}
