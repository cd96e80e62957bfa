import { MIB } from "../base/limits.js";

/** Maximums of the storage, each with its unit. */

/** Milliseconds that a statement waits while another process has the database locked. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Milliseconds that a statement of the service waits. Other requests wait meanwhile. */
export const SERVICE_BUSY_TIMEOUT_MS = 500;

/** Kibibytes of database pages that one connection keeps in memory. */
export const PAGE_CACHE_KIB = 16 * 1024;

/** Characters of events that wait for their transaction; beyond it requests are refused. */
export const EVENT_QUEUE_CHARACTERS_MAX = 64 * MIB;

/** Characters of events in one transaction; a single larger request gets its own transaction. */
export const EVENT_COMMIT_CHARACTERS_MAX = 8 * MIB;

/** Requests in one transaction of events. */
export const EVENT_COMMIT_REQUESTS_MAX = 4_096;

/**
 * Bytes of entities, or of versions, in one page. A page ends before the result that would exceed it,
 * unless that is its first one. To read and send such a page blocks other work for some milliseconds.
 */
export const ENTITY_PAGE_BYTES_MAX = 8 * MIB;

/** Rows that a page of a filtered list reads while other work waits. Longer ones are read in a thread. */
export const LIST_ROWS_PER_TURN_MAX = 1_000;

/** Entities in a page that is read while other work waits. Larger ones are read in a thread. */
export const LIST_RESULTS_PER_TURN_MAX = 200;

/** Rows before a page that are skipped while other work waits: about 25,000 in a millisecond. */
export const LIST_ROWS_SKIPPED_MAX = 100_000;

/** Ids of a list that a write changes while other work waits. Longer writes are made in a thread. */
export const LISTED_IDS_PER_TURN_MAX = 1_000;

/** Free bytes of the disk with which a service that found it full is ready again. */
export const DISK_FREE_BYTES_MIN = 16 * MIB;

/** Bytes of events in one page of a list; a single larger event is a page by itself. */
export const EVENT_PAGE_BYTES_MAX = 8 * MIB;

/** Events that one page searches for those of a user. Bounds the time that a page takes. */
/** Events in which recent users are looked for, and those of one turn of the event loop. */
export const USER_EVENTS_SEARCHED_MAX = 100_000;
export const USER_EVENTS_PER_TURN = 500;

export const EVENTS_SEARCHED_MAX = 10_000;

/** Counts of events that are read in one turn of the event loop. */
export const EVENT_COUNTS_PER_TURN = 2_000;

/** Events that a long reading in a thread has in memory. */
export const EVENTS_PER_SLICE = 10_000;

/** Units of an experiment that are in memory at once, about 150 bytes each. */
export const EXPERIMENT_UNITS_AT_ONCE = 2_000_000;

/** Attempts to open both databases with no events stored in between: one takes about 0.1 ms. */
export const SNAPSHOT_ATTEMPTS_MAX = 1_000;

/** Events that one transaction removes. Events that arrive wait for it, some 10 ms. */
export const EVENTS_REMOVED_PER_SLICE = 1_000;

/** Names of a day whose events one transaction removes. */
export const SERIES_REMOVED_PER_SLICE = 100;

/** Idempotency keys whose age one transaction looks at. */
export const EVENT_KEYS_LOOKED_AT_PER_SLICE = 5_000;

/** Events in which a thread looks for those of a person at once. */
export const EVENTS_SEARCHED_PER_SLICE = 20_000;

/** Days for which an idempotency key is kept at least: a sender may be resumed late. */
export const EVENT_KEY_DAYS_MIN = 7;

/** Days for which the answers of gates are counted. */
export const GATE_ANSWER_DAYS_MAX = 400;

/** Bytes of a journal of a migration. Larger files are skipped. */
export const JOURNAL_BYTES_MAX = 8 * MIB;

/** Milliseconds without a write after which a running attempt of a migration counts as killed. */
export const JOURNAL_SILENT_MS_MAX = 60_000;

/** Bytes of a report's page that the service shows. */
export const REPORT_BYTES_MAX = 32 * MIB;
