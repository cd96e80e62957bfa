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

/**
 * Ids that Amplitude has merged: the number of an organization and an hour, beside files of events.
 * https://amplitude.com/docs/data/destination-catalog/amazon-s3
 */
const MERGED_IDS = "-\\d+_\\d{4}-\\d\\d-\\d\\d_\\d{1,2}(#\\d+)?\\.json(\\.gz)?";

/** Tables of merged ids in a warehouse, `MERGE_IDS_<project>`. */
const MERGED_IDS_NAME = new RegExp(`(^|/)(${MERGED_IDS}|[^/]*merged?_ids[^/]*)$`, "i");

/** Returns true for the name of a file with merged ids. */
export function hasMergedIDs(name: string): boolean {
  return MERGED_IDS_NAME.test(name);
}

/** Names of files that hold no events, whatever their format. */
const DOCUMENT_NAME = new RegExp(
  `(^|/)(${[
    "(readme|licen[cs]e|copying|notice|changelog)(\\.(txt|rst))?",
    "manifest(\\.(txt|json|mf))?",
    "(checksums?|(md5|sha\\d+)(sums?)?)(\\.txt)?",
    "thumbs\\.db|desktop\\.ini",
    `[^/]*\\.(${[
      "md|rst|html?|pdf|docx?|rtf|odt|pptx?",
      "md5|sha\\d+|sfv|crc|crc32|asc|sig|manifest",
      "png|jpe?g|gif|svg|webp|ico|bmp|tiff?",
      "lnk|url|webloc|desktop",
    ].join("|")})`,
    MERGED_IDS,
  ].join("|")})$`,
  "i",
);

/**
 * Splits what was found in a directory, a bucket or a zip into data, and documents beside it. If there are
 * only documents, they are data, so that their errors say what they hold.
 */
export function withoutDocuments<One>(
  found: readonly One[],
  nameOf: (one: One) => string,
): { readonly data: readonly One[]; readonly documents: readonly One[] } {
  const isDocument = (one: One) => DOCUMENT_NAME.test(nameOf(one));
  const documents = found.filter(isDocument);
  if (documents.length === 0 || documents.length === found.length) {
    return { data: found, documents: [] };
  }
  return { data: found.filter((one) => !isDocument(one)), documents };
}
