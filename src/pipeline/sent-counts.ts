import { join } from "node:path";
import { countAcknowledged } from "../sinks/webhook/acknowledgements.js";
import { journalNameOf } from "../sinks/webhook/webhook-sink.js";
import type { Layout } from "./ledger/layout.js";
import { Ledger, type SplitRecord } from "./ledger/ledger.js";
import type { DeliveryCounts, SentCounts } from "./send-result.js";

/**
 * What became of events by now, in all runs of one directory: of finished splits by the ledger, of
 * the others by their journals.
 */
export async function countSent(layout: Layout): Promise<SentCounts> {
  const ledger = new Ledger(layout);
  const records = new Map((await ledger.readSplits()).map((record) => [record.id, record]));
  const splits = (await ledger.readRun())?.plan.splits ?? [];
  let sent: SentCounts = {
    ...{ delivered: 0, rejected: 0, retried: 0, possiblyTwice: 0, waitedMs: 0 },
    splitsDone: 0,
    splitsTotal: splits.length,
  };
  for (const { id } of splits) {
    const record = records.get(id);
    sent = record === undefined ? addJournal(sent, layout, id) : addRecord(sent, record);
  }
  return sent;
}

export function journalOf({ acknowledgedDirectory }: Layout, splitId: string): string {
  return join(acknowledgedDirectory, journalNameOf(splitId));
}

/** What a sink has counted, by the names that it gives. */
export function deliveryOf(counts: Readonly<Record<string, number>> = {}): DeliveryCounts {
  return {
    delivered: counts["delivered"] ?? 0,
    retried: counts["retried"] ?? 0,
    possiblyTwice: counts["possiblyTwice"] ?? 0,
    waitedMs: counts["waitedMs"] ?? 0,
  };
}

function addRecord(sent: SentCounts, { rows, counts, status }: SplitRecord): SentCounts {
  const { rejected } = rows;
  const splitsDone = sent.splitsDone + (status === "complete" ? 1 : 0);
  return { ...add(sent, { ...deliveryOf(counts), rejected }), splitsDone };
}

function addJournal(sent: SentCounts, layout: Layout, splitId: string): SentCounts {
  const counts = countAcknowledged(journalOf(layout, splitId));
  const { delivered, refused: rejected, unknown: possiblyTwice, retried, waitedMs } = counts;
  return add(sent, { delivered, rejected, retried, possiblyTwice, waitedMs });
}

function add(sent: SentCounts, more: Omit<SentCounts, "splitsDone" | "splitsTotal">): SentCounts {
  return {
    ...sent,
    delivered: sent.delivered + more.delivered,
    rejected: sent.rejected + more.rejected,
    retried: sent.retried + more.retried,
    possiblyTwice: sent.possiblyTwice + more.possiblyTwice,
    waitedMs: sent.waitedMs + more.waitedMs,
  };
}
