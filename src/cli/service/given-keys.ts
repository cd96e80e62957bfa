import { UsageError } from "../../base/errors.js";
import type { Environment } from "../../pipeline/configuration/configuration-types.js";
import { keyPrefixes } from "../../service/key-text.js";
import type { KeyKind } from "../../storage/key-store.js";

export const keyVariables = {
  console: "SWITCHYARD_CONSOLE_KEY",
  server: "SWITCHYARD_SERVER_SECRET",
} as const satisfies Record<KeyKind, string>;

/** Characters behind the prefix; a key that the service makes has 43. */
const SECRET_CHARACTERS_MIN = 16;
const SECRET_CHARACTERS_MAX = 256;

/** A key that the operator chose. */
export interface GivenKey {
  readonly kind: KeyKind;
  readonly key: string;
  /** Variable that it came from. */
  readonly variable: string;
}

/** The keys in the environment; an empty variable counts as not given. Throws `UsageError`. */
export function readGivenKeys(environment: Environment): readonly GivenKey[] {
  return (["console", "server"] as const).flatMap((kind) => {
    const variable = keyVariables[kind];
    const key = environment[variable];
    if (key === undefined || key === "") return [];
    if (!isKey(key, kind)) throw malformed(variable, kind);
    return [{ kind, key, variable }];
  });
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

/** Says nothing of the value: who mistyped a secret has a secret in there all the same. */
function malformed(variable: string, kind: KeyKind): UsageError {
  return new UsageError(
    "key_malformed",
    `${variable} must be ${keyPrefixes[kind]} and ${SECRET_CHARACTERS_MIN} to ` +
      `${SECRET_CHARACTERS_MAX} letters, digits and -_.~+/= behind it. \`switchyard keys create ` +
      `--kind ${kind}\` makes one.`,
  );
}
