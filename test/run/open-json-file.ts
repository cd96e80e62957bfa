import { JsonReader } from "../../src/readers/json/json-reader.js";
import type { OpenReader } from "../../src/readers/reader.js";
import { openBytes } from "../../src/sources/open-bytes.js";

/** Opens newline-delimited files without the rest of the readers. */
export const openJsonFile: OpenReader = async (kernel, range, fields, options) => {
  const bytes = await openBytes(range.source, range.start, options);
  return new JsonReader(kernel, range, fields, bytes, "lines", options);
};
