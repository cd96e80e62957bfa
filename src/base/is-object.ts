/** Returns true for values that JSON writes as an object, and for other objects that are not lists. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
