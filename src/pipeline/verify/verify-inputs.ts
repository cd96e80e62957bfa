import { join } from "node:path";
import { hasCode } from "../../base/error-code.js";
import { readLines } from "../../base/line-file.js";
import { INPUTS_NAME } from "../ledger/layout.js";
import type { Manifest } from "../manifest.js";
import { compare, type Difference, difference } from "./verify-difference.js";

/** Compares the list of inputs with the manifest. */
export async function verifyInputs(
  directory: string,
  { inputs, epochs }: Manifest,
): Promise<readonly Difference[]> {
  let count = 0;
  try {
    const found = await readLines(join(directory, INPUTS_NAME), () => count++);
    const planned = epochs.reduce((sum, { sources }) => sum + sources, 0);
    return [
      ...compare("bytes_differ", INPUTS_NAME, "size in bytes", found.bytes, inputs.bytes),
      ...compare("sha256_differs", INPUTS_NAME, "SHA-256", found.sha256, inputs.sha256),
      ...compare("totals_differ", INPUTS_NAME, "inputs", count, inputs.count),
      ...compare("totals_differ", INPUTS_NAME, "inputs of all epochs", count, planned),
    ];
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    return [difference("file_missing", INPUTS_NAME, "the file does not exist")];
  }
}
