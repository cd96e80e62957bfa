import { sum } from "../../base/sum.js";
import { listFix } from "./configuration-fixes.js";
import { type Facts, type Observation, plainText, quoted, shareOf } from "./observation.js";
import { type KeyUse, keyUses, onlyEvent, pathOf, valuesOf } from "./property-uses.js";

/** Share of the most frequent values that look personal, from which on a property is reported. */
const PERSONAL_SHARE = 0.5;

export const emailPattern = /^[^\s@"<>]+@[^\s@.]+(?:\.[^\s@.]+)*\.[a-z]{2,}$/i;

const phonePattern = /^(?:\+\d[\d ().-]{7,18}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})$/;
const datePattern = /^\d{4}-\d\d-\d\d/;
const cardPattern = /^(?:\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}|[3-6]\d{12,18})$/;
const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/;
const ipv6Pattern = /^(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}$/i;

/** Keys with secret values, whatever the values look like. */
const secretKeyPattern = /^(?:password|passwd|pwd|ssn|iban|cvv|cvc|credit_?card(?:_?number)?)$/i;

/** Kinds of personal values, and how a whole value is recognized. */
const personalKinds: Readonly<Record<string, (value: string) => boolean>> = {
  "email addresses": (value) => emailPattern.test(value),
  "phone numbers": (value) => phonePattern.test(value) && !datePattern.test(value),
  "card numbers": isCard,
  "IP addresses": isAddress,
};

/** Properties that seem to identify people. The observations do not repeat the values. */
export function findPersonalData(facts: Facts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => {
    const kind = kindOf(use);
    if (kind === undefined) return [];
    const path = pathOf(use);
    return {
      code: "property_personal" as const,
      title: `${quoted(path)} seems to contain ${kind.name}`,
      detail:
        `${kind.evidence} Exported and sent events would contain them. The line leaves out the property; ` +
        "use hash instead of drop to replace its values with salted hashes.",
      rows: sum(use.uses, ({ property }) => property.rows),
      event: onlyEvent(use.uses),
      property: path,
      fix: listFix(facts, "drop", [path]),
    };
  });
}

function kindOf(use: KeyUse): { readonly name: string; readonly evidence: string } | undefined {
  const lastStep = use.key.split(".").at(-1) ?? "";
  const isFilled = use.uses.some(({ property }) => property.fill > 0);
  const values = use.uses.flatMap(({ property }) => valuesOf(property).map(plainText));
  const isHashed = values.every((value) => /^[0-9a-f]{64}$/.test(value));
  if (secretKeyPattern.test(lastStep) && isFilled && !isHashed) {
    return { name: "secrets", evidence: "Its key says so." };
  }
  for (const [name, matches] of Object.entries(personalKinds)) {
    const found = values.filter(matches).length;
    if (found === 0 || found < values.length * PERSONAL_SHARE) continue;
    const share = shareOf(found, values.length);
    return { name, evidence: `${share} of its values in the report look like ${name}.` };
  }
  return undefined;
}

/** Two of twenty random numbers have a valid check digit, so a single match proves little. */
function isCard(value: string): boolean {
  if (!cardPattern.test(value)) return false;
  const digits = [...value.replaceAll(/[ -]/g, "")].reverse().map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** Loopback addresses do not identify a person. */
function isAddress(value: string): boolean {
  if (ipv4Pattern.test(value)) return !/^(?:0|127)\./.test(value);
  return ipv6Pattern.test(value) && value.length > 6;
}
