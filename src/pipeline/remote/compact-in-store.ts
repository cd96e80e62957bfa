import { join } from "node:path";
import { mapBounded } from "../../base/map-bounded.js";
import { type CompactResult, compactExport, joinedPaths } from "../compact/compact-export.js";
import { MANIFEST_NAME } from "../ledger/layout.js";
import { readManifest } from "../verify/verify-manifest.js";
import { type StoredOutput, withLockedCopy } from "./output-copy.js";

const FETCHES_MAX = 4;

/**
 * Joins the small parts of an output in a store. The joined parts and the manifest are written before the
 * small ones are removed, as a store cannot do both at once. Throws what `compactExport` throws, and
 * `StoreError`.
 */
export async function compactInStore(output: StoredOutput): Promise<CompactResult> {
  return withLockedCopy(output, async ({ mirror, directory, address }, lock) => {
    const manifest = await readManifest(join(directory, MANIFEST_NAME));
    await mapBounded(joinedPaths(manifest), FETCHES_MAX, (path) => mirror.fetchContent(path));
    const result = await compactExport(directory, output.signal);
    await mirror.publish(lock);
    return { ...result, directory: address };
  });
}
