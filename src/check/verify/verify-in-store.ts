import { mapBounded } from "../../base/map-bounded.js";
import type { ManifestFile } from "../../ledger/manifest.js";
import { readManifest } from "../../ledger/manifest-file.js";
import { MANIFEST_NAME } from "../../output/layout.js";
import { withStoredFiles } from "../../output/open-files.js";
import { isAccount } from "../../output/output-paths.js";
import type { SignalledPlace } from "../../output/output-place.js";
import type { StoredFiles } from "../../output/stored-files.js";
import { SHA256_METADATA } from "../../store/object-url.js";
import { type VerifyDependencies, type VerifyResult, verifyExport } from "./verify.js";
import { compare, type Difference } from "./verify-difference.js";

const HEADS_MAX = 16;

/**
 * Compares an export in a store with its manifest: the stored size and SHA-256 of each part, or
 * with `readsAll` its content. Always reads a part without a stored SHA-256, such as one that
 * another program has copied. Throws like `verifyExport`, and `StoreError`.
 */
export async function verifyInStore(
  output: SignalledPlace,
  readsAll: boolean,
  dependencies: VerifyDependencies,
): Promise<VerifyResult> {
  return withStoredFiles(output, isAccount, async (files) => {
    const digests = readsAll ? new Map() : await readDigests(files);
    const result = await verifyExport(files, {
      ...dependencies,
      compareUnread: (file) => compareDigest(file, digests.get(file.path)),
    });
    return { ...result, manifestPath: `${files.address}/${MANIFEST_NAME}` };
  });
}

/** Returns the SHA-256 of the existing parts for which the store has one. */
async function readDigests(files: StoredFiles): Promise<ReadonlyMap<string, string>> {
  const manifest = await readManifest(`${files.directory}/${MANIFEST_NAME}`);
  const listed = manifest.days.flatMap((day) => day.files);
  const digests = new Map<string, string>();
  await mapBounded(listed, HEADS_MAX, async ({ path }) => {
    const head = await files.describe(path);
    const digest = head?.metadata[SHA256_METADATA];
    if (digest !== undefined) digests.set(path, digest);
  });
  return digests;
}

/** Returns undefined if the store has no digest of a file, which must then be read. */
function compareDigest(
  { path, sha256 }: ManifestFile,
  digest: string | undefined,
): readonly Difference[] | undefined {
  return digest === undefined
    ? undefined
    : compare("sha256_differs", path, "SHA-256", digest, sha256);
}
