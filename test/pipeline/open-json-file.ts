import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { JsonReader } from "../../src/readers/json/json-reader.js";
import type { OpenReader } from "../../src/readers/reader.js";

/** Opens small newline-delimited files without the rest of the readers. */
export const openJsonFile: OpenReader = async (kernel, range, fields, options) => {
  const content = await readFile(range.source.path);
  const data = range.source.codecs.includes("gzip") ? gunzipSync(content) : content;
  let position = 0;
  const bytes = {
    consumed: 0,
    read(target: Uint8Array): number {
      const part = data.subarray(position, position + target.length);
      target.set(part);
      position += part.length;
      return part.length;
    },
    close: async () => undefined,
  };
  return new JsonReader(kernel, range, fields, bytes, "lines", options);
};
