import { writeLines } from "../base/line-file.js";
import { asOutput } from "../base/output-error.js";
import { INPUTS_NAME, type Layout } from "./ledger/layout.js";
import type { ManifestInput, ManifestInputs, SourceFailure } from "./manifest.js";
import type { Plan } from "./plan.js";

/**
 * Writes `inputs.jsonl`: a line for each source, in the order of the epochs. Returns what the manifest
 * says about it. Call it before the manifest is written.
 */
export async function writeInputs(
  { inputsFile, temporaryDirectory }: Layout,
  { sources }: Plan,
  failures: readonly SourceFailure[],
): Promise<ManifestInputs> {
  const lines = formatInputs(sources, failures);
  const written = await asOutput(inputsFile, () =>
    writeLines(inputsFile, lines, temporaryDirectory),
  );
  return { path: INPUTS_NAME, count: sources.length, ...written };
}

function* formatInputs(
  sources: Plan["sources"],
  failures: readonly SourceFailure[],
): Generator<string> {
  const failed = new Map(failures.map((failure) => [failure.source, failure]));
  for (const { name, size: bytes, fingerprint, format } of sources) {
    const failure = failed.get(name);
    const input: ManifestInput = { name, bytes, fingerprint, format: format.kind };
    yield JSON.stringify(failure === undefined ? input : { ...input, failure });
  }
}
