import { formatDay } from "../base/day.js";
import { PROFILE_VALUES_MAX } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { parseJson } from "../base/parse-json.js";
import { maskCutText, maskText } from "./masked-text.js";
import type { ReportProperties, ReportProperty } from "./report.js";
import { isSecretKey } from "./secret-names.js";
import { FrequentFold } from "./sketches.js";
import type { PersonalRows, SplitKey, SplitProperties } from "./split-profile.js";
import { joinSpellings, numberRange } from "./value-spellings.js";
import { type JsonType, valueTypes } from "./value-types.js";

/** Values of a property that a report shows. */
const TOP_VALUES_MAX = 16;

/** Keys that may still be added, over all event names of a report. */
export interface KeyBudget {
  left: number;
}

/** Adds up the properties of one event name, or of users, over the splits in order. */
export class PropertyFold {
  readonly #keys = new Map<string, KeyFold>();
  #rows = 0;
  #otherValues = 0;

  constructor(private readonly budget: KeyBudget) {}

  add({ rows, otherValues, keys }: SplitProperties): void {
    this.#rows += rows;
    this.#otherValues += otherValues;
    for (const key of keys) this.#addKey(key);
  }

  result(): ReportProperties {
    const keys = [...this.#keys].map(([key, fold]) => fold.result(key, this.#rows));
    return {
      rows: this.#rows,
      keys: keys.sort((a, b) => b.rows - a.rows || (a.key < b.key ? -1 : 1)),
      otherKeys: { keys: this.#otherValues === 0 ? 0 : null, values: this.#otherValues },
    };
  }

  #addKey(key: SplitKey): void {
    let known = this.#keys.get(key.key);
    if (known === undefined) {
      if (this.budget.left === 0) {
        this.#otherValues += key.rows;
        return;
      }
      this.budget.left--;
      known = new KeyFold();
      this.#keys.set(key.key, known);
    }
    known.add(key);
  }
}

class KeyFold {
  #rows = 0;
  readonly #types = valueTypes.map(() => 0);
  readonly #bytes = { min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };
  readonly #numbers = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  readonly #values = new FrequentFold(PROFILE_VALUES_MAX);
  #days: SplitKey["days"] = null;
  #personal: PersonalRows | undefined;

  add({ rows, types, bytes, numbers, values, days, personal }: SplitKey): void {
    this.#rows += rows;
    for (const [index, count] of types.entries()) this.#types[index]! += count;
    if (bytes !== null) {
      this.#bytes.min = Math.min(this.#bytes.min, bytes.min);
      this.#bytes.max = Math.max(this.#bytes.max, bytes.max);
      this.#bytes.sum += bytes.sum;
    }
    if (numbers !== null) {
      this.#numbers.min = Math.min(this.#numbers.min, numbers.min);
      this.#numbers.max = Math.max(this.#numbers.max, numbers.max);
    }
    this.#values.add(values);
    const [first, last] = this.#days ?? days ?? [0, 0];
    if (days !== null) this.#days = [Math.min(first, days[0]), Math.max(last, days[1])];
    if (personal !== undefined) this.#personal = added(this.#personal, personal);
  }

  result(key: string, eventRows: number): ReportProperty {
    const types = valueTypes
      .map((type, index): [JsonType, number] => [type, this.#types[index] as number])
      .filter(([, rows]) => rows > 0);
    const values = this.#rows - (this.#types[valueTypes.indexOf("null")] as number);
    const { min, max, sum } = this.#bytes;
    const error = this.#values.taken;
    const texts = this.#values.top(PROFILE_VALUES_MAX);
    const joined = joinSpellings(texts);
    const numbers = (error === 0 ? numberRange(texts) : undefined) ?? this.#numbers;
    const known = maskedValues(
      joined
        .slice(0, TOP_VALUES_MAX)
        .map(({ text, length, rows }) => ({ value: valueText(text, length), rows })),
      isSecretKey(key.split(".").at(-1) ?? "") ? "all" : this.#personal,
    );
    return {
      key,
      rows: this.#rows,
      fill: eventRows === 0 ? 0 : values / eventRows,
      types: Object.fromEntries(types),
      distinct: error === 0 ? { count: joined.length, error: 0 } : this.#values.distinct(),
      topValues: known.filter(({ rows }) => rows > error),
      topValuesError: error,
      examples: known.filter(({ rows }) => rows <= error).map(({ value }) => value),
      bytes: values === 0 ? { min: 0, mean: 0, max: 0 } : { min, mean: sum / values, max },
      days: this.#days && { first: formatDay(this.#days[0]), last: formatDay(this.#days[1]) },
      numbers: numbers.min <= numbers.max ? { ...numbers } : null,
      ...omitUndefined({ personal: this.#personal }),
    };
  }
}

function added(before: PersonalRows | undefined, more: PersonalRows): PersonalRows {
  if (before === undefined) return more;
  return {
    rows: before.rows + more.rows,
    emails: before.emails + more.emails,
    secrets: before.secrets + more.secrets,
    beyondQuery: before.beyondQuery + more.beyondQuery,
  };
}

interface ValueRows {
  readonly value: string;
  readonly rows: number;
}

/** Masks values, and adds up those that are the same then. */
function maskedValues(
  values: readonly ValueRows[],
  personal: PersonalRows | "all" | undefined,
): readonly ValueRows[] {
  if (personal === undefined) return values;
  const mask = (value: string) => {
    if (personal === "all") return hashPattern.test(value) ? value : "…";
    return value.endsWith("…") ? maskCutText(value) : maskText(value);
  };
  const masked = new Map<string, number>();
  for (const { value, rows } of values) {
    const text = mask(value);
    masked.set(text, (masked.get(text) ?? 0) + rows);
  }
  return [...masked].map(([value, rows]) => ({ value, rows })).sort((a, b) => b.rows - a.rows);
}

/** A salted hash, which `hash` writes. */
const hashPattern = /^[0-9a-f]{64}$/;

/** Strings without quotes, other values as JSON; a value that was cut ends in `…`. */
function valueText(token: string, length: number): string {
  const isWhole = Buffer.byteLength(token) === length;
  if (!token.startsWith('"')) return isWhole ? token : `${token}…`;
  if (isWhole) return (parseJson(token) as string | undefined) ?? token.slice(1, -1);
  // The cut may have split an escape, which leaves at most five characters of it.
  for (let end = token.length; end > token.length - 6; end--) {
    const text = parseJson(`${token.slice(0, end)}"`);
    if (text !== undefined) return `${text}…`;
  }
  return `${token.slice(1)}…`;
}
