import { createHash } from "node:crypto";
import type { Target } from "./target.js";

// New names are a function of the old name and the target alone: so every machine and every later
// increment makes the same ones without knowing the others. They are unique because a name that could be
// the new name of another one is renamed as well.

/** Characters of the digest in a suffix: 40 bits, five for each. */
const DIGEST_CHARACTERS = 8;
const SUFFIX_CHARACTERS = DIGEST_CHARACTERS + 1;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

const suffix = new RegExp(`~[${ALPHABET}]{${DIGEST_CHARACTERS}}$`);

/** Separates the steps of a path, and replaces a dot, in a key. */
const STEP_SEPARATOR = "__";
const DOT = "_dot_";

type NameRules = NonNullable<Target["names"]>;

/** Returns true if the target drops events of this name. */
export function isLostName(name: string, rules: NameRules): boolean {
  return isTooLong(name, rules) || hasForbidden(name, rules);
}

/**
 * Returns the valid name for the events of a name; the same name if it needs none. `$pageview` has the
 * prefix `$`, which becomes `auto:`; names without a known prefix lose the forbidden characters and get a
 * suffix of eight characters, the digest of the old name: `A&B` becomes `A_B~` and eight more.
 */
export function repairName(name: string, rules: NameRules): string {
  const isValid = !isLostName(name, rules) && !looksRenamed(name, rules);
  return isValid ? name : (withPrefix(name, rules) ?? withSuffix(name, name, rules));
}

/** Returns true for a name that could be the new name of another one. */
function looksRenamed(name: string, { prefixes }: NameRules): boolean {
  return suffix.test(name) || Object.values(prefixes).some((prefix) => name.startsWith(prefix));
}

/** Replaces a known beginning; undefined if the rest of the name is not valid as it is. */
function withPrefix(name: string, rules: NameRules): string | undefined {
  const [prefix] = Object.keys(rules.prefixes)
    .filter((one) => name.startsWith(one))
    .sort((one, other) => other.length - one.length);
  if (prefix === undefined) return undefined;
  const rest = name.slice(prefix.length);
  if (rest === "" || hasForbidden(rest, rules) || suffix.test(rest)) return undefined;
  const renamed = `${rules.prefixes[prefix]}${rest}`;
  return isTooLong(renamed, rules) ? undefined : renamed;
}

function withSuffix(old: string, name: string, rules: NameRules): string {
  const readable = replaceForbidden(name, rules).replace(/^[ _]+|[ _]+$/g, "");
  const room = (rules.charactersMax ?? Number.POSITIVE_INFINITY) - SUFFIX_CHARACTERS;
  return `${cut(readable === "" ? "event" : readable, room)}~${digestOf(old)}`;
}

/** Each run of forbidden characters, with the blanks around it, becomes a blank or `_`. */
function replaceForbidden(name: string, { forbidden = "" }: NameRules): string {
  if (forbidden === "") return name;
  const out = forbidden.replaceAll(/[\\\]^-]/g, "\\$&");
  return name.replaceAll(new RegExp(` *[${out}][${out} ]*`, "gu"), (run) =>
    run.includes(" ") ? " " : "_",
  );
}

function hasForbidden(text: string, { forbidden = "" }: NameRules): boolean {
  for (const character of text) if (forbidden.includes(character)) return true;
  return false;
}

function isTooLong(name: string, { charactersMax }: NameRules): boolean {
  return charactersMax !== undefined && name.length > charactersMax;
}

/** Cuts at a character, never within a surrogate pair. */
function cut(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(room - 1)) ? room - 1 : room;
  return text.slice(0, end);
}

/**
 * Returns the key for a path of names in metadata. `["page.path"]` becomes `page_dot_path`, and
 * `["page", "path"]` becomes `page__path`. A path that another one could be mistaken for gets a suffix.
 */
export function repairKey(path: readonly string[]): string {
  const [only = ""] = path;
  const joined = path.map((step) => step.replaceAll(".", DOT)).join(STEP_SEPARATOR);
  if (path.length === 1 && !only.includes(".")) {
    const isPlain = !suffix.test(only) && !isJoined(only);
    return isPlain ? only : `${only}~${digestOf(JSON.stringify(path))}`;
  }
  const isUnique = isJoined(joined) && isSamePath(split(joined), path) && !suffix.test(joined);
  return isUnique ? joined : `${joined}~${digestOf(JSON.stringify(path))}`;
}

/** Returns true for a key that is the join of a path of several steps, or of one with a dot. */
function isJoined(key: string): boolean {
  const steps = split(key);
  if (steps.includes("")) return false;
  const isChanged = steps.length > 1 || key.includes(DOT);
  return isChanged && steps.map((step) => step.replaceAll(".", DOT)).join(STEP_SEPARATOR) === key;
}

function split(key: string): readonly string[] {
  return key.split(STEP_SEPARATOR).map((step) => step.replaceAll(DOT, "."));
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}

/** Returns 40 bits of the SHA-256 of a text, in base 32. */
function digestOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest();
  let bits = bytes.readUIntBE(0, 5);
  let digits = "";
  for (let index = 0; index < DIGEST_CHARACTERS; index++) {
    digits += ALPHABET[bits % 32];
    bits = Math.floor(bits / 32);
  }
  return digits;
}
