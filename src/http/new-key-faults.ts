import { suggestion } from "../base/schema.js";
import { type Fault, faultsOf } from "../contract/faults.js";
import { type NewKey, newKey } from "../contract/key.js";
import { keyScopes } from "../contract/key-scopes.js";
import { kindNames } from "./authentication.js";

/** Returns the rules that the rights of a new key break at the time `now`, in ms since the epoch. */
export function newKeyFaults(rights: NewKey, now: number): readonly Fault[] {
  const parsed = newKey.safeParse(rights, { reportInput: true });
  return parsed.success ? rightsFaults(parsed.data, now) : faultsOf(parsed.error);
}

function rightsFaults(
  { kind, scopes = [], targetApp, expiresTime }: NewKey,
  now: number,
): readonly Fault[] {
  const known = keyScopes();
  const faults = scopes.map((scope, index) => ({
    property: `scopes[${index}]`,
    errorMessage: known.includes(scope)
      ? ""
      : `There is no scope "${scope}"${suggestion(scope, known)}. Known are ${known.join(", ")}.`,
  }));
  const name = kindNames[kind];
  if (kind !== "console" && scopes.length > 0) {
    const errorMessage = `Scopes are parts of the console API, which a ${name} does not open: leave them out.`;
    faults.push({ property: "scopes", errorMessage });
  }
  if (kind === "console" && targetApp !== undefined) {
    const errorMessage = "A console key sees the entities of every app: leave it out.";
    faults.push({ property: "targetApp", errorMessage });
  }
  if (expiresTime !== undefined && expiresTime <= now) {
    const time = new Date(expiresTime).toISOString();
    const errorMessage = `${time} is in the past: the key would open nothing.`;
    faults.push({ property: "expiresTime", errorMessage });
  }
  return faults.filter(({ errorMessage }) => errorMessage !== "");
}
