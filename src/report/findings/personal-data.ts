import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { sum } from "../../base/sum.js";
import { isSecretKey } from "../../profile/secret-names.js";
import { formatNumberOf } from "../quantities.js";
import { listFix } from "./configuration-fixes.js";
import { type Observation, plainText, quoted, type ReportedFacts } from "./observation.js";
import { type KeyUse, keyUses, onlyEvent, pathOf, valuesOf } from "./property-uses.js";

/** Share of the most frequent values that look personal, from which on a property is reported. */
const PERSONAL_SHARE = 0.5;

const phonePattern = /^(?:\+\d[\d ().-]{7,18}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})$/;
const datePattern = /^\d{4}-\d\d-\d\d/;
const cardPattern = /^(?:\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}|[3-6]\d{12,18})$/;
const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/;
const ipv6Pattern = /^(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}$/i;

/** Kinds of personal values, and how a whole value is recognized. */
const personalKinds: Readonly<Record<string, (value: string) => boolean>> = {
  "phone numbers": (value) => phonePattern.test(value) && !datePattern.test(value),
  "card numbers": isCard,
  "IP addresses": isAddress,
};

/** Properties that identify people, or seem to. The observations do not repeat the values. */
export function findPersonalData(facts: ReportedFacts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => contentsIn(facts, use) ?? likelyIn(facts, use) ?? []);
}

/** Values that contain an email address or a secret: these are counted. */
function contentsIn(facts: ReportedFacts, use: KeyUse): Observation | undefined {
  const countOf = (name: "rows" | "emails" | "secrets" | "beyondQuery") =>
    sum(use.uses, ({ property }) => property.personal?.[name] ?? 0);
  const [rows, emails, secrets] = [countOf("rows"), countOf("emails"), countOf("secrets")];
  if (rows === 0) return undefined;
  const values = sum(use.uses, ({ property }) => property.rows - (property.types.null ?? 0));
  const kinds = [
    ...(emails === 0 ? [] : [`email addresses (${formatCount(emails)})`]),
    ...(secrets === 0 ? [] : [`secrets such as tokens or passwords (${formatCount(secrets)})`]),
  ];
  const canCut = countOf("beyondQuery") === 0;
  const path = pathOf(use);
  return {
    code: "property_personal",
    title: `${quoted(path)} contains ${emails === 0 ? "secrets" : secrets === 0 ? "email addresses" : "email addresses and secrets"}`,
    detail:
      `${formatCount(rows)} of ${formatNumberOf(values, "value")} (${formatShare(rows, values)}) ${rows === 1 ? "contains" : "contain"} ` +
      `${kinds.join(" and ")}${canCut ? ", all in the queries of URLs" : ""}. Exported and sent events would contain ` +
      `them; this report masks them. ${canCut ? "The line cuts the URLs before their query; use drop instead to leave out the property." : dropAdvice}`,
    rows,
    event: onlyEvent(use.uses),
    property: path,
    fix: listFix(facts, canCut ? "cutQuery" : "drop", [path]),
  };
}

const dropAdvice =
  "The line leaves out the property; use hash instead of drop to replace its values with salted hashes.";

/** Values of which a part of the report's look personal, and keys that say so. */
function likelyIn(facts: ReportedFacts, use: KeyUse): Observation | undefined {
  const kind = kindOf(use);
  if (kind === undefined) return undefined;
  const path = pathOf(use);
  return {
    code: "property_personal",
    title: `${quoted(path)} seems to contain ${kind.name}`,
    detail: `${kind.evidence} Exported and sent events would contain them. ${dropAdvice}`,
    rows: sum(use.uses, ({ property }) => property.rows),
    event: onlyEvent(use.uses),
    property: path,
    fix: listFix(facts, "drop", [path]),
  };
}

function kindOf(use: KeyUse): { readonly name: string; readonly evidence: string } | undefined {
  const lastStep = use.key.split(".").at(-1) ?? "";
  const isFilled = use.uses.some(({ property }) => property.fill > 0);
  const values = use.uses.flatMap(({ property }) => valuesOf(property).map(plainText));
  const isHashed = values.every((value) => /^[0-9a-f]{64}$/.test(value));
  if (isSecretKey(lastStep) && isFilled && !isHashed) {
    return { name: "secrets", evidence: "Its key says so." };
  }
  for (const [name, matches] of Object.entries(personalKinds)) {
    const found = values.filter(matches).length;
    if (found === 0 || found < values.length * PERSONAL_SHARE) continue;
    const share = formatShare(found, values.length);
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
