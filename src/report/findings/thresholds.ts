/** Limits of findings, chosen so that a clean export has no findings. */

/** Least events of an hour or day that is examined. */
export const MINIMUM_HOUR_EVENTS = 25;
export const MINIMUM_DAY_EVENTS = 25;

/** Share of the usual events below which a day or hour is a gap; nights are quiet, so hours need less. */
export const GAP_DAY_SHARE = 0.25;
export const GAP_HOUR_SHARE = 0.05;

/** Multiple of the usual events from which on a day or hour is a spike. */
export const SPIKE_DAY_FACTOR = 2.5;
export const SPIKE_HOUR_FACTOR = 4;

/** Standard deviations beyond which a difference is not chance. */
export const CHANCE_DEVIATIONS = 8;

/** Share of events at midnight from which on times are treated as dates. */
export const MIDNIGHT_SHARE = 0.2;

/** Days from the bulk of events from which on a day is far away. */
export const FAR_DAYS = 30;

/** Number of ids of the other kind from which on an id is treated as shared. */
export const SHARED_ID_OTHERS = 100;

/** Share of rows without a user id from which on the mapping is probably wrong. */
export const USERLESS_SHARE = 0.95;

/** Share of the events with a user id from which on ids of one shape are evidence. */
export const ANONYMOUS_SHARE = 0.02;

/**
 * Share of users with a device id and a generated user id from which on generated ids are normal for users.
 */
export const GENERATED_USERS_SHARE = 0.01;

/** Share of the distinct texts of a target from which on a form is treated as that of the export. */
export const ODD_TEXTS_SHARE = 0.5;

/** Number of names that differ only by an id from which on they are treated as one. */
export const NAMES_WITH_IDS = 10;

/** Number of names that people can still review. */
export const NAMES_USUAL_MAX = 1_000;

/** Characters of a name that the event route accepts. */
export const NAME_CHARACTERS_MAX = 1_024;

/** Bytes of one event that hosted services usually accept. */
export const EVENT_BYTES_USUAL_MAX = 256 * 1024;

/** Bytes of a value beyond which platforms cut it, and beyond which they refuse it. */
export const VALUE_BYTES_CUT = 1_024;
export const VALUE_BYTES_REFUSED = 32 * 1024;

/** Most findings of one code that are listed; the others are counted together. */
export const FINDINGS_PER_CODE = 10;

/** Share of events before 2000 from which on their times are read wrongly, and are not placeholders. */
export const IMPLAUSIBLE_SHARE = 0.5;
