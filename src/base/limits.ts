/** Every limit of the engine with its unit. Limits that users can change name their option. */

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;

/** Rows in one batch. */
export const BATCH_ROWS_MAX = 16_384;

/**
 * Bytes of input that one batch is scanned from; a longer row grows the window up to
 * ROW_BYTES_MAX.
 */
export const WINDOW_BYTES = 2 * MIB;

/** Bytes of one row of input, decompressed. Raised with `--max-row-size`, up to ROW_BYTES_LIMIT. */
export const ROW_BYTES_MAX = 16 * MIB;

/**
 * Largest value of `--max-row-size` in bytes. A row occupies up to nine times its size in a
 * worker's kernel memory, in blocks that grow by doubling, and that memory ends at 2 GiB.
 */
export const ROW_BYTES_LIMIT = 64 * MIB;

/** Bytes kept of a rejected row that exceeds the row limit. */
export const REJECT_BYTES_MAX = 1 * MIB;

/** Levels of nested objects and arrays in one row. */
export const JSON_DEPTH_MAX = 512;

/** Splits of one run; larger inputs get larger splits. */
export const SPLITS_MAX = 4_096;

/** Uncompressed bytes of events that a sink buffers before it sorts them into days. */
export const ROW_BUFFER_BYTES = 32 * MIB;

/** Rows of one sink buffer, and of one Parquet row group. */
export const ROW_BUFFER_ROWS_MAX = 131_072;

/** Days that one sink buffer may hold before rows are spilled. */
export const ROW_BUFFER_DAYS_MAX = 16;

/** A day with at least 1/16 of the buffered rows is large and is written straight to its part. */
export const LARGE_DAY_SHARE = 16;

/** Buffered rows from which a day in order is written straight to its part. */
export const ORDERED_DAY_ROWS_MIN = 256;

/** Bytes of spilled rows that are packed and checksummed together. */
export const PACK_BYTES = 1 * MIB;

/**
 * Bytes of spilled days that are read together. Small enough to stay in the processor's cache
 * until they are written to parts.
 */
export const MERGE_GROUP_BYTES = 4 * MIB;

/** Bytes that describe one buffered row for packing; as in src/kernels/sink/spill.ts. */
export const DESCRIBED_ROW_BYTES = 64;

/** Memory of a worker for spilling: the descriptions of all buffered rows, and two packs. */
export const SPILL_BYTES = ROW_BUFFER_ROWS_MAX * DESCRIBED_ROW_BYTES + 2 * PACK_BYTES;

/** Approximate maximum of merges in one run; each merge reads all spill files. */
export const MERGES_MAX = 1_024;

/** Spill files that one worker has open at the same time. */
export const SPILL_FILES_OPEN_MAX = 64;

/** Bits of a key's bucket that come from its day, and from its digest. */
export const KEY_DAY_BITS = 6;
export const KEY_DIGEST_BITS = 6;

/** Keys of events that a worker of `--dedupe` sorts and writes together. */
export const KEY_RUN_KEYS = 262_144;

/**
 * Most and fewest keys that one thread compares at a time. The fewest fit into the cache of a processor,
 * where a key takes a third of the time; the most need a table of 32 MiB.
 */
export const KEY_TABLE_KEYS_MAX = 700_000;
export const KEY_TABLE_KEYS_MIN = 16_000;

/** Parts in which keys are compared, unless these would exceed the table: each part reads all key files. */
export const KEY_PARTS_MAX = 512;

/** Calls of a thread that compares keys at a time: some of them wait for the disk. */
export const KEY_CALLS_MAX = 4;

/** Bytes of keys that `validate` keeps for the export that follows; 24 for each event. */
export const KEPT_KEYS_BYTES_MAX = 1024 * MIB;

/** Removed events of one split that are listed one by one. */
export const DUPLICATES_LISTED_MAX = 100;

/** Days, sources and names whose removed events the manifest counts one by one. */
export const DUPLICATE_COUNTS_MAX = 1_000;

/** Bytes of a Parquet data page before compression; a longer cell gets a page to itself. */
export const PAGE_BYTES = 1 * MIB;

/** Bytes of the distinct values of a Parquet column chunk; a larger chunk has no dictionary. */
export const DICTIONARY_BYTES_MAX = 1 * MIB;

/**
 * Bytes of JSON lines or CSV records that are encoded together; one gzip member in `.jsonl.gz`.
 * Small enough to stay in the processor's cache until they are hashed and written: 4 MiB took 7 %
 * more CPU time for a whole export.
 */
export const TEXT_BYTES = 1 * MIB;

/** Bytes gathered for one write to a part file. */
export const WRITE_BYTES = 1 * MIB;

/** Size in bytes from which a piece of a part file is written directly, without being gathered. */
export const WRITE_PIECE_BYTES = 256 * KIB;

/** Bytes of text in one Arrow record batch. */
export const ARROW_BATCH_BYTES = 4 * MIB;

/** Rows of one Arrow record batch. */
export const ARROW_BATCH_ROWS_MAX = 65_536;

