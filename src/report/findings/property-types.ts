import type { ValueType } from "../../profile/value-types.js";
import { formatCount, formatNumberOf } from "../quantities.js";
import type { Facts, Observation } from "./observation.js";
import { type KeyUse, keyUses, memberOf, onlyEvent, pathOf, textsOf } from "./property-places.js";
import { plainText, quoted, quotedList } from "./words.js";

/** Values that must all be alike before something is said of all texts of a property. */
const TEXTS_MIN = 3;

/** Values of one property that are of several types; null goes with each. */
export function findMixedTypes(facts: Facts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => {
    const counts = typeCounts(use);
    const [most, ...others] = counts;
    if (most === undefined || others.length === 0) return [];
    const path = pathOf(use);
    const { words, mend } = unifying(use, counts);
    return [
      {
        code: "property_mixed_types" as const,
        title: `${quoted(path)} is of several types`,
        detail:
          `${counts.map(([type, rows]) => `${type}: ${formatCount(rows)}`).join(", ")}. ` +
          `A column has one type: the others become null or stop a load. The module makes ${words} of all.`,
        rows: others.reduce((sum, [, rows]) => sum + rows, 0),
        ...onlyEvent(use.uses),
        property: path,
        mend,
      },
    ];
  });
}

interface Unifying {
  readonly words: string;
  readonly mend: string;
}

/** Numbers where the texts are numbers, objects where they are JSON, else text. */
function unifying(use: KeyUse, counts: readonly (readonly [ValueType, number])[]): Unifying {
  const member = memberOf(use);
  const texts = textsOf(use).map(({ value }) => plainText(value));
  const types = counts.map(([type]) => type).sort();
  const isAll = (test: (text: string) => boolean) => texts.length > 0 && texts.every(test);
  if (types.join() === "number,string" && isAll(isNumberText)) {
    return { words: "numbers", mend: toNumber(member) };
  }
  if (types.join() === "object,string" && isAll(isJsonText)) {
    return { words: "objects", mend: toJson(member) };
  }
  return { words: "text", mend: toText(member) };
}

function toText(member: string): string {
  return (
    `if (${member} != null && typeof ${member} !== "string") {\n` +
    `  const value = ${member};\n` +
    `  ${member} = isPlain(value) ? String(value) : JSON.stringify(value);\n}`
  );
}

function toNumber(member: string): string {
  return (
    `if (typeof ${member} === "string" && ${member}.trim() !== "" && Number.isFinite(Number(${member}))) {\n` +
    `  ${member} = Number(${member});\n}`
  );
}

function toJson(member: string): string {
  return (
    `if (typeof ${member} === "string") {\n` +
    `  try {\n    ${member} = JSON.parse(${member});\n  } catch {}\n}`
  );
}

function typeCounts({ uses }: KeyUse): readonly (readonly [ValueType, number])[] {
  const counts = new Map<ValueType, number>();
  for (const { property } of uses) {
    for (const [type, rows] of Object.entries(property.types) as [ValueType, number][]) {
      if (type !== "null" && rows > 0) counts.set(type, (counts.get(type) ?? 0) + rows);
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** Objects and lists that are written as text. */
export function findJsonTexts(facts: Facts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => {
    const texts = textsOf(use).filter(({ value }) => isJsonText(plainText(value)));
    if (typeCounts(use).length !== 1) return [];
    if (texts.length === 0 || texts.length * 2 < textsOf(use).length) return [];
    const path = pathOf(use);
    const example = quoted(plainText(texts[0]?.value ?? ""));
    return [
      {
        code: "property_json_text" as const,
        title: `${quoted(path)} is text that holds JSON`,
        detail: `Such as ${example}. What it holds cannot be asked for. The module makes objects and lists of it.`,
        rows: rowsOf(use),
        ...onlyEvent(use.uses),
        property: path,
        mend: toJson(memberOf(use)),
      },
    ];
  });
}

function isJsonText(text: string): boolean {
  if (!/^\s*(?:\{\s*"|\[)/.test(text)) return false;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    // A long value is cut, and then no JSON any more: how it begins has to do.
    return /^\s*(?:\{\s*"[^"]+"\s*:|\[\s*[{"])/.test(text);
  }
}

/** Numbers with a fraction that are written as text; whole ones may well be ids. */
export function findNumberTexts(facts: Facts): readonly Observation[] {
  return keyUses(facts).flatMap((use) => {
    if (typeCounts(use).length !== 1) return [];
    const texts = [...new Set(textsOf(use).map(({ value }) => plainText(value)))];
    if (
      texts.length < TEXTS_MIN ||
      !texts.every(isNumberText) ||
      !texts.some((text) => text.includes("."))
    ) {
      return [];
    }
    const path = pathOf(use);
    return [
      {
        code: "property_numbers_as_text" as const,
        title: `${quoted(path)} is numbers that are written as text`,
        detail:
          `Such as ${quotedList(texts, 3)}, in ${formatNumberOf(rowsOf(use), "event")}. They cannot be added up ` +
          "as they are. The module makes numbers of them.",
        rows: rowsOf(use),
        ...onlyEvent(use.uses),
        property: path,
        mend: toNumber(memberOf(use)),
      },
    ];
  });
}

/** Without zeros in front, which codes and phone numbers have. */
function isNumberText(text: string): boolean {
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(text);
}

function rowsOf({ uses }: KeyUse): number {
  return uses.reduce((sum, { property }) => sum + (property.types.string ?? 0), 0);
}
