/** Maximums of a journal, each with its unit. */

/** Milliseconds between two writes while nothing begins or ends. */
export const WRITE_INTERVAL_MS = 1_000;

/** Last attempts that are kept. */
export const ATTEMPTS_MAX = 100;

/** Last notes of a step. */
export const NOTES_MAX = 50;

/** Characters of a note, a message or a name. */
export const TEXT_CHARACTERS_MAX = 2_000;

/** Characters of the summary of a step. */
export const SUMMARY_CHARACTERS_MAX = 16_384;

/** Rows that are shown for a reason. */
export const SAMPLES_MAX = 5;

/** Characters of such a row. */
export const RAW_CHARACTERS_MAX = 4_096;

/** Bytes of rejects files that are searched for them. */
export const REJECTS_READ_BYTES_MAX = 16 * 1_048_576;

/** Days that are listed. */
export const DAYS_MAX = 5_000;

/** Findings that are listed. */
export const FINDINGS_MAX = 100;
