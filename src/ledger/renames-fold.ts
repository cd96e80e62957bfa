import { createHash } from "node:crypto";
import { epochOf } from "../base/epoch.js";
import type { TargetOptions } from "../mapper/mapper-options.js";
import { type Layout, layoutOfEpoch, RENAMES_NAME } from "../output/layout.js";
import { RenameFold, type Renames } from "../target/renames.js";
import type { Repair } from "../target/target-rules.js";
import { Ledger } from "./ledger.js";
import type { SplitRecord } from "./ledger-records.js";
import type { ManifestRenames } from "./manifest.js";
import { inOrder } from "./run-accounts.js";

/** The names that committed splits have repaired, and the file that lists them. */
interface FoldedRenames {
  readonly renames?: ManifestRenames;
  /** Content by absolute path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Returns the names that a run has repaired; nothing if it repairs none. Throws `names_too_many`. */
export async function foldRepairs(
  layout: Layout,
  records: readonly SplitRecord[],
  target: TargetOptions | undefined,
): Promise<FoldedRenames> {
  if (target === undefined || target.repair.length === 0) return { files: {} };
  const { renames: found } = await foldRenames(layout, records, target, target.repair);
  const { version, names: _, metadata: __, users: ___, ...rest } = found;
  // Without its repair, a name that the target does not take is delivered as it is.
  const [names, metadata, users] = (["names", "metadata", "users"] as const).map((part) =>
    target.repair.includes(part) ? found[part] : [],
  ) as [Renames["names"], Renames["metadata"], Renames["users"]];
  const text = `${JSON.stringify({ version, ...rest, names, metadata, users }, undefined, 1)}\n`;
  return {
    renames: {
      path: RENAMES_NAME,
      bytes: Buffer.byteLength(text),
      sha256: createHash("sha256").update(text).digest("hex"),
      target: rest.target,
      names: names.length,
      metadata: metadata.length,
      users: users.length,
    },
    files: { [layout.renamesFile]: text },
  };
}

/**
 * Adds up the names of committed splits that the target does not take as they are. Returns the parts with
 * more names than are listed, too. All those of the parts in `needed` are listed, else it throws
 * `names_too_many`.
 */
export async function foldRenames(
  layout: Layout,
  records: readonly SplitRecord[],
  { rules }: TargetOptions,
  needed: readonly Repair[],
): Promise<{ readonly renames: Renames; readonly cut: ReadonlySet<Repair> }> {
  const fold = new RenameFold(needed);
  // One at a time: together they can take much memory.
  for (const { id } of inOrder(records)) {
    fold.add(await new Ledger(layoutOfEpoch(layout, epochOf(id))).readRenames(id));
  }
  return { renames: fold.result(rules), cut: fold.cut };
}
