/** Every maximum of the engine, each with its unit. What users may raise says so. */

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;

/** Rows in one batch. */
export const BATCH_ROWS_MAX = 16_384;

/** Bytes of input that one batch is scanned from; a longer row grows the window up to ROW_BYTES_MAX. */
export const WINDOW_BYTES = 2 * MIB;

/** Bytes of one row of input, decompressed. Raised with `--max-row-size`, up to ROW_BYTES_LIMIT. */
export const ROW_BYTES_MAX = 16 * MIB;

/**
 * Most bytes that `--max-row-size` takes. A row lies in a worker's kernel memory up to nine times, in
 * blocks that grew by doubling, and that memory ends at 2 GiB.
 */
export const ROW_BYTES_LIMIT = 64 * MIB;

/** Bytes of a rejected row that are kept when the row was longer than the limit. */
export const REJECT_BYTES_MAX = 1 * MIB;

/** Levels of nested objects and arrays in one row. */
export const JSON_DEPTH_MAX = 512;

/** Bytes of a source that one split covers, where a source can be split. Changed with `--split-size`. */
export const SPLIT_BYTES = 64 * MIB;

/** Splits of one run; beyond it the splits grow instead. */
export const SPLITS_MAX = 4_096;

/** Bytes of events (uncompressed) that a sink gathers before it sorts them into days. */
export const ROW_BUFFER_BYTES = 32 * MIB;

/** Rows of one segment, and so of one Parquet row group. */
export const ROW_BUFFER_ROWS_MAX = 131_072;

/** Days of which a segment may hold rows without any of them being spilled. */
export const ROW_BUFFER_DAYS_MAX = 16;

/** One day in so many of a segment's rows is large: it is written to its part at once. */
export const LARGE_DAY_SHARE = 16;

/** Rows of a segment from which a day that lies in order is written to its part at once. */
export const ORDERED_DAY_ROWS_MIN = 256;

/** Bytes of spilled rows that are packed and checked together. */
export const PACK_BYTES = 1 * MIB;

/**
 * Bytes of spilled days that are read together, so that what was read is in the processor's cache still
 * when it becomes parts.
 */
export const MERGE_GROUP_BYTES = 4 * MIB;

/** A segment's row as it is described to be packed, in bytes; as in src/kernels/sink/spill.ts. */
export const DESCRIBED_ROW_BYTES = 64;

/** What a worker takes for spilling: all rows described, and two packs. */
export const SPILL_BYTES = ROW_BUFFER_ROWS_MAX * DESCRIBED_ROW_BYTES + 2 * PACK_BYTES;

/** About how many merges a run has at most; each of them looks into all spill files. */
export const MERGES_MAX = 1_024;

/** Spill files that one worker has open at the same time. */
export const SPILL_FILES_OPEN_MAX = 64;

/** Bytes of a Parquet data page before compression; a longer cell is a page of its own. */
export const PAGE_BYTES = 1 * MIB;

/** Bytes of the distinct values of a Parquet column chunk; beyond it there is no dictionary. */
export const DICTIONARY_BYTES_MAX = 1 * MIB;

/**
 * Bytes of JSON lines or CSV records that are encoded in one go; one gzip member in `.jsonl.gz`. Few
 * enough to be in the processor's cache still when they are hashed and written: 4 MiB took 7 % more
 * CPU time for a whole export.
 */
export const TEXT_BYTES = 1 * MIB;

/** Bytes gathered for one write to a part file. */
export const WRITE_BYTES = 1 * MIB;

/** From so many bytes on a piece of a part file is written as it is, without being gathered. */
export const WRITE_PIECE_BYTES = 256 * KIB;

/** Bytes of text in one Arrow record batch. */
export const ARROW_BATCH_BYTES = 4 * MIB;

/** Rows of one Arrow record batch. */
export const ARROW_BATCH_ROWS_MAX = 65_536;

/** Bytes of Parquet footers that the open parts of a split hold together; beyond it all are finished. */
export const FOOTER_BYTES_MAX = 16 * MIB;

/** Files of one split that are synced to disk at the same time. */
export const SYNC_CONCURRENCY = 4;

/** Bytes of one part file. Changed with `--part-size`. */
export const PART_BYTES = 128 * MIB;

/** Decompressed bytes per compressed byte, above which an archive is held to be a bomb. `--max-ratio`. */
export const DECOMPRESSION_RATIO_MAX = 1_000;

/** Decompressed bytes below which the ratio is not looked at. */
export const DECOMPRESSION_RATIO_FLOOR_BYTES = 256 * MIB;

/** Bytes at the head of a source that formats and dialects are detected from. */
export const SNIFF_BYTES = 256 * KIB;

/** What a compressed byte counts when splits are packed: exports deflate to about an eighth. */
export const COMPRESSED_WEIGHT = 8;

/** Sources that a split takes, however small they are, before splits have to grow. */
export const SPLIT_SOURCES = 1_024;

/** Bytes of rejects that are gathered before they go to disk. */
export const REJECT_BUFFER_BYTES = 256 * KIB;