/**
 * Bytes of Parquet footers that the open parts of a split may hold together; then all are
 * finished.
 */
export const FOOTER_BYTES_MAX = 16 * MIB;

/** Files of one split that are synced to disk at the same time. */
export const SYNC_CONCURRENCY = 4;

/** Directories of days and events that one split or merge writes. */
export const PARTITION_DIRECTORIES_MAX = 65_536;

/** Bytes of one part file. Changed with `--part-size`. */
export const PART_BYTES = 128 * MIB;

/** Bytes of a part below which it is joined with others of its day, with `--compact auto`. */
export const SMALL_PART_BYTES = 1 * MIB;

/** Decompressed bytes below which the ratio is not checked. */
export const DECOMPRESSION_RATIO_FLOOR_BYTES = 256 * MIB;

/** Bytes at the head of a source that format and dialect are detected from. */
export const SNIFF_BYTES = 256 * KIB;

/** Weight of a compressed byte when splits are packed: exports deflate to about an eighth. */
export const COMPRESSED_WEIGHT = 8;

/** Sources of one split, however small, before splits grow. */
export const SPLIT_SOURCES = 1_024;

/** Bytes of rejects gathered for one write to disk. */
export const REJECT_BUFFER_BYTES = 256 * KIB;

/** Memory of the main thread and of Node itself. */
export const MAIN_THREAD_BYTES = 96 * MIB;

/** Smallest usable JavaScript heap of a worker. */
export const WORKER_HEAP_BYTES_MIN = 64 * MIB;

/** Worker threads of one run. */
export const THREADS_MAX = 256;

/** Milliseconds that workers have to stop by themselves before they are terminated. */
export const STOP_GRACE_MS = 1_500;

/** Workers that may die in a row before any source is read. */
export const WORKER_DEATHS_MAX = 16;

/** Compression layers around one source, without that of a zip archive. */
export const CODEC_LAYERS_MAX = 3;

/** Compressed bytes given to a decoder at a time. */
export const DECODE_FEED_BYTES = 64 * KIB;

/** Decompressed bytes that a decoder returns at a time. */
export const DECODE_CHUNK_BYTES = 256 * KIB;

/** Bytes at each end of a file that its fingerprint covers. */
export const FINGERPRINT_EDGE_BYTES = 64 * KIB;

/** Pieces between the ends of a large file that its fingerprint covers, evenly spread; and their size. */
export const FINGERPRINT_SAMPLES = 16;
export const FINGERPRINT_SAMPLE_BYTES = 4 * KIB;

/** Files, or entries of one zip, that are inspected at the same time during discovery. */
export const DISCOVERY_MAX = 16;

/** Objects that are opened during discovery even if they are alike. */
export const OBJECTS_OPENED_MAX = 1_000;

/** Objects with similar names that are opened beyond that. They stand for the others. */
export const OBJECT_SAMPLES = 8;

/** Files whose discovery is held at a time. */
export const DISCOVERY_FILES = 10_000;

/** Distinct event names that are counted one by one; rows of further names are counted together. */
/** Names, and keys of metadata, of one split that a target does not take as they are. */
export const RENAMES_MAX = 65_536;
/** The same of all splits of a run, for names and for keys. */
export const RENAMES_TOTAL_MAX = 1_000_000;

export const EVENT_COUNTS_NAMES_MAX = 16_384;

/** Bytes of these names in UTF-8. */
export const EVENT_COUNTS_NAME_BYTES_MAX = 1 * MIB;

/** Pairs of day and event name that one split counts; rows of further pairs count for no day. */
export const EVENT_COUNTS_PAIRS_MAX = 262_144;

/** Rows whose pairs of day and name are counted together. */
export const EVENT_COUNTS_PENDING_MAX = 65_536;

/** Memory of a worker for counting these names, pairs and rows. */
export const EVENT_COUNTS_BYTES = 8 * MIB;

/** Pairs of day and event name that a manifest lists; rows of further pairs count for no name. */
export const EXPORT_PAIRS_MAX = 2_000_000;

/** Console calls in progress at the same time. */
export const CONSOLE_CALLS_MAX = 4;

/** Milliseconds that console calls have to finish after an interruption. */
export const CONSOLE_STOP_GRACE_MS = 1_500;

/** Bytes of events that are encoded together for a service. */
export const SEND_TEXT_BYTES = 1 * MIB;

/** Requests of one sender in progress at the same time. */
export const SEND_CONCURRENCY_MAX = 1_024;

/** Lines at the start of a CSV input that can be skipped. */
export const SKIP_LINES_MAX = 1_000;

/** Events of one request. */
export const SEND_BATCH_ROWS_MAX = 10_000;

/** Bytes of a response that are read. */
export const ANSWER_BYTES_MAX = 64 * KIB;

/** Characters of a service's message that our messages quote. */
export const ANSWER_WORDS_MAX = 300;

/** Longest time limit for one connection, in milliseconds. */
export const CONNECT_MS_MAX = 10_000;

/** Milliseconds in which a service that never answered must be connected to. */
export const FIRST_CONTACT_MS = 5_000;

