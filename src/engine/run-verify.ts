import { settleCompaction } from "../check/compact/settle-compaction.js";
import type { VerifyResult } from "../check/verify/verify.js";
import { openRange } from "../formats/input-formats.js";
import type { RunContext } from "../ledger/run-observer.js";
import { directoryFiles } from "../output/directory-files.js";
import type { OutputPlace } from "../output/output-place.js";
import { isObjectUrl } from "../store/object-url.js";

/** Compares an export with its manifest. `readsAll`: also read files for which a store has checksums. */
export async function runVerify(
  { directory, s3, readsAll = false }: OutputPlace & { readonly readsAll?: boolean },
  context: RunContext,
): Promise<VerifyResult> {
  const dependencies = { ...context, openReader: openRange };
  const output = { directory, s3, signal: context.signal };
  await settleCompaction(output);
  if (isObjectUrl(directory)) {
    const { verifyInStore } = await import("../check/verify/verify-in-store.js");
    return verifyInStore(output, readsAll, dependencies);
  }
  const { verifyExport } = await import("../check/verify/verify.js");
  return verifyExport(directoryFiles(directory), dependencies);
}
