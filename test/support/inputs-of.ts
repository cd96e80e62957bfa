import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ManifestInput } from "../../src/ledger/manifest.js";

/** Returns the inputs that an export lists beside its manifest. */
export function inputsOf(output: string): readonly ManifestInput[] {
  const lines = readFileSync(join(output, "inputs.jsonl"), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}