/** Milliseconds in which such a service must answer if connections are made and lost. */
export const FIRST_ANSWER_MS = 30_000;

/** Milliseconds that a careful request waits for an answer before its body, and before its end. */
export const CAREFUL_WAIT_MS = 300;

/** Bytes of a careful request's body that are written at a time. */
export const CAREFUL_PIECE_BYTES = 16 * KIB;

/** Milliseconds between these pieces. */
export const CAREFUL_PAUSE_MS = 5;

/** Careful requests that are cut short before the request batch is divided like a too large one. */
export const CUTS_MAX = 2;

/** Characters of the reason that progress shows while a sender waits for its service. */
export const WAITING_REASON_MAX = 200;

/** Milliseconds between two syncs of the journal of acknowledged events. */
export const ACKNOWLEDGE_SYNC_MS = 900;

/** Milliseconds that requests in progress have to finish after a sender is stopped. */
export const SEND_STOP_GRACE_MS = 1_100;

/** Days, names per day, and events per name and day that are compared field by field. */
export const SAMPLE_DAYS_MAX = 16;
export const SAMPLE_NAMES_MAX = 8;
export const SAMPLE_EVENTS_MAX = 8;

/** Differences between export and service that are listed one by one. */
export const STORED_DIFFERENCES_MAX = 1_000;

/** Event names whose properties a dry run profiles. */
export const PROFILE_NAMES_MAX = 1_000;

/** Property keys, over all event names, that a dry run profiles. */
export const PROFILE_KEYS_MAX = 20_000;

/** Bytes of these keys in UTF-8. */
export const PROFILE_KEY_TEXT_BYTES_MAX = 1 * MIB;

/** Memory for the values of these keys; beyond it fewer values per key are distinguished. */
export const PROFILE_VALUE_BYTES = 32 * MIB;

/** Distinct values of a key that are counted one by one (`VALUES_MAX` in src/kernels). */
export const PROFILE_VALUES_MAX = 64;

/** Users, and devices, of all splits that are counted one by one; beyond it, rare ones are dropped. */
export const PROFILE_IDS_MAX = 1_048_576;

/** Pairs of a user and a device that are counted one by one; beyond it, a sample of them. */
export const PROFILE_PAIRS_MAX = 1_048_576;

/** Memory for the users of each event name; beyond it, they are estimated. */
export const PROFILE_NAME_USERS_BYTES = 64 * MIB;

/** Users, and devices, whose texts are kept. */
export const PROFILE_ID_TEXTS_MAX = 65_536;

/** Insert ids of one split that are remembered to find repeated ones. */
export const PROFILE_INSERT_IDS_MAX = 1_048_576;

/** Hours whose events one split counts. */
export const PROFILE_HOURS_MAX = 524_288;

/** Days whose rejected rows one split counts. */
export const PROFILE_DAYS_MAX = 16_384;

/** Pairs of a day and the targets without a value, whose events one split counts. */
export const PROFILE_EMPTY_TARGETS_MAX = 65_536;

/** Bytes of a sample's source row, and of the event that it becomes. */
export const SAMPLE_BYTES_MAX = 4 * KIB;

/** Steps of a sample's trace, and characters of the paths of one; more are left out. */
export const TRACE_STEPS_MAX = 64;
export const TRACE_STEP_CHARACTERS_MAX = 512;

/** Manifests and checksum files that a check of the inputs reads. */
export const LISTS_READ_MAX = 1_000;

/** Bytes of a manifest or a checksum file; a larger one is not read. */
export const LIST_BYTES_MAX = 4 * MIB;

/** Bytes of listed files whose digests and rows a check of the inputs compares. */
export const LISTED_BYTES_CHECKED_MAX = 1_024 * MIB;

/** Sources whose rows `init` reads, spread over all of them; a few of rare shapes are added. */
export const SURVEY_SOURCES_MAX = 24;

/** First rows that `init` reads of each of these sources. */
export const SURVEY_ROWS_MAX = 200;

/** Last rows that `init` reads of a batch of rows, at most of all batches of a source. */
export const SURVEY_LAST_ROWS_MAX = 50;

/** Bytes on disk of a source that `init` reads to its end, or as far as it cannot be cut. */
export const SURVEY_SOURCE_BYTES_MAX = 512 * KIB;

/** Bytes at the end of a larger source that `init` reads. */
export const SURVEY_TAIL_BYTES = 128 * KIB;

/** Bytes of one such row; longer ones are skipped. */
export const SURVEY_ROW_BYTES_MAX = 1 * MIB;

/** Paths that `init` distinguishes in the rows of one source. */
export const SURVEY_FIELDS_MAX = 2_000;

/** Sampled units of a quick dry run: pieces of files, row groups, beginnings of files. */
export const QUICK_UNITS = 240;

/** Most bytes of a piece of a quick dry run. */
export const QUICK_PIECE_BYTES = 512 * KIB;

/** Rows that a quick dry run reads of a source that cannot be cut; of a row group, 20 times as many. */
export const QUICK_FIRST_ROWS = 10_000;
