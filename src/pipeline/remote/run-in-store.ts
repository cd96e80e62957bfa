import { MANIFEST_NAME } from "../ledger/layout.js";
import type { StoredOptions } from "../options.js";
import type { RunPublisher } from "../run-job.js";
import type { RunContext } from "../run-observer.js";
import { withLockedCopy } from "./output-copy.js";
import { StorePublisher } from "./store-publisher.js";

/**
 * Makes `run` one whose output is in a store. It works on a copy of the output; each split and each merge
 * is written to the store as soon as it is finished, the manifest last. Throws what `run` throws,
 * `StoreError`, `output_lock_lost` and `output_changed`.
 */
export async function runInStore<
  Options extends StoredOptions,
  Result extends { readonly manifestPath: string },
>(
  options: Options,
  { signal, observer }: RunContext,
  run: (options: Options, context: RunContext, publisher: RunPublisher) => Promise<Result>,
): Promise<Result> {
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
