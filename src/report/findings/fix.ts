import type { Fix } from "../../profile/report.js";

export function fixOf(path: readonly string[], value: unknown, isSafe: boolean): Fix {
  return { path, value, line: configurationLine(path, value), isSafe };
}

/** As one would type it: `"mapping": {"timestamp": "time"}` for `["mapping", "timestamp"]`. */
export function configurationLine(
  [first = "", ...rest]: readonly string[],
  value: unknown,
): string {
  const nested = rest.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return `${JSON.stringify(first)}: ${jsonOf(nested)}`;
}

/** JSON on one line with a space after each comma and colon, as people write it. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${jsonOf(one)}`,
  );
  return `{${members.join(", ")}}`;
}
