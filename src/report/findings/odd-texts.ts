import { formatShare } from "../../base/format-share.js";
import { parseJson } from "../../base/parse-json.js";
import { sum } from "../../base/sum.js";
import type { OddForm } from "../../profile/report-identity.js";
import { formatNumberOf } from "../quantities.js";
import { readingFix } from "./configuration-fixes.js";
import { type Observation, quoted, type ReportedFacts } from "./observation.js";
import { alikeNames, withoutBlanks } from "./spellings.js";
import { ODD_TEXTS_SHARE } from "./thresholds.js";

/** Texts of a target in an odd form. */
interface OddTexts {
  readonly target: "userID" | "stableID" | "event" | "value";
  readonly form: OddForm;
  readonly rows: number;
  /** Rows that have the target. */
  readonly total: number;
  /** Ids that are the same as another one in the usual form; null if that is not known. */
  readonly twins: number | null;
  /** True if most of the distinct texts have the form. */
  readonly areMost: boolean;
  readonly examples: readonly string[];
}

const nouns = {
  userID: "user id",
  stableID: "device id",
  event: "event name",
  value: "value",
} as const;

const kinds = {
  blanks: {
    code: "blanks_around",
    are: "with blanks around them",
    usually: "Without the blanks",
    cause:
      "They come from columns of fixed width, forms and copied texts. The line removes white space and characters of no width around the texts.",
    reading: { trim: true },
  },
  quotes: {
    code: "quotes_around",
    are: "in quotes",
    usually: "Without the quotes",
    cause: "The texts are JSON, but the source does not say so. The line decodes them.",
    reading: { as: "json" },
  },
  decimal: {
    code: "ids_decimal",
    are: "with a decimal point or an exponent",
    usually: "As whole numbers",
    cause:
      "Tools that read whole numbers as floating point numbers write them so. The line writes numbers up to 2^53 as whole numbers.",
    reading: { as: "integer" },
  },
} as const;

/** Ids, names and values that are one and the same in several forms, or all in an unusual one. */
export function findOddTexts(facts: ReportedFacts): readonly Observation[] {
  return [...oddIDs(facts), ...oddNames(facts), ...oddValues(facts)]
    .filter(({ form, areMost, twins }) => form === "blanks" || areMost || (twins ?? 0) > 0)
    .map((odd) => observe(facts, odd));
}

function observe(
  facts: ReportedFacts,
  { target, form, rows, total, twins, examples }: OddTexts,
): Observation {
  const { code, are, usually, cause, reading } = kinds[form];
  const noun = nouns[target];
  const counted = target === "stableID" ? "device" : "user";
  const same = `${usually}, ${formatNumberOf(twins ?? 0, noun)} would be the same as another one; now each is a ${counted} of its own. `;
  return {
    code,
    title: `${formatNumberOf(rows, "event")} ${rows === 1 ? "has" : "have"} ${noun}s ${are}, such as ${visible(examples[0] ?? "")}`,
    detail:
      `That is ${formatShare(rows, total)} of the events with a ${noun}; examples are ${examples.map(visible).join(", ")}. ` +
      `${(twins ?? 0) > 0 ? same : ""}${cause}`,
    rows,
    fix: readingFix(facts, target, reading),
  };
}

/** Quotes a text, with the characters that are not seen as escapes. */
function visible(text: string): string {
  return quoted(text).replaceAll(/[\p{Cf}\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/gu, (one) =>
    one === " " ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function oddIDs({ identity }: ReportedFacts): readonly OddTexts[] {
  const { both, userOnly, deviceOnly, users, devices } = identity;
  const all = {
    userID: { total: both + userOnly, distinct: users.count },
    stableID: { total: both + deviceOnly, distinct: devices.count },
  };
  return identity.oddIDs.map(({ field, ids, ...odd }) => {
    const { total, distinct } = all[field];
    const share = ids === null ? odd.rows / total : ids / distinct;
    return { target: field, total, areMost: share >= ODD_TEXTS_SHARE, ...odd };
  });
}

/** Names of several spellings are left to `findAlikeNames`. */
function oddNames({ events, rows }: ReportedFacts): readonly OddTexts[] {
  const alike = new Set(alikeNames(events).flat());
  const texts = events.flatMap((event) =>
    alike.has(event) ? [] : [{ text: event.event, rows: event.rows }],
  );
  return formsOf("event", texts, rows.mapped);
}

/** Values are known from samples only. */
function oddValues({ samples, days, rows }: ReportedFacts): readonly OddTexts[] {
  const texts = samples.flatMap(({ result }) => {
    const { value } = (parseJson(result) ?? {}) as { readonly value?: unknown };
    return typeof value === "string" ? [{ text: value, rows: 1 }] : [];
  });
  return formsOf("value", texts, rows.mapped - sum(days, ({ empty }) => empty.value)).map(
    (odd) => ({ ...odd, rows: Math.round((odd.rows / texts.length) * odd.total) }),
  );
}

interface Text {
  readonly text: string;
  readonly rows: number;
}

function formsOf(
  target: "event" | "value",
  texts: readonly Text[],
  total: number,
): readonly OddTexts[] {
  return (["blanks", "quotes"] as const).flatMap((form) => {
    const odd = texts.filter(({ text }) => isOfForm[form](text));
    if (odd.length === 0) return [];
    const rows = sum(odd, (one) => one.rows);
    const areMost = odd.length >= texts.length * ODD_TEXTS_SHARE;
    const examples = [...new Set(odd.map(({ text }) => text))].slice(0, 3);
    return [{ target, form, rows, total, twins: null, areMost, examples }];
  });
}

const isOfForm = {
  blanks: (text: string) => withoutBlanks(text) !== text,
  quotes: (text: string) => /^".+"$/su.test(text) && parseJson(text) !== undefined,
} as const;
