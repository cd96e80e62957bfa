import { isDeepStrictEqual } from "node:util";

/** Lists whose items get members from the service: identifiers and defaults. */
const completedLists: ReadonlySet<string> = new Set([
  "rules",
  "groups",
  "environments",
  "conditions",
  "variants",
]);

type Item = Readonly<Record<string, unknown>>;

/**
 * Returns true if a stored value is what a file says. Items of lists may say less, and null says nothing
 * about a member that is absent.
 */
export function agree(wanted: unknown, stored: unknown, field: string): boolean {
  if (wanted === null && stored === undefined) return true;
  if (!completedLists.has(field) || !Array.isArray(wanted) || !Array.isArray(stored)) {
    return isDeepStrictEqual(wanted, stored);
  }
  if (wanted.length !== stored.length) return false;
  return wanted.every((item: unknown, index) => itemsAgree(item, stored[index]));
}

function itemsAgree(wanted: unknown, stored: unknown): boolean {
  if (!isItem(wanted) || !isItem(stored)) return isDeepStrictEqual(wanted, stored);
  const { id: _, baseID: __, ...members } = wanted;
  return (
    identifiersAgree(wanted, stored) &&
    Object.entries(members).every(([key, value]) => agree(value, stored[key], key))
  );
}

/** The service makes identifiers that are not given, and those of the rules of dynamic configs. */
function identifiersAgree(wanted: Item, stored: Item): boolean {
  const [id, baseID] = [wanted["id"] || stored["id"], wanted["baseID"] || stored["baseID"]];
  if (baseID !== stored["baseID"]) return false;
  const isDerived = String(stored["id"]).startsWith(`${String(stored["baseID"])}:`);
  return id === stored["id"] || (isDerived && wanted["baseID"] !== undefined);
}

function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
