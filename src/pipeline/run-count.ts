import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asOutput } from "../base/output-error.js";
import type { CountManifest, CountResult } from "./count-result.js";
import { foldEvents } from "./event-fold.js";
import { layoutOf } from "./ledger/layout.js";
import { Ledger } from "./ledger/ledger.js";
import type { SplitRecord } from "./ledger/ledger-records.js";
import { recordRunOptions } from "./ledger/recorded-options.js";
import { checkEvents } from "./manifest-fold.js";
import type { CountRequest } from "./options.js";
import type { RunContext } from "./progress.js";
import { type AccountFacts, foldAccounts } from "./run-accounts.js";
import { exceeds, outcomeOf, type RunOutside, runSplits } from "./run-splits.js";

/**
 * Reads and maps inputs like an export of the same options, and counts the events that it would
 * deliver. Nothing is kept: the ledger is in a directory of its own below `scratchDirectory`, which is
 * removed at the end, however it ends. Throws like `runSplits`.
 */
export async function runCount(
  request: CountRequest,
  context: RunContext,
  outside: RunOutside,
  scratchDirectory = tmpdir(),
): Promise<CountResult> {
  const recorded = await recordRunOptions(request);
  const outputDirectory = await asOutput(scratchDirectory, () =>
    mkdtemp(join(scratchDirectory, "switchyard-count-")),
  );
  const layout = layoutOf(outputDirectory, "events");
  const ledger = new Ledger(layout);
  try {
    const ended = await runSplits<CountManifest>(
      {
        ...{ options: { ...request, outputDirectory }, recorded, layout },
        fold: async (facts, records) => ({ manifest: await foldCount(facts, records, ledger) }),
      },
      context,
      outside,
    );
    const { manifest } = ended;
    const tooManyRejects = exceeds(manifest.rows, request.maxRejects);
    return { outcome: outcomeOf(ended), manifest, tooManyRejects };
  } finally {
    await rm(outputDirectory, { recursive: true, force: true });
  }
}

async function foldCount(
  facts: AccountFacts,
  records: readonly SplitRecord[],
  ledger: Ledger,
): Promise<CountManifest> {
  const accounts = foldAccounts(facts, records);
  const { byDay: _, ...events } = (await foldEvents(ledger, records)).result([]);
  checkEvents(accounts.rows, events);
  return { ...accounts, ...events };
}