/** What the main thread and Node itself take. */
export const MAIN_THREAD_BYTES = 96 * MIB;

/** JavaScript heap that a worker cannot do without. */
export const WORKER_HEAP_BYTES_MIN = 64 * MIB;

/** Worker threads of one run. */
export const THREADS_MAX = 256;

/** Milliseconds that workers have to stop by themselves before they are stopped. */
export const STOP_GRACE_MS = 1_500;

/** Compression layers around one source, a zip's own not counted. */
export const CODEC_LAYERS_MAX = 3;

/** Compressed bytes that a decoder is fed at a time. */
export const DECODE_FEED_BYTES = 64 * KIB;

/** Decompressed bytes that a decoder makes at a time. */
export const DECODE_CHUNK_BYTES = 256 * KIB;

/** Bytes at either end of a file that its fingerprint covers. */
export const FINGERPRINT_EDGE_BYTES = 64 * KIB;

/** Files, or entries of one zip, that are looked at together while sources are discovered. */
export const DISCOVERY_MAX = 16;

/** Distinct event names that are counted by name; rows of further ones are counted together. */
export const CENSUS_NAMES_MAX = 16_384;

/** Bytes of these names in UTF-8. */
export const CENSUS_NAME_BYTES_MAX = 1 * MIB;

/** Pairs of day and event name that one split counts; rows of further ones count for no day. */
export const CENSUS_PAIRS_MAX = 262_144;

/** Rows of which the pairs of day and name are counted together. */
export const CENSUS_PENDING_MAX = 65_536;

/** Memory that the counting of a worker takes for these names, pairs and rows. */
export const CENSUS_BYTES = 8 * MIB;

/** Pairs of day and event name that a manifest tells; rows of further ones count for no name. */
export const EXPORT_PAIRS_MAX = 2_000_000;

/** Calls of the console that are under way at the same time. */
export const CONSOLE_CALLS_MAX = 4;

/** Milliseconds that these have to be answered once a command is interrupted. */
export const CONSOLE_STOP_GRACE_MS = 1_500;

/** Bytes of events that are encoded in one go on their way to a service. */
export const SEND_TEXT_BYTES = 1 * MIB;

/** Requests of one sender that are under way at the same time. */
export const SEND_CONCURRENCY_MAX = 1_024;

/** Events of one request. */
export const SEND_BATCH_ROWS_MAX = 10_000;

/** Bytes of an answer that are looked at. */
export const ANSWER_BYTES_MAX = 64 * KIB;

/** Characters of a service's words that a message repeats. */
export const ANSWER_WORDS_MAX = 300;

/** Milliseconds before the first retry, at most. */
export const RETRY_DELAY_MS = 250;

/** Milliseconds before any retry, at most, where the service does not say. */
export const RETRY_DELAY_MS_MAX = 30_000;

/** Milliseconds between two syncs of what was acknowledged. */
export const ACKNOWLEDGE_SYNC_MS = 900;

/** Milliseconds that requests under way have to be answered once a sender is stopped. */
export const SEND_STOP_GRACE_MS = 1_100;

/** Days, names of a day, and events of a name and day that are compared field by field. */
export const SAMPLE_DAYS_MAX = 16;
export const SAMPLE_NAMES_MAX = 8;
export const SAMPLE_EVENTS_MAX = 8;

/** Differences between export and service that are told one by one. */
export const STORED_DIFFERENCES_MAX = 1_000;

/** Event names whose properties a dry run looks at. */
export const PROFILE_NAMES_MAX = 1_000;

/** Keys of properties, over all event names, that a dry run knows apart. */
export const PROFILE_KEYS_MAX = 20_000;

/** Bytes of these keys in UTF-8. */
export const PROFILE_KEY_TEXT_BYTES_MAX = 1 * MIB;

/** Bytes of memory for the values of these keys; beyond it fewer values of a key are known apart. */
export const PROFILE_VALUE_BYTES = 32 * MIB;

/** Distinct values of a key that are counted one by one (`VALUES_MAX` in src/kernels). */
export const PROFILE_VALUES_MAX = 64;

/** Users, and devices, that are counted one by one to find those with the most events. */
export const PROFILE_IDS_MAX = 256;

/** Insert ids of one split that are remembered to find repeated ones. */
export const PROFILE_INSERT_IDS_MAX = 1_048_576;

/** Hours that one split counts events of. */
export const PROFILE_HOURS_MAX = 524_288;

/** Days that one split counts rejected rows of. */
export const PROFILE_DAYS_MAX = 16_384;

/** Bytes of a sample's source row, and of the event that it becomes. */
export const SAMPLE_BYTES_MAX = 4 * KIB;

/** Sources of which `init` reads rows, spread over all of them; a few of rare shapes come on top. */
export const SURVEY_SOURCES_MAX = 24;

/** First rows of each that it looks at. */
export const SURVEY_ROWS_MAX = 200;

/** Bytes of one such row; longer ones are passed over. */
export const SURVEY_ROW_BYTES_MAX = 1 * MIB;

/** Paths that it tells apart in the rows of one source. */
export const SURVEY_FIELDS_MAX = 2_000;
