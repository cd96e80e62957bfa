/** Names of files that are not data, whatever they hold. */
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
