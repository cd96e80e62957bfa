import type { TokenParser } from "luxon";
import { UsageError } from "../base/errors.js";
import { loadLuxon } from "../base/luxon.js";
import type { Zone } from "../base/zone.js";
import { createNumericParser } from "./numeric-pattern.js";
import { explainEpoch, suggestFormat } from "./time-format.js";
import { plainBlanks } from "./time-words.js";

/** Names of months and days are English in every locale of the machine. */
const locale = { locale: "en-US" } as const;

/** Returns milliseconds since 1970 UTC; undefined if the text does not match the pattern. */
export type ParsePattern = (text: string) => number | undefined;

/** Creates a parser for a pattern of Luxon's tokens; texts without a zone are in `zone`. */
export function createPatternParser(written: string, zone: Zone): ParsePattern {
  const { DateTime } = loadLuxon();
  const pattern = plainBlanks(written);
  const parser = createParser(pattern);
  const tokens = withoutLiterals(pattern);
  const namesZone = /z/i.test(tokens);
  const namesRegion = tokens.includes("z");
  const parseDigits = createNumericParser(pattern);
  return (text) => {
    const plain = plainBlanks(text);
    const wallClockMs = parseDigits?.(plain);
    if (wallClockMs !== undefined) return zone.utcMs(wallClockMs);
    const time = DateTime.fromFormatParser(plain, parser, {
      ...locale,
      zone: "utc",
      setZone: true,
    });
    if (!time.isValid) return undefined;
    if (!namesZone) return zone.utcMs(time.toMillis());
    if (!namesRegion) return time.toMillis();
    // If the wall clock reads this twice, use the first time, as everywhere.
    return Math.min(...time.getPossibleOffsets().map((possible) => possible.toMillis()));
  };
}

/** Returns why a pattern is not valid, with a suggestion and without a full stop; empty if it is valid. */
export function refusePattern(pattern: string): string {
  try {
    createParser(pattern);
    return "";
  } catch (error) {
    return error instanceof UsageError ? error.message.replace(/\.$/, "") : String(error);
  }
}

function createParser(pattern: string): TokenParser {
  const fault = explainEpoch(pattern);
  if (fault !== undefined) throw invalidPattern(pattern, fault);
  // Other tools write Y for the year: Luxon takes it literally.
  if (/Y/.test(withoutLiterals(pattern)))
    throw invalidPattern(pattern, "Y is not a token of Luxon");
  // Luxon takes the missing units from the current day.
  if (!/y|kk|[DFf]/.test(withoutLiterals(pattern))) {
    throw invalidPattern(pattern, "it has no year");
  }
  const { DateTime } = loadLuxon();
  try {
    const parser = DateTime.buildFormatParser(pattern, locale);
    const sample = DateTime.utc(2023, 8, 17, 10, 11, 12, 345)
      .setLocale(locale.locale)
      .toFormat(pattern);
    const parsed = DateTime.fromFormatParser(sample, parser, { ...locale, setZone: true });
    if (parsed.isValid) return parser;
    throw invalidPattern(pattern, parsed.invalidExplanation ?? "it cannot be read back");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw invalidPattern(pattern, error instanceof Error ? error.message : String(error));
  }
}

function withoutLiterals(pattern: string): string {
  return pattern.replaceAll(/'[^']*'/g, "");
}

function invalidPattern(pattern: string, reason: string): UsageError {
  const near = suggestFormat(pattern);
  const advice =
    near === undefined
      ? "Use auto, s, ms, us, ns, or a pattern of Luxon's tokens such as yyyy-MM-dd HH:mm."
      : `Did you mean ${JSON.stringify(near)}?`;
  return new UsageError(
    "time_pattern_invalid",
    `The time format ${JSON.stringify(pattern)} cannot be used: ${reason}. ${advice}`,
  );
}
