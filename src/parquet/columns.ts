import { SourceError } from "../base/errors.js";
import type { Source } from "../sources/source.js";
import { readFooter } from "./footer.js";
import { RandomAccess, type RandomAccessOptions } from "./random-access.js";
import { buildSchema } from "./schema-tree.js";

/** Returns the names of the columns of a source; none if its footer cannot be read, as its reader says why. */
export async function columnNames(
  source: Source,
  options: RandomAccessOptions,
): Promise<readonly string[]> {
  try {
    const file = await RandomAccess.open(source, options);
    try {
      const { schema } = await readFooter(file);
      return buildSchema(schema, source).map(({ name }) => name);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof SourceError) return [];
    throw error;
  }
}
