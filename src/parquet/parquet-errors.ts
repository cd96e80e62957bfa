import { SourceError } from "../base/errors.js";
import type { Source } from "../sources/source.js";
import { corrupt, unsupported } from "../sources/source-errors.js";

/** A page cannot be read; the message says why. Becomes an error of the source. */
export class PageError extends Error {}

/** `what`: the damage, as part of a sentence about the file. */
export function damaged(source: Source, what: string, cause?: unknown): SourceError {
  return corrupt(source.name, `the Parquet file is damaged: ${what}`, { cause });
}

export function columnDamaged(source: Source, column: string, what: string, cause?: unknown) {
  return damaged(source, `column ${JSON.stringify(column)}: ${what}`, cause);
}

/** `what`: what the column is, with its article. */
export function columnUnsupported(source: Source, column: string, what: string): SourceError {
  const advice = "Write the file again without it, or with another type.";
  return unsupported(source.name, `column ${JSON.stringify(column)} is ${what}`, advice);
}

export function encryptedParquet(source: Source): SourceError {
  const reason = "the Parquet file is encrypted. Decrypt it, and pass the decrypted file.";
  return new SourceError("source_encrypted", { source: source.name }, reason);
}
