import type { JsonObject } from "../contract/fields.js";

/** A JSON Schema (2020-12), and values that have to fit it. */
export interface SchemaQuestion {
  /** JSON text. */
  readonly schema: string;
  readonly values: readonly JsonObject[];
}

/** What is wrong with the schema, or with one of the values. */
export interface SchemaFault {
  /** Index of the value; undefined where it is the schema itself. */
  readonly value: number | undefined;
  readonly reason: string;
}

/** Compiles schemas that anybody may have written, and checks values with them. */
export interface SchemaChecker {
  /**
   * At most one fault for each value; none where all is well. A schema that cannot be checked within
   * bounds is at fault itself. Throws a 503 while there is too much to check.
   */
  check(question: SchemaQuestion): Promise<readonly SchemaFault[]>;
  /** Gives up what is under way. */
  close(): Promise<void>;
}
