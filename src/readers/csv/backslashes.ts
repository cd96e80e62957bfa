// Texts of dialects in which a backslash escapes any character, as in src/kernels/csv/csv-backslash.ts.

/** A cell with this text is null. */
export const NULL_CELL = "\\N";

/** Control characters by the letter that stands for them. */
export const controlCharacters: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  b: "\b",
  f: "\f",
  v: "\v",
};

export function unescapeText(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, character: string) => {
    return controlCharacters[character] ?? character;
  });
}
