import { settleCompaction } from "../check/compact/settle-compaction.js";
import { type VerifyResult, verifyExport } from "../check/verify/verify.js";
import { openRange } from "../formats/input-formats.js";
import type { RunContext } from "../ledger/run-observer.js";
import { withFiles } from "../output/open-files.js";
import { isAccount } from "../output/output-paths.js";
import type { OutputPlace } from "../output/output-place.js";

/** Compares an export with its manifest. `readsAll`: also read files for which a store has checksums. */
export async function runVerify(
  { directory, s3, readsAll = false }: OutputPlace & { readonly readsAll?: boolean },
  context: RunContext,
): Promise<VerifyResult> {
  const place = { directory, s3, signal: context.signal };
  await settleCompaction(place);
  return withFiles(place, isAccount, (files) =>
    verifyExport(files, { ...context, openReader: openRange, readsAll }),
  );
}
