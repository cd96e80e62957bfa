import { UsageError } from "../../base/errors.js";
import { keyDigest, keyRecord, newKeyText } from "../../service/key-text.js";
import { type KeyKind, type KeyStore, keyKinds } from "../../storage/key-store.js";
import type { GivenKey } from "./given-keys.js";

/** A key that was just made: the only time that it is known. */
export interface NewKey {
  readonly kind: KeyKind;
  readonly key: string;
}

/**
 * Stores the given keys that are not known yet. Where there were no keys at all, makes one of each kind
 * that was not given, and hands those back. Throws `UsageError` for a given key that was revoked.
 */
export async function admitKeys(
  store: KeyStore,
  given: readonly GivenKey[],
  now: () => number,
): Promise<readonly NewKey[]> {
  const isFirstStart = (await store.list()).length === 0;
  const missing = keyKinds.filter((kind) => !given.some((one) => one.kind === kind));
  const made = isFirstStart ? missing.map((kind) => ({ kind, key: newKeyText(kind) })) : [];
  for (const { kind, key, variable } of given) {
    const known = await store.find(keyDigest(key).toString("hex"));
    if (known !== undefined && known.revokedTime !== null) throw revoked(variable, known.id);
    if (known === undefined) await insert(store, { kind, key }, now());
  }
  for (const key of made) await insert(store, key, now());
  return made;
}

async function insert(store: KeyStore, { kind, key }: NewKey, createdTime: number): Promise<void> {
  await store.insert(keyRecord(key, { kind, canWrite: true, createdTime }));
}

function revoked(variable: string, id: string): UsageError {
  return new UsageError(
    "key_revoked",
    `The key in ${variable} (${id}) was revoked, and a revoked key never holds again: give another one.`,
  );
}
