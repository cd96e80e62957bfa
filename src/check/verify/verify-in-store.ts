import { mapBounded } from "../../base/map-bounded.js";
import type { ManifestFile } from "../../ledger/manifest.js";
import { readManifest } from "../../ledger/manifest-file.js";
import { INPUTS_NAME, MANIFEST_NAME } from "../../output/layout.js";
import { type OutputCopy, withCopy } from "../../output/output-copy.js";
import { isOfLedger } from "../../output/output-paths.js";
import type { SignalledPlace } from "../../output/output-place.js";
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
  return withCopy(
    output,
    (path) => !isOfLedger(path),
    async (copy) => {
      const { directory, mirror, address } = copy;
      for (const path of mirror.paths)
        if (path.startsWith("rejects/") || path === INPUTS_NAME) await mirror.fetchContent(path);
      const digests = readsAll ? new Map() : await readDigests(copy);
      const result = await verifyExport(directory, {
        ...dependencies,
        contents: {
          compare: (file) => compareDigest(file, digests.get(file.path)),
          fetch: (path) => mirror.fetchContent(path),
          drop: (path) => mirror.dropContent(path),
        },
      });
      return { ...result, manifestPath: `${address}/${MANIFEST_NAME}` };
    },
  );
}

/** Returns the SHA-256 of the existing parts for which the store has one. */
async function readDigests({
  directory,
  mirror,
}: OutputCopy): Promise<ReadonlyMap<string, string>> {
  const manifest = await readManifest(`${directory}/${MANIFEST_NAME}`);
  const files = manifest.days.flatMap((day) => day.files);
  const digests = new Map<string, string>();
  await mapBounded(files, HEADS_MAX, async ({ path }) => {
    const head = await mirror.describe(path);
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
