import type { AnyObject } from "../contract/fields.js";

/** A JSON Schema (2020-12), and values that must fit it. */
export interface SchemaQuestion {
  /** JSON text. */
  readonly schema: string;
  readonly values: readonly AnyObject[];
}

/** A fault of the schema or of one of the values. */
export interface CheckFault {
  /** Index of the value; undefined for the schema itself. */
  readonly value: number | undefined;
  readonly reason: string;
}

/** Checks values with schemas of untrusted authors. */
export interface SchemaChecker {
  /**
   * Returns at most one fault for each value. A schema that cannot be checked within its limits is a
   * fault. Throws a 503 while too many checks wait.
   */
  check(question: SchemaQuestion): Promise<readonly CheckFault[]>;
  /** Aborts running checks. */
  close(): Promise<void>;
}
