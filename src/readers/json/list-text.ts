/** Returns a list as JSON that a text contains; undefined for any other text. */
export function listIn(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  if (!trimmed.startsWith("[")) return undefined;
  try {
    JSON.parse(trimmed);
    return trimmed;
  } catch {
    return undefined;
  }
}
