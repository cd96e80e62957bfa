/**
 * A text as an SQL string literal, its quotes doubled; undefined where no literal is safe: warehouses
 * disagree on what a backslash in a literal means, and on control characters.
 */
export function sqlLiteral(text: string): string | undefined {
  if (/[\\\p{Cc}\p{Cs}]/u.test(text)) return undefined;
  return `'${text.replaceAll("'", "''")}'`;
}
