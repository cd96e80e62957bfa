import { KIB, MIB } from "../base/limits.js";

/** Every maximum of the service, with its unit. Tests use smaller ones. */
export interface ServiceLimits {
  /** Bytes of the body of a console request. */
  readonly bodyBytesMax: number;
  /** Bytes of the body of a request to the event route. */
  readonly eventBodyBytesMax: number;
  /** Bytes of a refused body that are read and discarded, so that its sender sees the answer. */
  readonly discardBytesMax: number;
  /** Properties of one event, or half of its list elements: parsing more would block other requests. */
  readonly eventValuesMax: number;
  /** Levels of nested objects and arrays in a body. */
  readonly bodyDepthMax: number;
  /** Bytes of a request's line and headers together. */
  readonly headerBytesMax: number;
  /** Characters of an `Idempotency-Key`. */
  readonly idempotencyKeyCharactersMax: number;
  /** Characters of an `X-Request-Id`; a longer one is replaced. */
  readonly requestIdCharactersMax: number;
  /** Connections open at the same time; further ones are closed at once. */
  readonly connectionsMax: number;
  /** Milliseconds for a client to send the headers of a request. */
  readonly headersTimeoutMs: number;
  /** Milliseconds for a client to send a whole request. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that an idle connection stays open. */
  readonly keepAliveTimeoutMs: number;
  /** Milliseconds without a byte in either direction until a connection is closed. */
  readonly idleTimeoutMs: number;
  /** Milliseconds between two checks for clients that take too long. */
  readonly timeoutCheckIntervalMs: number;
  /** Milliseconds for requests to finish when the service stops. */
  readonly stopGraceMs: number;
  /** Seconds in `Retry-After` while the service starts, stops, or waits for its store. */
  readonly retryAfterSeconds: number;
  /** Seconds in `Retry-After` while the disk is full. */
  readonly diskRetryAfterSeconds: number;
}

export const serviceLimits: ServiceLimits = {
  bodyBytesMax: 1 * MIB,
  eventBodyBytesMax: 8 * MIB,
  discardBytesMax: 64 * MIB,
  eventValuesMax: 25_000,
  bodyDepthMax: 64,
  headerBytesMax: 16 * KIB,
  idempotencyKeyCharactersMax: 255,
  requestIdCharactersMax: 128,
  connectionsMax: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  idleTimeoutMs: 120_000,
  timeoutCheckIntervalMs: 1_000,
  stopGraceMs: 8_000,
  retryAfterSeconds: 1,
  diskRetryAfterSeconds: 30,
};

/** Characters of a body that is parsed again to find its syntax error. */
export const SYNTAX_FAULT_CHARACTERS_MAX = 128 * KIB;

/** Counts of events, one for each day and name, in one answer. */
export const EVENT_COUNTS_MAX = 100_000;

/** Limits of checking values with the schemas of dynamic configs. */
export interface SchemaCheckLimits {
  /** Processes, started on first use. A slow check blocks only its own process. */
  readonly processes: number;
  /** Milliseconds that one check may take. */
  readonly checkTimeoutMs: number;
  /** MiB of JavaScript heap of one process. */
  readonly heapMib: number;
  /** Checks waiting for a process; further ones are refused with a 503. */
  readonly waitingMax: number;
  /** Milliseconds that a check waits for a process before it is refused with a 503. */
  readonly waitTimeoutMs: number;
}

export const schemaCheckLimits: SchemaCheckLimits = {
  processes: 2,
  checkTimeoutMs: 500,
  heapMib: 64,
  waitingMax: 1_000,
  waitTimeoutMs: 5_000,
};
