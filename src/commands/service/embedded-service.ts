import type { LogLevel } from "../../base/log-levels.js";
import { keyDigest, keyRecord, newKeyText } from "../../http/key-text.js";
import { createLogger } from "../../http/request-log.js";
import { startServer } from "../../http/server.js";
import { createService } from "../../service/create-service.js";
import { signInUrl } from "../../service/sign-in-tickets.js";
import type { EventStore } from "../../storage/event-store.js";
import { type KeyKind, type KeyRecord, type KeyStore, keyKinds } from "../../storage/key-store.js";
import { openJournals, openServiceStore } from "./open-service-store.js";

/** A service inside this process. */
interface EmbeddedService {
  /** Loopback address with a free port. */
  readonly url: string;
  readonly dataDirectory: string;
  /** One key of each kind, valid while the service runs and never stored. */
  readonly keys: Readonly<Record<KeyKind, string>>;
  /** The stored events. */
  readonly events: Pick<EventStore, "counts" | "list">;
  /** Returns a link that signs a person in with the console key: once, within 15 minutes. */
  signInUrl(next?: string): string;
  /** Lets accepted requests finish, then releases the data directory. */
  stop(): Promise<void>;
}

/** Starts the service. Throws if another service uses the directory or it is not writable. */
export async function startEmbeddedService(
  dataDirectory: string,
  logLevel: LogLevel,
): Promise<EmbeddedService> {
  const keys = {
    console: newKeyText("console"),
    server: newKeyText("server"),
    client: newKeyText("client"),
  };
  const ephemeral = keyKinds.map((kind) => ephemeralRecord(kind, keys[kind]));
  const app = createService({
    logger: createLogger(logLevel),
    journals: openJournals(dataDirectory),
  });
  const store = await openServiceStore(dataDirectory, {
    onCommit: app.metrics.observeCommit,
    // The ephemeral keys are enough: the first start of `switchyard serve` creates stored ones.
    prepareKeys: async () => undefined,
  });
  const opened = { ...store, keys: withEphemeralKeys(store.keys, ephemeral) };
  const address = { host: "127.0.0.1", port: 0 };
  const server = await startServer(app, address, async () => opened).catch(async (error) => {
    await store.close();
    throw error;
  });
  await server.ready;
  const { url } = server;
  const consoleHash = keyDigest(keys.console).toString("hex");
  return {
    url,
    dataDirectory,
    keys,
    events: store.events,
    signInUrl: (next) => signInUrl(url, app.newSignInTicket(consoleHash), next),
    stop: () => server.stop(),
  };
}

/**
 * Returns a record with the same id in every process. The service recognizes duplicates by secret
 * and `Idempotency-Key`, so a resumed run must have the same secret id.
 */
function ephemeralRecord(kind: KeyKind, key: string): KeyRecord {
  const record = keyRecord(key, { kind, createdTime: Date.now() });
  return { ...record, id: `key_embedded_${kind}` };
}

/**
 * Returns a key store with further keys, which are valid while this process lives. They are not
 * stored or listed, and need not be revoked.
 */
function withEphemeralKeys(keys: KeyStore, ephemeral: readonly KeyRecord[]): KeyStore {
  const byHash = new Map(ephemeral.map((record) => [record.hash, record]));
  return {
    find: async (hash) => byHash.get(hash) ?? keys.find(hash),
    list: () => keys.list(),
    insert: (key, author) => keys.insert(key, author),
    noteUse: (key, time) => keys.noteUse(key, time),
    revoke: (id, time, author) => keys.revoke(id, time, author),
  };
}
