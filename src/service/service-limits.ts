import { KIB, MIB } from "../base/limits.js";

/** Every maximum of the service, each with its unit. Tests bring smaller ones. */
export interface ServiceLimits {
  /** Bytes of the body of a console request. */
  readonly bodyBytesMax: number;
  /** Bytes of the body of a request to the event route. */
  readonly eventBodyBytesMax: number;
  /** Bytes of a refused body that are thrown away, so that its sender sees the answer. */
  readonly discardBytesMax: number;
  /** Levels of nested objects and arrays in a body. */
  readonly bodyDepthMax: number;
  /** Bytes of a request's line and headers together. */
  readonly headerBytesMax: number;
  /** Characters of an `Idempotency-Key`. */
  readonly idempotencyKeyCharactersMax: number;
  /** Characters of an `X-Request-Id`; a longer one is replaced. */
  readonly requestIdCharactersMax: number;
  /** Connections that are open at the same time; more are closed at once. */
  readonly connectionsMax: number;
  /** Milliseconds that a client has to send the headers of a request. */
  readonly headersTimeoutMs: number;
  /** Milliseconds that a client has to send a whole request. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that a connection may wait for its next request. */
  readonly keepAliveTimeoutMs: number;
  /** Milliseconds without a byte in either direction, after which a connection is cut. */
  readonly idleTimeoutMs: number;
  /** Milliseconds between two looks for clients that take too long. */
  readonly timeoutCheckIntervalMs: number;
  /** Milliseconds that requests have to finish when the service stops. */
  readonly stopGraceMs: number;
  /** Seconds that `Retry-After` names while the service starts, stops, or waits for its store. */
  readonly retryAfterSeconds: number;
  /** Seconds that `Retry-After` names while the disk is full. */
  readonly diskRetryAfterSeconds: number;
}

export const serviceLimits: ServiceLimits = {
  bodyBytesMax: 1 * MIB,
  eventBodyBytesMax: 8 * MIB,
  discardBytesMax: 64 * MIB,
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

/** Characters of a body that is not JSON in which the first fault is searched for. */
export const SYNTAX_FAULT_CHARACTERS_MAX = 128 * KIB;

/** Counts of events, one for each day and name, in one answer. */
export const EVENT_COUNTS_MAX = 100_000;

/** Bounds of checking values with the schemas of dynamic configs. */
export interface SchemaCheckLimits {
  /** Processes, started when they are first needed: a check that takes long leaves the others free. */
  readonly processes: number;
  /** Milliseconds that one check may take. */
  readonly checkTimeoutMs: number;
  /** MiB of JavaScript heap of one process. */
  readonly heapMib: number;
  /** Checks that wait for a process; further ones are refused with a 503. */
  readonly waitingMax: number;
  /** Milliseconds that a check may wait for a process, until it is refused with a 503. */
  readonly waitTimeoutMs: number;
}

export const schemaCheckLimits: SchemaCheckLimits = {
  processes: 2,
  checkTimeoutMs: 500,
  heapMib: 64,
  waitingMax: 1_000,
  waitTimeoutMs: 5_000,
};
