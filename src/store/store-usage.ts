import { setTimeout as sleep } from "node:timers/promises";
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";

/** Kinds of requests, as stores charge for them. */
const requestKinds = ["list", "get", "head", "put", "delete"] as const;
export type RequestKind = (typeof requestKinds)[number];

/** Requests to object stores by all threads of a process. */
export interface StoreUsage {
  readonly requests: Readonly<Record<RequestKind, number>>;
  /** Bytes of objects. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

const BYTES_READ = requestKinds.length;
const BYTES_WRITTEN = BYTES_READ + 1;
/** Milliseconds since 1970 UTC at which the next request may be made, in microseconds. */
const NEXT_SLOT = BYTES_READ + 2;
/** Calls that wait for a store. */
const WAITING = BYTES_READ + 3;
/** Milliseconds since 1970 UTC since when a call has been waiting. */
const WAITING_SINCE = BYTES_READ + 4;
const CELLS = BYTES_READ + 5;
const TEXT_BYTES = 300;

const memory = sharedMemory("switchyard-store-usage", CELLS * 8 + TEXT_BYTES);
const cells = new BigInt64Array(memory, 0, CELLS);
const text = new Uint8Array(memory, CELLS * 8, TEXT_BYTES);

/** Returns memory that the main thread creates and each new thread is given. It begins as zeros. */
export function sharedMemory(key: string, bytes: number): SharedArrayBuffer {
  const known = isMainThread ? undefined : getEnvironmentData(key);
  if (known instanceof SharedArrayBuffer) return known;
  const created = new SharedArrayBuffer(bytes);
  setEnvironmentData(key, created);
  return created;
}

/** Counts a request. With a limit, which all threads share, waits until it may be made. */
export async function beginRequest(
  kind: RequestKind,
  perSecondMax: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  Atomics.add(cells, requestKinds.indexOf(kind), 1n);
  if (perSecondMax === undefined) return;
  const interval = BigInt(Math.ceil(1e6 / perSecondMax));
  for (;;) {
    const now = BigInt(Date.now()) * 1000n;
    const before = Atomics.load(cells, NEXT_SLOT);
    const slot = before > now ? before : now;
    if (Atomics.compareExchange(cells, NEXT_SLOT, before, slot + interval) !== before) continue;
    const delayMs = Number(slot - now) / 1000;
    if (delayMs >= 1) await sleep(delayMs, undefined, { signal });
    return;
  }
}

export function countBytesRead(bytes: number): void {
  Atomics.add(cells, BYTES_READ, BigInt(bytes));
}

export function countBytesWritten(bytes: number): void {
  Atomics.add(cells, BYTES_WRITTEN, BigInt(bytes));
}

/** Pauses a call that a store has refused for now. `storeWait` returns the reason. */
export async function waitForStore(
  reason: string,
  pauseMs: number,
  signal: AbortSignal,
): Promise<void> {
  const end = beginWaiting(reason);
  try {
    await sleep(pauseMs, undefined, { signal });
  } finally {
    end();
  }
}

/** Begins a wait for a store, of which `storeWait` returns the reason. Returns what ends it. */
export function beginWaiting(reason: string): () => void {
  if (Atomics.add(cells, WAITING, 1n) === 0n)
    Atomics.store(cells, WAITING_SINCE, BigInt(Date.now()));
  new TextEncoder().encodeInto(reason, text.fill(0));
  return () => void Atomics.sub(cells, WAITING, 1n);
}

/** Returns the reason why calls wait at the moment; undefined if none waits. */
export function storeWait(): { readonly reason: string; readonly sinceMs: number } | undefined {
  if (Atomics.load(cells, WAITING) === 0n) return undefined;
  const length = text.indexOf(0);
  const reason = Buffer.from(text.slice(0, length < 0 ? TEXT_BYTES : length)).toString();
  return { reason, sinceMs: Number(Atomics.load(cells, WAITING_SINCE)) };
}

/** Returns all requests of this process so far. */
export function storeUsage(): StoreUsage {
  const count = (cell: number) => Number(Atomics.load(cells, cell));
  const entries = requestKinds.map((kind, index) => [kind, count(index)] as const);
  return {
    requests: Object.fromEntries(entries) as Record<RequestKind, number>,
    bytesRead: count(BYTES_READ),
    bytesWritten: count(BYTES_WRITTEN),
  };
}

/** Returns the requests since `before`; undefined if there were none. */
export function storeUsageSince(before: StoreUsage): StoreUsage | undefined {
  const now = storeUsage();
  const entries = requestKinds.map(
    (kind) => [kind, now.requests[kind] - before.requests[kind]] as const,
  );
  if (entries.every(([, requests]) => requests === 0)) return undefined;
  return {
    requests: Object.fromEntries(entries) as Record<RequestKind, number>,
    bytesRead: now.bytesRead - before.bytesRead,
    bytesWritten: now.bytesWritten - before.bytesWritten,
  };
}
