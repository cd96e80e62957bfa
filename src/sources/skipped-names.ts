import { posix } from "node:path";

/** Returns true if a part of a name, between slashes, is hidden: it begins with a dot or an underscore. */
export function isHiddenPart(part: string): boolean {
  return (part.startsWith(".") && part !== "." && part !== "..") || part.startsWith("_");
}

/** Returns true if any part of a relative path is hidden. */
export function isHidden(name: string): boolean {
  return name.split("/").some(isHiddenPart);
}

/**
 * Returns a check of names that match a pattern: each hidden part of the name must be named by the part of
 * the pattern that matches it, which begins with the same dot or underscore. Holds for files and objects.
 */
export async function createNamedCheck(pattern: string): Promise<(name: string) => boolean> {
  const { default: picomatch } = await import("picomatch");
  const patterns = expandBraces(pattern).map((one) =>
    partsOf(one).map((part) => ({
      isDeep: part.includes("**"),
      start: part[0],
      matches: part === "" ? (own: string) => own === "" : picomatch(part, { dot: true }),
    })),
  );
  type Parts = (typeof patterns)[number];
  const isNamed = ([part, ...others]: Parts, [own, ...rest]: readonly string[]): boolean => {
    if (part === undefined) return own === undefined;
    if (part.isDeep && isNamed(others, own === undefined ? [] : [own, ...rest])) return true;
    if (own === undefined || (isHiddenPart(own) && part.start !== own[0])) return false;
    return part.isDeep
      ? isNamed([part, ...others], rest)
      : part.matches(own) && isNamed(others, rest);
  };
  return (name) => !isHidden(name) || patterns.some((parts) => isNamed(parts, partsOf(name)));
}

function partsOf(path: string): readonly string[] {
  return posix.normalize(path).replace(/\/$/, "").split("/");
}

/** Expands the braces in which a hidden part or a further part can begin. */
function expandBraces(pattern: string): readonly string[] {
  const [all, choices = ""] = /\{([^{}]*,[^{}]*)\}/.exec(pattern) ?? [];
  if (all === undefined) return [pattern];
  return choices.split(",").flatMap((choice) => expandBraces(pattern.replace(all, () => choice)));
}
