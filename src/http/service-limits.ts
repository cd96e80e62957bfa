import { KIB, MIB } from "../base/limits.js";

/** Every maximum of the service, with its unit. Tests use smaller ones. */
export const serviceLimits = {
  /** Bytes of the body of a console request. */
  bodyBytesMax: 1 * MIB,
  /** Bytes of the body of a request that lists ids: 100,000 of 80 characters. */
  idsBodyBytesMax: 8 * MIB,
  /** Bytes of the body of a request to the event route. */
  eventBodyBytesMax: 8 * MIB,
  /** Bytes of a refused body that are read and discarded: its sender reads the answer only then. */
  discardBytesMax: 64 * MIB,
  /** Properties of one event, or half of its list elements: parsing more would block other requests. */
  eventValuesMax: 25_000,
  /** Levels of nested objects and arrays in a body. */
  bodyDepthMax: 64,
  /** Bytes of a request's line and headers together. */
  headerBytesMax: 16 * KIB,
  /** Characters of an `Idempotency-Key`. */
  idempotencyKeyCharactersMax: 255,
  /** Characters of an `X-Request-Id`; a longer one is replaced. */
  requestIdCharactersMax: 128,
  /** Connections open at the same time; further ones are closed at once. */
  connectionsMax: 10_000,
  /** Milliseconds for a client to send the headers of a request. */
  headersTimeoutMs: 10_000,
  /** Milliseconds for a client to send a whole request. */
  requestTimeoutMs: 30_000,
  /** Milliseconds that an idle connection stays open. */
  keepAliveTimeoutMs: 65_000,
  /** Milliseconds without a byte in either direction until a connection is closed. */
  idleTimeoutMs: 120_000,
  /** Milliseconds between two checks for clients that take too long. */
  timeoutCheckIntervalMs: 1_000,
  /** Milliseconds for requests to finish when the service stops. */
  stopGraceMs: 8_000,
  /** Seconds in `Retry-After` while the service starts, stops, or waits for its store. */
  retryAfterSeconds: 1,
  /** Seconds in `Retry-After` while the disk is full. */
  diskRetryAfterSeconds: 30,
};

export type ServiceLimits = Readonly<typeof serviceLimits>;

/** Characters of a body that is parsed again to find its syntax error. */
export const SYNTAX_FAULT_CHARACTERS_MAX = 128 * KIB;

/** Counts of events, one for each day and name, in one answer. */
export const EVENT_COUNTS_MAX = 100_000;

/** Gates, configs and layers that one request evaluates: 10,000 take about 20 ms. */
export const EVALUATIONS_PER_REQUEST_MAX = 10_000;

/** Limits of the sessions of the web console. */
export const sessionLimits = {
  /** Milliseconds that a session lasts. */
  sessionMs: 12 * 3_600_000,
  /** Milliseconds in which the link of a ticket must be opened. */
  ticketMs: 15 * 60_000,
  /** Attempts to sign in per minute, of all clients together: keys and tickets cannot be guessed. */
  attemptsPerMinuteMax: 60,
};

/** Limits of the stream that tells what happens. */
export const liveLimits = {
  /** Milliseconds between two looks at what has changed. */
  intervalMs: 1_000,
  /** Looks between two comments that keep an idle connection open. */
  looksPerHeartbeat: 15,
  /** Streams open at the same time; further ones are refused with a 503. */
  streamsMax: 50,
  /** Events, and writes, that one message lists. */
  itemsMax: 20,
  /** Bytes that a client may leave unread; then its stream ends. */
  unreadBytesMax: 256 * KIB,
};

/** Limits of asking what a change would do. */
export const impactLimits = {
  /** Users that are asked by default. */
  users: 2_000,
  /** Users that are asked between two turns of the event loop. */
  usersPerTurn: 100,
  /** Users in the answer. */
  examplesMax: 20,
};

/** Limits of checking values with the schemas of dynamic configs. */
export const schemaCheckLimits = {
  /** Processes, started on first use. A slow check blocks only its own process. */
  processes: 2,
  /** Milliseconds that one check may take. */
  checkTimeoutMs: 500,
  /** MiB of JavaScript heap of one process. */
  heapMib: 64,
  /** Checks waiting for a process; further ones are refused with a 503. */
  waitingMax: 1_000,
  /** Milliseconds that a check waits for a process before it is refused with a 503. */
  waitTimeoutMs: 5_000,
};

export type SchemaCheckLimits = Readonly<typeof schemaCheckLimits>;
