import { collectDefaultMetrics } from "prom-client";
import type { Store } from "../storage/store.js";
import type { App } from "./app.js";

interface ServerAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
}

export interface Server {
  /** The address of the service: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Resolves when the store is open and requests are answered; rejects if it cannot be opened. */
  readonly ready: Promise<void>;
  /**
   * Refuses new requests, lets accepted ones finish for at most `stopGraceMs`, then closes the store.
   * Repeated calls return the same promise.
   */
  stop(): Promise<void>;
}

/**
 * Listens, then opens the store: meanwhile, readiness can be checked. Rejects if it cannot listen; then
 * the store is not opened.
 */
export async function startServer(
  app: App,
  { host, port }: ServerAddress,
  openStore: () => Promise<Store>,
): Promise<Server> {
  const { http, limits } = app;
  collectDefaultMetrics({ register: app.metrics.registry });
  http.server.maxConnections = limits.connectionsMax;
  const url = await http.listen({ host, port });
  const opening = openStore();
  const ready = opening.then((store) => app.open(store));
  // Not every caller waits for `ready`; a rejection without a handler would end the process.
  ready.catch(() => undefined);

  const stopNow = async () => {
    app.beginStop();
    const cut = setTimeout(() => http.server.closeAllConnections(), limits.stopGraceMs);
    try {
      await http.close();
    } finally {
      clearTimeout(cut);
      const store = await opening.catch(() => undefined);
      await store?.close();
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    ready,
    stop: () => {
      stopped ??= stopNow();
      return stopped;
    },
  };
}
