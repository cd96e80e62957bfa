import type { TokenParser } from "luxon";
import { UsageError } from "../base/errors.js";
import { loadLuxon } from "../base/luxon.js";
import type { Zone } from "../base/zone.js";
import { createNumericParser } from "./numeric-pattern.js";
import { suggestFormat } from "./time-format.js";

/** Names of months and days are English, whatever the machine speaks. */
const locale = { locale: "en-US" } as const;

/** Milliseconds since 1970 UTC of a text, undefined when it is not like the pattern. */
export type ParsePattern = (text: string) => number | undefined;

/** A parser of Luxon's tokens; texts that name no zone of their own are in `zone`. */
export function createPatternParser(pattern: string, zone: Zone): ParsePattern {
  const { DateTime } = loadLuxon();
  const parser = createParser(pattern);
  const tokens = withoutLiterals(pattern);
  const namesZone = /z/i.test(tokens);
  const namesRegion = tokens.includes("z");
  const parseDigits = createNumericParser(pattern);
  return (text) => {
    const wallClockMs = parseDigits?.(text);
    if (wallClockMs !== undefined) return zone.utcMs(wallClockMs);
    const time = DateTime.fromFormatParser(text.trim(), parser, {
      ...locale,
      zone: "utc",
      setZone: true,
    });
    if (!time.isValid) return undefined;
    if (!namesZone) return zone.utcMs(time.toMillis());
    if (!namesRegion) return time.toMillis();
    // Of two moments with this wall clock the first, as everywhere.
    return Math.min(...time.getPossibleOffsets().map((possible) => possible.toMillis()));
  };
}

/**
 * Why a pattern is refused, and what may be meant; empty for one that can be used. Not a whole sentence.
 */
export function refusePattern(pattern: string): string {
  try {
    createParser(pattern);
    return "";
  } catch (error) {
    return error instanceof UsageError ? error.message.replace(/\.$/, "") : String(error);
  }
}

function createParser(pattern: string): TokenParser {
  // Other tools' year: Luxon would look for the letters themselves.
  if (/Y/.test(withoutLiterals(pattern))) throw invalidPattern(pattern, "Y is no token of Luxon's");
  // Luxon would take what is not named from the current day.
  if (!/y|kk|[DFf]/.test(withoutLiterals(pattern))) {
    throw invalidPattern(pattern, "it names no year");
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
      ? "Give auto, s, ms, us, ns, or a pattern of Luxon's tokens such as yyyy-MM-dd HH:mm."
      : `Did you mean ${JSON.stringify(near)}?`;
  return new UsageError(
    "time_pattern_invalid",
    `The time format ${JSON.stringify(pattern)} cannot be used: ${reason}. ${advice}`,
  );
}
