import { UsageError } from "../../base/errors.js";
import { keyDigest, keyPrefixes, keyRecord, newKeyText } from "../../http/key-text.js";
import {
  CLIENT_KEY_VARIABLE,
  CONSOLE_KEY_VARIABLE,
  type Environment,
  SERVER_SECRET_VARIABLE,
} from "../../options/secrets.js";
import { type KeyKind, type KeyStore, keyKinds } from "../../storage/key-store.js";

export const keyVariables = {
  console: CONSOLE_KEY_VARIABLE,
  server: SERVER_SECRET_VARIABLE,
  client: CLIENT_KEY_VARIABLE,
} as const satisfies Record<KeyKind, string>;

/** Characters after the prefix. A key that the service creates has 43. */
const SECRET_CHARACTERS_MIN = 16;
const SECRET_CHARACTERS_MAX = 256;

/** A key that the operator has chosen. */
export interface GivenKey {
  readonly kind: KeyKind;
  readonly key: string;
  /** The environment variable that it comes from. */
  readonly variable: string;
}

/** Reads the keys in the environment; an empty variable is ignored. Throws `UsageError` with all faults. */
export function readGivenKeys(environment: Environment): readonly GivenKey[] {
  const given = keyKinds.flatMap((kind) => {
    const variable = keyVariables[kind];
    const key = environment[variable];
    return key === undefined || key === "" ? [] : [{ kind, key, variable }];
  });
  const faults = given.filter(({ key, kind }) => !isKey(key, kind)).map(faultOf);
  if (faults.length > 0) throw new UsageError("key_malformed", faults.join("\n"));
  return given;
}

function isKey(key: string, kind: KeyKind): boolean {
  const prefix = keyPrefixes[kind];
  const secret = key.slice(prefix.length);
  return (
    key.startsWith(prefix) &&
    secret.length >= SECRET_CHARACTERS_MIN &&
    secret.length <= SECRET_CHARACTERS_MAX &&
    /^[\w.~+/=-]+$/.test(secret)
  );
}

/** Does not show the value: a mistyped secret is still a secret. */
function faultOf({ variable, kind }: GivenKey): string {
  return (
    `${variable} must be ${keyPrefixes[kind]} and ${SECRET_CHARACTERS_MIN} to ` +
    `${SECRET_CHARACTERS_MAX} letters, digits and -_.~+/= after it. \`switchyard keys create ` +
    `--kind ${kind}\` creates one.`
  );
}

/** A new key. It is not known later: only its hash is stored. */
export interface NewKey {
  readonly kind: KeyKind;
  readonly key: string;
}

/**
 * Stores the given keys that are new. If the store is empty, also creates one key of each kind that
 * was not given. Returns the created keys. Throws `UsageError` for a given key that was revoked.
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
  await store.insert(keyRecord(key, { kind, createdTime }));
}

function revoked(variable: string, id: string): UsageError {
  return new UsageError(
    "key_revoked",
    `The key in ${variable} (${id}) was revoked: use another one.`,
  );
}
