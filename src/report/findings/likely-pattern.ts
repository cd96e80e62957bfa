import { loadLuxon } from "../../base/luxon.js";

/** Forms that people and tools write and that the mapping reads only when told. */
const patterns = [
  "dd.MM.yyyy HH:mm:ss",
  "dd.MM.yyyy HH:mm",
  "dd/MM/yyyy HH:mm:ss",
  "MM/dd/yyyy HH:mm:ss",
  "dd/MM/yyyy HH:mm",
  "MM/dd/yyyy HH:mm",
  "M/d/yyyy h:mm:ss a",
  "M/d/yyyy h:mm a",
  "yyyy/MM/dd HH:mm:ss",
  "yyyyMMddHHmmss",
  "yyyyMMdd'T'HHmmss",
  "EEE, dd LLL yyyy HH:mm:ss ZZZ",
  "EEE LLL d HH:mm:ss yyyy",
  "LLL d, yyyy h:mm:ss a",
  "dd LLL yyyy HH:mm:ss",
] as const;

/** The one pattern that all these rejected times have; undefined where none or several fit. */
export function likelyPattern(messages: readonly string[]): string | undefined {
  const texts = messages.map(
    (message) => /is the text ("(?:[^"\\]|\\.)*"), which is no time/.exec(message)?.[1],
  );
  if (texts.length === 0 || texts.includes(undefined)) return undefined;
  const { DateTime } = loadLuxon();
  const times = texts.map((text) => JSON.parse(text ?? '""') as string);
  const fitting = patterns.filter((pattern) =>
    times.every((time) => DateTime.fromFormat(time, pattern, { locale: "en" }).isValid),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
