import { hash, randomBytes } from "node:crypto";
import { DEFAULT_KEY_NAME, type KeyKind, type KeyRecord } from "../storage/key-store.js";

/** The prefix of the keys of each kind. */
export const keyPrefixes = {
  console: "console-",
  server: "secret-",
  client: "client-",
} as const satisfies Record<KeyKind, string>;

const KEY_RANDOM_BYTES = 32;
const IDENTIFIER_RANDOM_BYTES = 9;

/** Characters of a key that may be shown, to tell keys apart. */
const SHOWN_CHARACTERS_MAX = 8;

/** Returns random bytes; tests replace it. */
type RandomBytes = (count: number) => Buffer;

/** Returns a new key: the prefix of its kind, then 32 random bytes in base64url. */
export function newKeyText(kind: KeyKind, random: RandomBytes = randomBytes): string {
  return `${keyPrefixes[kind]}${random(KEY_RANDOM_BYTES).toString("base64url")}`;
}

/** Returns the SHA-256 of a key. Only this digest is stored. */
export function keyDigest(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** Returns the first 8 characters of a key, but never more than half of it. */
export function shownKey(key: string): string {
  return key.slice(0, Math.min(SHOWN_CHARACTERS_MAX, Math.floor(key.length / 2)));
}

/** Matches a key in a text: a prefix and at least 16 further characters. */
const keyPattern = /(?:console|secret|client)-[\w.~+/=-]{16,}/g;

/** Returns a text in which keys are cut to the characters that may be shown. */
export function hideKeys(text: string): string {
  return text.replace(keyPattern, (key) => `${shownKey(key)}…`);
}

/** Facts of a new key. By default a console key may write everything, and no key has a limit. */
export type NewKeyFacts = Pick<KeyRecord, "kind" | "createdTime"> &
  Partial<Omit<KeyRecord, "id" | "hash" | "prefix">>;

/** Returns the record of a key, without the key. */
export function keyRecord(
  key: string,
  facts: NewKeyFacts,
  random: RandomBytes = randomBytes,
): KeyRecord {
  return {
    id: `key_${random(IDENTIFIER_RANDOM_BYTES).toString("base64url")}`,
    name: DEFAULT_KEY_NAME,
    owner: null,
    scopes: facts.kind === "console" ? ["write"] : [],
    requestsPerMinuteMax: null,
    targetApp: null,
    revokedTime: null,
    expiresTime: null,
    lastUsedTime: null,
    ...facts,
    hash: keyDigest(key).toString("hex"),
    prefix: shownKey(key),
  };
}
