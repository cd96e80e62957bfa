import type { KeyStore } from "../storage/key-store.js";
import type { Store } from "../storage/store.js";
import type { AnyHandlers } from "./handler.js";
import { ServiceError } from "./service-error.js";

/** The parts that exist once the store is open. */
interface OpenService {
  readonly keys: KeyStore;
  readonly handlers: AnyHandlers;
}

/** The state of the service. It answers only between `open` and `stop`. */
export class ServiceState {
  readonly #createHandlers: (store: Store) => AnyHandlers;
  readonly #retryAfterSeconds: number;
  #open: OpenService | undefined;
  #stopping = false;
  #isDamaged = false;

  constructor(createHandlers: (store: Store) => AnyHandlers, retryAfterSeconds: number) {
    this.#createHandlers = createHandlers;
    this.#retryAfterSeconds = retryAfterSeconds;
  }

  /** Starts to answer requests. */
  open(store: Store): void {
    this.#open = { keys: store.keys, handlers: this.#createHandlers(store) };
  }

  /** Refuses new requests. Accepted ones can still use the store. */
  stop(): void {
    this.#stopping = true;
  }

  /** Refuses all requests from now on: a damaged database may return wrong data. */
  damaged(): void {
    this.#isDamaged = true;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Throws 503 while the service starts or stops, and once its database is damaged. */
  requireReady(): OpenService {
    if (this.#isDamaged) throw damagedError();
    if (this.#open !== undefined && !this.#stopping) return this.#open;
    throw new ServiceError({
      status: 503,
      message: this.#stopping
        ? "The service is stopping: try again later."
        : "The service is starting: try again in a moment.",
      retryAfterSeconds: this.#retryAfterSeconds,
    });
  }

  /** The handlers, for accepted requests: they finish while the service stops. */
  get handlers(): AnyHandlers {
    return (this.#open ?? this.requireReady()).handlers;
  }
}

/** Returns the refusal while the database is damaged, without `Retry-After`: only an operator can help. */
export function damagedError(cause?: unknown): ServiceError {
  const message = "The database of the service is damaged: its operator has to restore a backup.";
  return new ServiceError({ status: 503, message, cause });
}
