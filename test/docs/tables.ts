import { readFileSync } from "node:fs";

/** The codes in the first column of a page's tables, in their order. */
export function codesInTables(page: string): string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  return [...text.matchAll(/^\| `([a-z][a-z0-9_]*)` \|/gm)].map(([, code]) => code as string);
}
