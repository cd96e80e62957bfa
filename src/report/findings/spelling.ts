/**
 * Groups of names that are the same but for case, width and white space; within a group the most
 * frequent first. Names that nothing is like are in none.
 */
export function alikeGroups<T extends { readonly rows: number }>(
  ones: readonly T[],
  nameOf: (one: T) => string,
): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const one of ones) {
    const key = nameOf(one).normalize("NFKC").toLowerCase().replaceAll(/\s+/g, "");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => [...group].sort((one, other) => other.rows - one.rows));
}
