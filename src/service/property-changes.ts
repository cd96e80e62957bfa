import { isDeepStrictEqual } from "node:util";
import { isObject } from "../base/is-object.js";
import type { PropertyChange } from "../contract/audit-log.js";
import type { AnyObject } from "../contract/fields.js";

/** Fields that every write changes: the entry of the audit log has them. */
const stamps = ["version", "lastModifiedTime", "lastModifierID", "lastModifierName"];

/** Fields that name an item of a list, the first that all items have. */
const itemKeys = ["id", "key", "unitID", "name"];

/**
 * Returns the properties of an entity that differ between two states, each at its deepest path:
 * `rules[beta].passPercentage`. Items of lists are paired by their id, key or name, and a list whose items
 * are ordered otherwise is a change of its own. Lists without such names are compared as a whole.
 */
export function propertyChanges(before: AnyObject, after: AnyObject): readonly PropertyChange[] {
  const changes: PropertyChange[] = [];
  compareObjects(without(before, stamps), without(after, stamps), "", changes);
  return changes;
}

function without(body: AnyObject, names: readonly string[]): AnyObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

function compare(before: unknown, after: unknown, path: string, changes: PropertyChange[]): void {
  if (isDeepStrictEqual(before, after)) return;
  if (isObject(before) && isObject(after)) {
    compareObjects(before, after, path === "" ? "" : `${path}.`, changes);
    return;
  }
  const key = itemKeys.find((name) => isNamedBy(before, name) && isNamedBy(after, name));
  if (key === undefined) changes.push(changed(path, before, after));
  else compareItems(named(before, key), named(after, key), path, changes);
}

function compareObjects(
  before: AnyObject,
  after: AnyObject,
  prefix: string,
  changes: PropertyChange[],
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compare(before[name], after[name], `${prefix}${name}`, changes);
  }
}

type Items = ReadonlyMap<string, AnyObject>;

function compareItems(before: Items, after: Items, path: string, changes: PropertyChange[]): void {
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    compare(before.get(name), after.get(name), `${path}[${name}]`, changes);
  }
  const kept = [...before.keys()].filter((name) => after.has(name));
  const keptAfter = [...after.keys()].filter((name) => before.has(name));
  if (!isDeepStrictEqual(kept, keptAfter)) changes.push(changed(path, kept, keptAfter));
}

function changed(property: string, before: unknown, after: unknown): PropertyChange {
  return {
    property,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

/** Returns true for a list of objects that each have another text under the name. */
function isNamedBy(value: unknown, name: string): value is readonly AnyObject[] {
  if (!Array.isArray(value)) return false;
  const names = value.map((item) => (isObject(item) ? item[name] : undefined));
  return names.every((one) => typeof one === "string") && new Set(names).size === names.length;
}

function named(items: unknown, key: string): Items {
  return new Map((items as readonly AnyObject[]).map((item) => [String(item[key]), item]));
}
