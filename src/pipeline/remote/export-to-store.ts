import { MANIFEST_NAME } from "../ledger/layout.js";
import type { ExportOptions } from "../options.js";
import type { ExportResult } from "../run-export.js";
import type { RunPublisher } from "../run-job.js";
import type { RunContext } from "../run-observer.js";
import { withLockedCopy } from "./output-copy.js";
import { StorePublisher } from "./store-publisher.js";

/**
 * Makes `run` an export whose output is in a store. It works on a copy of the output; each split and each merge
 * is written to the store as soon as it is finished, the manifest last. Throws what `runExport` throws,
 * `StoreError`, `output_lock_lost` and `output_changed`.
 */
export async function exportToStore(
  options: ExportOptions,
  { signal, observer }: RunContext,
  run: (
    options: ExportOptions,
    context: RunContext,
    publisher: RunPublisher,
  ) => Promise<ExportResult>,
): Promise<ExportResult> {
  const { outputDirectory: address, s3, unsafeLock, notInputs } = options;
  return withLockedCopy({ address, s3, unsafeLock, signal }, async (copy, lock) => {
    const { mirror, directory: outputDirectory, inAddress } = copy;
    if (lock.takenOverFrom !== undefined)
      observer.note?.(`process ${lock.takenOverFrom.pid} died in this output`);
    const context: RunContext = {
      signal: AbortSignal.any([signal, lock.lost]),
      observer: { ...observer, note: (text) => observer.note?.(inAddress(text)) },
    };
    const local = { ...options, outputDirectory, notInputs: [...notInputs, copy.address] };
    const publisher = new StorePublisher(mirror, () => lock);
    const result = await run(local, context, publisher);
    lock.lost.throwIfAborted();
    await mirror.publish(lock);
    return { ...result, manifestPath: `${copy.address}/${MANIFEST_NAME}` };
  });
}
