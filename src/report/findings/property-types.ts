import { formatCount } from "../../base/format-count.js";
import { sum } from "../../base/sum.js";
import type { JsonType } from "../../profile/value-types.js";
import { formatNumberOf } from "../quantities.js";
import {
  type Observation,
  plainText,
  quoted,
  quotedList,
  type ReportedFacts,
} from "./observation.js";
import { type KeyUse, keyUses, memberOf, onlyEvent, pathOf, textsOf } from "./property-uses.js";

/** Distinct texts that must all look like numbers before a property is reported. */
const TEXTS_MIN = 3;

/** Properties with values of several types, apart from null. */
export function findMixedTypes(facts: ReportedFacts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => {
    const counts = typeCounts(use);
    const [most, ...others] = counts;
    if (most === undefined || others.length === 0) return [];
    const path = pathOf(use);
    const { to, statements } = conversion(use, counts);
    const types = counts.map(([type, rows]) => `${type}: ${formatCount(rows)}`).join(", ");
    return {
      code: "property_mixed_types" as const,
      title: `${quoted(path)} has values of several types`,
      detail:
        `${types}. A column has one type: other values become null or make a load fail. ` +
        `The module converts all values to ${to}.`,
      rows: sum(others, ([, rows]) => rows),
      event: onlyEvent(use.uses),
      property: path,
      statements,
    };
  });
}

interface Conversion {
  readonly to: string;
  readonly statements: string;
}

/** Converts to numbers if the texts are numbers, to objects if they are JSON, and otherwise to text. */
function conversion(use: KeyUse, counts: readonly (readonly [JsonType, number])[]): Conversion {
  const member = memberOf(use);
  const texts = textsOf(use).map(plainText);
  const types = counts.map(([type]) => type).sort();
  const isAll = (test: (text: string) => boolean) => texts.length > 0 && texts.every(test);
  if (types.join() === "number,string" && isAll(isNumberText)) {
    return { to: "numbers", statements: toNumber(member) };
  }
  if (types.join() === "object,string" && isAll(isJsonText)) {
    return { to: "objects", statements: toJson(member) };
  }
  return { to: "text", statements: toText(member) };
}

function toText(member: string): string {
  return (
    `if (${member} != null && typeof ${member} !== "string") {\n` +
    `  ${member} = toJson(${member});\n}`
  );
}

/** Texts with leading zeros, such as codes and phone numbers, stay texts. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function toNumber(member: string): string {
  return (
    `if (typeof ${member} === "string" && ${JSON_NUMBER}.test(${member})) {\n` +
    `  ${member} = toNumber(${member});\n}`
  );
}

function toJson(member: string): string {
  return (
    `if (typeof ${member} === "string") {\n` +
    `  try {\n    ${member} = parseJson(${member});\n  } catch {}\n}`
  );
}

/** Rows by type over all uses, without null, the most frequent type first. */
function typeCounts({ uses }: KeyUse): readonly (readonly [JsonType, number])[] {
  const counts = new Map<JsonType, number>();
  for (const { property } of uses) {
    for (const [type, rows] of Object.entries(property.types) as [JsonType, number][]) {
      if (type !== "null" && rows > 0) counts.set(type, (counts.get(type) ?? 0) + rows);
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** Objects and lists that are written as text. */
export function findJsonTexts(facts: ReportedFacts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => {
    if (typeCounts(use).length !== 1) return [];
    const all = textsOf(use).map(plainText);
    const [example, ...others] = all.filter(isJsonText);
    if (example === undefined || (others.length + 1) * 2 < all.length) return [];
    const path = pathOf(use);
    return {
      code: "property_json_text" as const,
      title: `${quoted(path)} is text that contains JSON`,
      detail:
        `For example ${quoted(example)}. Its members cannot be queried. ` +
        "The module parses it into objects and lists.",
      rows: stringRows(use),
      event: onlyEvent(use.uses),
      property: path,
      statements: toJson(memberOf(use)),
    };
  });
}

function isJsonText(text: string): boolean {
  if (!/^\s*(?:\{\s*"|\[)/.test(text)) return false;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    // A long value is cut and then not valid JSON, so look at its beginning only.
    return /^\s*(?:\{\s*"[^"]+"\s*:|\[\s*[{"])/.test(text);
  }
}

/** Numbers with a fraction that are written as text; whole ones may be ids. */
export function findNumberTexts(facts: ReportedFacts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => {
    if (typeCounts(use).length !== 1) return [];
    const texts = [...new Set(textsOf(use).map(plainText))];
    const areNumbers = texts.length >= TEXTS_MIN && texts.every(isNumberText);
    if (!areNumbers || !texts.some((text) => text.includes("."))) return [];
    const path = pathOf(use);
    const rows = stringRows(use);
    return {
      code: "property_numbers_as_text" as const,
      title: `${quoted(path)} is numbers written as text`,
      detail:
        `For example ${quotedList(texts, 3)}, in ${formatNumberOf(rows, "event")}. Text cannot be added up. ` +
        "The module converts them to numbers.",
      rows,
      event: onlyEvent(use.uses),
      property: path,
      statements: toNumber(memberOf(use)),
    };
  });
}

/** Leading zeros mean a code or a phone number. */
function isNumberText(text: string): boolean {
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(text);
}

function stringRows({ uses }: KeyUse): number {
  return sum(uses, ({ property }) => property.types.string ?? 0);
}
