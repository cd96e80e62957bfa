/** What SQLite's driver does not give back as it was: NUL ends the text, half a pair is replaced. */
const unsafe = /[\0\u2400\ud800-\udfff]/gu;
const escaped = /\u2400([0-9a-f]{4})/g;

/**
 * A text as it is stored. Different texts stay different; all but the oddest are stored as they are.
 * The others have `␀` (U+2400) and four hexadecimal digits in place of NUL, `␀` and lone surrogates.
 */
export function storedText(text: string): string {
  return text.replace(
    unsafe,
    (unit) => `\u2400${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function originalText(stored: string): string {
  return stored.replace(escaped, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
