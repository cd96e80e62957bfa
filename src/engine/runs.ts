import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import type { RunContext } from "../ledger/run-observer.js";
import {
  type RequestKind,
  type StoreUsage,
  storeUsage,
  storeUsageSince,
  storeWait,
} from "../store/store-usage.js";

/** The runs that commands and the library start. Each loads its code when it starts. */
export const runs = {
  export: watched(async () => (await import("./run-export.js")).runExport),
  shard: watched(async () => (await import("./run-export.js")).runShard),
  worker: watched(async () => (await import("../distributed/queue-worker.js")).runWorker),
  stream: watched(async () => (await import("../run/stream/stream-events.js")).streamEvents),
  send: watched(async () => (await import("./run-send.js")).runSend),
  validate: watched(async () => (await import("./run-validate.js")).runValidate),
  identities: watched(async () => (await import("./run-identities.js")).runIdentities),
  count: lazily(async () => (await import("./run-count.js")).runCount),
  ready: lazily(async () => (await import("./run-ready.js")).runReady),
  verify: lazily(async () => (await import("./run-verify.js")).runVerify),
};

export type Runs = typeof runs;

/** A run of a request; some take more arguments. */
type Run<Request, More extends unknown[], Result> = (
  request: Request,
  context: RunContext,
  ...more: More
) => Promise<Result>;

function lazily<Request, More extends unknown[], Result>(
  load: () => Promise<Run<Request, More, Result>>,
): Run<Request, More, Result> {
  return async (...given) => (await load())(...given);
}

/** Returns a run whose requests to object stores are watched. */
function watched<Request, More extends unknown[], Result extends object>(
  load: () => Promise<Run<Request, More, Result>>,
): Run<Request, More, Result & { readonly store?: StoreUsage }> {
  return (request, context, ...more) =>
    watchStore(context, async () => (await load())(request, context, ...more));
}

const LOOK_INTERVAL_MS = 1_000;

/** Shorter waits are not reported. */
const WAIT_MS_MIN = 5_000;
const NOTE_INTERVAL_MS = 30_000;

/**
 * Runs `work`. If it uses object stores, notes long waits, and adds the number of requests to its result.
 */
async function watchStore<Result extends object>(
  { observer }: RunContext,
  work: () => Promise<Result>,
): Promise<Result & { readonly store?: StoreUsage }> {
  const before = storeUsage();
  let notedMs = 0;
  const timer = setInterval(() => {
    const wait = storeWait();
    const now = Date.now();
    if (wait === undefined || now - wait.sinceMs < WAIT_MS_MIN || now - notedMs < NOTE_INTERVAL_MS)
      return;
    notedMs = now;
    observer.note?.(`waiting for the store: ${wait.reason}`);
  }, LOOK_INTERVAL_MS);
  try {
    const result = await work();
    const store = storeUsageSince(before);
    if (store !== undefined) observer.note?.(describeUsage(store));
    return { ...result, ...omitUndefined({ store }) };
  } finally {
    clearInterval(timer);
  }
}

function describeUsage({ requests, bytesRead, bytesWritten }: StoreUsage): string {
  const kinds = Object.entries(requests) as [RequestKind, number][];
  const used = kinds.filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${kind}`);
  const total = sum(kinds, ([, count]) => count);
  return (
    `store: ${total} requests (${used.join(", ")}), ` +
    `${megabytes(bytesRead)} MB read, ${megabytes(bytesWritten)} MB written`
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
