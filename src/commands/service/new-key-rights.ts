import { DAY_MS } from "../../base/day.js";
import { UsageError } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { momentOf } from "../../contract/audit-log.js";
import { REQUESTS_PER_MINUTE_MAX } from "../../contract/key.js";
import { kindNames } from "../../http/authentication.js";
import type { NewKeyFacts } from "../../http/key-text.js";
import { newKeyFaults } from "../../http/new-key-faults.js";
import { type KeyKind, keyKinds } from "../../storage/key-store.js";

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

const flagNames: Readonly<Record<string, string>> = {
  name: "--name",
  owner: "--owner",
  scopes: "--scope",
  expiresTime: "--expires",
};

/** Checks the flags of a new key. `now` is in ms since the epoch. Throws `UsageError`. */
export function newKeyFacts(flags: NewKeyFlags, now: number): NewKeyFacts {
  const kind = kindOf(flags);
  const { name, owner, targetApp, expires, rateLimit } = flags;
  if (kind === "console" && targetApp !== undefined)
    throw invalid("A console key sees the entities of every app: remove --target-app.");
  const rights = omitUndefined({
    kind,
    name,
    owner,
    scopes: scopesOf(kind, flags),
    targetApp,
    expiresTime: expires === undefined ? undefined : expiryOf(expires, now),
    requestsPerMinuteMax: rateLimit === undefined ? undefined : limitOf(rateLimit),
  });
  const [fault] = newKeyFaults(rights, now);
  if (fault !== undefined) {
    const right = fault.property.replace(/\[.*$/, "");
    throw invalid(`${flagNames[right] ?? right}: ${fault.errorMessage}`);
  }
  return { ...rights, createdTime: now };
}

function kindOf({ kind, scope, readOnly }: NewKeyFlags): KeyKind {
  if (kind !== undefined) return kind;
  if (scope !== undefined || readOnly === true) return "console";
  throw invalid(`Pass --kind (${keyKinds.join(", ")}): it says what the key opens.`);
}

function scopesOf(kind: KeyKind, { scope = [], readOnly }: NewKeyFlags): string[] | undefined {
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
  return given;
}

function expiryOf(text: string, now: number): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  const given = /^\d{4}-/.test(text) ? (momentOf(text) ?? Number.NaN) : Number.NaN;
  const time = days === undefined ? given : now + Number(days) * DAY_MS;
  if (Number.isNaN(time))
    throw invalid(
      `--expires must be a number of days such as 90d, a UTC day such as 2027-06-30, or a time such as 2027-06-30T12:00:00Z; received "${text}".`,
    );
  return time;
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
