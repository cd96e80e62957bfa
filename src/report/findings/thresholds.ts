/** From where on something is told. Chosen so that a clean export is told nothing. */

/** Events of an hour below which nothing is concluded from it. */
export const MINIMUM_HOUR_EVENTS = 25;

/** Events of a day below which nothing is concluded from it. */
export const MINIMUM_DAY_EVENTS = 25;

/** Share of the usual events below which a day is a gap; an hour's night needs a smaller one. */
export const GAP_DAY_SHARE = 0.25;
export const GAP_HOUR_SHARE = 0.05;

/** Times the usual events from which on it is a spike. */
export const SPIKE_DAY_FACTOR = 3;
export const SPIKE_HOUR_FACTOR = 4;

/** Standard deviations that chance does not reach. */
export const CHANCE_DEVIATIONS = 8;

/** Share of events at midnight from which on times are held to be dates. */
export const MIDNIGHT_SHARE = 0.2;

/** Days from the bulk of events from which on a day is far away. */
export const FAR_DAYS = 30;

/** Ids of the other kind from which on an id is held to be shared. */
export const SHARED_ID_OTHERS = 100;

/** Share of rows without a user id from which on the mapping is doubted. */
export const USERLESS_SHARE = 0.95;

/** Names that differ only by an id inside of them, from which on they are held to be one. */
export const NAMES_WITH_IDS = 10;

/** Names that people can still look through. */
export const NAMES_USUAL_MAX = 1_000;

/** Characters of a name that the event route takes. */
export const NAME_CHARACTERS_MAX = 1_024;

/** Bytes of one event that hosted services usually take. */
export const EVENT_BYTES_USUAL_MAX = 256 * 1024;

/** Bytes of a value from which on platforms cut it, and from which on they refuse it. */
export const VALUE_BYTES_CUT = 1_024;
export const VALUE_BYTES_REFUSED = 32 * 1024;

/** Findings of one code that are told one by one; the others are counted together. */
export const FINDINGS_PER_CODE = 10;
