/** Characters that SQLite's driver changes: NUL ends the text, a lone surrogate is replaced. */
const unsafe = /[\0\u2400\ud800-\udfff]/gu;
const escaped = /\u2400([0-9a-f]{4})/g;

/**
 * Returns a text as it is stored; different texts stay different. Almost every text is stored
 * unchanged. NUL, `␀` (U+2400) and lone surrogates become `␀` and four hexadecimal digits.
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
