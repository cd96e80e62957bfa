import { createHash } from "node:crypto";

/** Levels of directories below a dataset. */
export type Partition = "day" | "day,event";

/** The path of the directories of an export, below its output. */
export interface DirectoryTemplate {
  /** Name of the directory that holds the days. */
  readonly dataset: string;
  /** Name of a day's directory, with `{day}` for YYYY-MM-DD: `{day}` or `<key>={day}`. */
  readonly dayName: string;
  readonly partition: Partition;
}

/** The directory of some events of a dataset. */
export interface DirectoryKey {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** Name of the events; absent if the directory has the events of all names. */
  readonly event?: string | undefined;
}

const EVENT_KEY = "event=";

const EVENT_LEVEL = `/${EVENT_KEY}{event}`;

const DEFAULT_DATASET = "events";

const template = /^(?:([a-z\d][\w.=-]{0,127})\/)?((?:[a-z_]\w*=)?\{day\})(\/event=\{event\})?$/i;

/** Names beside the dataset (src/output/layout.ts), which some file systems take in any case. */
const ownNames =
  /^(rejects|duplicates|(manifest|renames|run)\.json|(inputs|events-by-day)\.jsonl)$/i;

/**
 * Parses `{day}`, `day={day}/event={event}` or `<dataset>/{day}`; undefined for any other text, and for a
 * dataset with the name of another file of outputs. The dataset is `events` if the text has none.
 */
export function parseTemplate(text: string): DirectoryTemplate | undefined {
  const [, dataset = DEFAULT_DATASET, dayName, events] = template.exec(text) ?? [];
  if (dayName === undefined || ownNames.test(dataset)) return undefined;
  return { dataset, dayName, partition: events === undefined ? "day" : "day,event" };
}

/** Returns the text that `parseTemplate` parses to the same. */
export function templateText({ dataset, dayName, partition }: DirectoryTemplate): string {
  return `${dataset}/${dayName}${partition === "day" ? "" : EVENT_LEVEL}`;
}

/** Hive's name for a value that is null or empty. */
const EMPTY_VALUE = "__HIVE_DEFAULT_PARTITION__";

/** Longer names of directories end with a digest. Whole paths become names of files, of up to 255 bytes. */
const VALUE_BYTES_MAX = 120;
const DIGEST_DIGITS = 32;

/** Returns the path of a directory in its dataset. `dayName` has `{day}`. */
export function directoryOf(dayName: string, { day, event }: DirectoryKey): string {
  const directory = dayName.replace("{day}", day);
  return event === undefined ? directory : `${directory}/${EVENT_KEY}${encodeName(event)}`;
}

/** Returns true if a directory of a day holds the events of one name. */
export function isEventDirectory(name: string): boolean {
  return name.startsWith(EVENT_KEY);
}

/**
 * Returns the name of events as the value in the name of a directory: bytes other than letters, digits,
 * `.`, `_` and `-` as `%XX`, as Hive and Spark do. Different names have different values.
 */
function encodeName(event: string): string {
  if (event === "") return EMPTY_VALUE;
  const value = Buffer.from(event)
    .toString("latin1")
    // Windows drops a dot at the end.
    .replace(/[^\w.-]|\.$/g, percent);
  if (value === EMPTY_VALUE) return percent("_") + value.slice(1);
  if (value.length <= VALUE_BYTES_MAX) return value;
  const digest = createHash("sha256").update(event).digest("hex").slice(0, DIGEST_DIGITS);
  const start = value.slice(0, VALUE_BYTES_MAX - DIGEST_DIGITS - 1).replace(/%.?$/, "");
  // A ~ of a name itself is encoded.
  return `${start}~${digest}`;
}

/** `character` stands for one byte. */
function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
