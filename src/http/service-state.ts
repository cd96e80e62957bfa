import { SwitchyardError } from "../base/errors.js";
import type { KeyStore } from "../storage/key-store.js";
import type { SessionStore } from "../storage/session-store.js";
import type { Store } from "../storage/store.js";
import type { AnyHandlers } from "./handler.js";
import { ServiceError } from "./service-error.js";
import type { ServiceLimits } from "./service-limits.js";

/** The parts that exist once the store is open. */
interface OpenService {
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly probe: Store["probe"];
  readonly handlers: AnyHandlers;
}

/** The state of the service. It answers only between `open` and `stop`. */
export class ServiceState {
  readonly #createHandlers: (store: Store) => AnyHandlers;
  readonly #limits: ServiceLimits;
  #open: OpenService | undefined;
  readonly #stop = new AbortController();
  #isDamaged = false;
  #isDiskFull = false;

  constructor(createHandlers: (store: Store) => AnyHandlers, limits: ServiceLimits) {
    this.#createHandlers = createHandlers;
    this.#limits = limits;
  }

  /** Starts to answer requests. */
  open(store: Store): void {
    this.#open = {
      keys: store.keys,
      sessions: store.sessions,
      probe: (isWriting) => store.probe(isWriting),
      handlers: this.#createHandlers(store),
    };
  }

  /** Refuses new requests. Accepted ones can still use the store. */
  stop(): void {
    this.#stop.abort();
  }

  /** Refuses all requests from now on: a damaged database may return wrong data. */
  damaged(): void {
    this.#isDamaged = true;
  }

  /** Is not ready until a write succeeds. Reads go on: what is stored is sound. */
  diskFull(): void {
    this.#isDiskFull = true;
  }

  /** Throws 503 unless requests are answered, the files of the store are sound and a write is possible. */
  async checkReady(): Promise<void> {
    const { probe } = this.requireReady();
    await probe(this.#isDiskFull).catch((error: unknown) => {
      if (hasFault(error, "database_damaged")) {
        this.damaged();
        throw damagedError(error);
      }
      if (hasFault(error, "disk_full")) throw diskFullError(this.#limits, error);
      throw error;
    });
    this.#isDiskFull = false;
  }

  /** Aborted when the service stops. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  get stopping(): boolean {
    return this.stopSignal.aborted;
  }

  /** Throws 503 while the service starts or stops, and once its database is damaged. */
  requireReady(): OpenService {
    if (this.#isDamaged) throw damagedError();
    if (this.#open !== undefined && !this.stopping) return this.#open;
    throw new ServiceError({
      status: 503,
      message: this.stopping
        ? "The service is stopping: try again later."
        : "The service is starting: try again in a moment.",
      retryAfterSeconds: this.#limits.retryAfterSeconds,
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

/** Returns the refusal of a write that does not fit on the disk. */
export function diskFullError(
  { diskRetryAfterSeconds: retryAfterSeconds }: ServiceLimits,
  cause: unknown,
): ServiceError {
  const message = "The disk of the store is full: nothing was written.";
  return new ServiceError({ status: 503, message, retryAfterSeconds, cause });
}

/** Returns true if an error or one of its causes has the code. */
export function hasFault(error: unknown, code: string): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SwitchyardError && error.code === code) return true;
  return hasFault(error.cause, code);
}
