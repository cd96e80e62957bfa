import { collectDefaultMetrics } from "prom-client";
import type { Store } from "../storage/store.js";
import type { App } from "./app.js";

export interface Address {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
}

export interface Server {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Resolves when the store is open and requests are answered; rejects where it cannot be opened. */
  readonly ready: Promise<void>;
  /**
   * Takes no more requests, lets those that were accepted finish, cuts those that take longer than
   * `stopGraceMs`, then closes the store. Calling it again gives the same promise.
   */
  stop(): Promise<void>;
}

/**
 * Listens at once, so that readiness can be asked for while the store opens. Rejects where it cannot
 * listen; the store is then not touched.
 */
export async function startServer(
  app: App,
  { host, port }: Address,
  openStore: () => Promise<Store>,
): Promise<Server> {
  const { http, limits } = app;
  collectDefaultMetrics({ register: app.metrics.registry });
  http.server.maxConnections = limits.connectionsMax;
  const url = await http.listen({ host, port });
  const opening = openStore();
  const ready = opening.then((store) => app.open(store));
  // Who does not wait for it still learns of it: `stop` tells.
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
