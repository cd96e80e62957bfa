import type { Configuration } from "../options/configuration.js";
import type { JsonValue } from "../options/json-value.js";
import { defaultText, keyOf, optionNames } from "../options/option-names.js";

/** An option with its value and its origin. */
export interface GivenOption {
  /** Path in the configuration file. */
  readonly name: string;
  /** As it was written, or the default. */
  readonly value: JsonValue;
  /** The flag, the variable, `<file>:<line>:<column>`, or `default`. */
  readonly from: string;
}

/** Lists every option that has a value; those that are given first. */
export function listOrigins({ originOf }: Configuration): readonly GivenOption[] {
  const given = optionNames.flatMap((name): readonly GivenOption[] => {
    const origin = originOf(name);
    if (origin === undefined) return [];
    const from = origin.position ?? (origin.name === "inputs" ? "command line" : origin.name);
    const hasSecretPath = name === "notify" || name === "webhook";
    const shown = (value: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map(shown);
      return typeof value === "string" ? harmlessAddress(value, hasSecretPath) : value;
    };
    return [{ name: keyOf(name), value: shown(origin.value), from }];
  });
  const names = new Set(given.map(({ name }) => name));
  const defaults = optionNames.flatMap((name): readonly GivenOption[] => {
    const value = defaultText(name);
    if (value === undefined || names.has(keyOf(name))) return [];
    return [{ name: keyOf(name), value, from: "default" }];
  });
  return [...given, ...defaults];
}

/** Returns an address without the parts that can be a secret. */
export function harmlessAddress(address: string, hasSecretPath = false): string {
  if (!/^(?:rediss?|https?):/.test(address) || !URL.canParse(address)) return address;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${hasSecretPath ? "" : pathname.replace(/\/$/, "")}`;
}
