import { MIB } from "../base/limits.js";

/** Maxima of the storage, each with its unit. */

/** Writes that share one transaction; more of them wait for the next. */
export const WRITES_PER_COMMIT_MAX = 64;

/** Writes that wait for a transaction; one more is refused. */
export const WAITING_WRITES_MAX = 10_000;

/** Milliseconds that a call may hold up the thread while another process has the database locked. */
export const BUSY_TIMEOUT_MS = 20;

/** Milliseconds after which a write that found the database locked is tried again. */
export const BUSY_PAUSE_MS = 80;

/** Times that a write is tried before it fails as `database_busy`: about five seconds in all. */
export const BUSY_ATTEMPTS_MAX = 50;

/** Kibibytes of database pages that one connection keeps in memory. */
export const PAGE_CACHE_KIB = 16 * 1024;

/** Characters of events that wait for their transaction; beyond it requests are refused. */
export const EVENT_QUEUE_CHARACTERS_MAX = 64 * MIB;

/** Characters of events in one transaction; a single larger request is one of its own. */
export const EVENT_COMMIT_CHARACTERS_MAX = 8 * MIB;

/** Requests in one transaction of events. */
export const EVENT_COMMIT_REQUESTS_MAX = 4_096;

/**
 * Bytes of entities, or of versions, in one page: reading and writing so many holds up everything else
 * for a few tenths of a second. A larger page is refused, unless it has a single result.
 */
export const ENTITY_PAGE_BYTES_MAX = 32 * MIB;

/** Bytes of events in one page of a list; a single larger event is a page of its own. */
export const EVENT_PAGE_BYTES_MAX = 8 * MIB;

/** Counts of events that are read in one go; other work of the thread runs in between. */
export const EVENT_COUNTS_PER_TURN = 2_000;
