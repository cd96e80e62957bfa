import type { AnyObject } from "./fields.js";

const nothing: AnyObject = {};

export function objectOf(value: unknown): AnyObject {
  return typeof value === "object" && value !== null ? (value as AnyObject) : nothing;
}

/** Returns a member of an object itself; undefined for null. */
export function own(holder: AnyObject, name: string): unknown {
  return Object.hasOwn(holder, name) ? (holder[name] ?? undefined) : undefined;
}

/** Does what `own` does, else returns the member whose name differs in upper and lower case. */
export function inAnyCase(holder: AnyObject, name: string): unknown {
  const given = own(holder, name);
  if (given !== undefined) return given;
  const lower = name.toLowerCase();
  const other = Object.keys(holder).find((key) => key.toLowerCase() === lower);
  return other === undefined ? undefined : own(holder, other);
}

/** Returns a user's id of a type, as SDKs find it: `userID`, or one of `customIDs`. */
export function unitIDOf(user: AnyObject, idType: string): string | undefined {
  const isUser = idType.toLowerCase() === "userid";
  const id = isUser ? own(user, "userID") : inAnyCase(objectOf(own(user, "customIDs")), idType);
  return id === undefined ? undefined : String(id);
}
