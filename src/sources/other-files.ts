import { isObject } from "../base/is-object.js";
import { parseJson } from "../base/parse-json.js";
import { isDataFeed } from "./file-lists.js";
import type { HeadSample } from "./source-head.js";

/** The kinds of files beside events, in the order of messages, which call one and several of them so. */
export const otherKinds = {
  "merged ids": ["a file of merged ids", "files of merged ids"],
  persons: ["a file of persons", "files of persons"],
  "failed events": ["a file of failed events", "files of failed events"],
  manifest: ["a manifest", "manifests"],
  checksum: ["a checksum", "checksums"],
  marker: ["a marker", "markers"],
  "lookup table": ["a lookup table", "lookup tables"],
  document: ["a document", "documents"],
  "desktop file": ["a file of a desktop", "files of desktops"],
  "hidden name": ["a hidden file", "hidden names"],
} as const;
export type OtherKind = keyof typeof otherKinds;

/** A file or an entry of a zip that is left out because it holds no events. */
export interface LeftOut {
  readonly name: string;
  readonly kind: OtherKind;
}

/** Names of one kind that a message lists. */
const NAMES_SHOWN = 3;

/** Lists files by kind, in the order of their kinds: `checksums a.md5, b.md5; manifests m.json`. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string {
  const kinds = Object.keys(otherKinds) as readonly OtherKind[];
  const names = new Map<OtherKind, string[]>(kinds.map((kind) => [kind, []]));
  for (const { name, kind } of leftOut) names.get(kind)?.push(name);
  return [...names]
    .filter(([, own]) => own.length > 0)
    .map(([kind, own]) => `${otherKinds[kind][1]} ${listNames(own)}`)
    .join("; ");
}

function listNames(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : "";
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more}`;
}

/** Returns the note of a run about files that it leaves out; none if there are none. */
export function notesOfLeftOut(leftOut: readonly LeftOut[] = []): readonly string[] {
  return leftOut.length === 0 ? [] : [`skipped (no events): ${describeLeftOut(leftOut)}`];
}

interface NamedKind {
  readonly kind: OtherKind;
  /** Matches the last part of a name. */
  readonly name: RegExp;
  /** Set if files of this name can also hold events: their first bytes decide. */
  readonly isLikely?: true;
}

/** Ids that Amplitude has merged: the number of an organization and an hour, beside files of events. */
const MERGED_IDS = /^-\d+_\d{4}-\d\d-\d\d_\d{1,2}(#\d+)?\.json(\.gz)?$/i;

/** An archive of the lookups of an Adobe data feed. */
const FEED_LOOKUPS = /-lookup_data\.(tar(\.gz)?|tgz|zip)$/i;

const named = (kind: OtherKind, name: RegExp): NamedKind => ({ kind, name });
const likely = (kind: OtherKind, name: RegExp): NamedKind => ({ kind, name, isLikely: true });

/**
 * The first match counts. Sources: https://amplitude.com/docs/data/destination-catalog/amazon-s3 (merged ids,
 * `complete`); the page "Data feed contents" of Adobe Analytics (`.fin`, manifests, lookups);
 * https://posthog.com/docs/cdp/batch-exports/s3 (`_manifest.json`).
 */
const namedKinds: readonly NamedKind[] = [
  named("merged ids", MERGED_IDS),
  named("desktop file", /^(thumbs\.db|ehthumbs\.db|desktop\.ini|\.ds_store|\._.*|__macosx)$/i),
  named("desktop file", /^\.(trashes|spotlight-v100|fseventsd|directory|localized)$/i),
  named("desktop file", /\.(lnk|url|webloc|desktop)$/i),
  named("marker", /^_(success|committed_.*|started_.*)$|\.fin$/i),
  likely("marker", /^(.*[._-])?(complete|success|done)$/i),
  named("checksum", /\.(md5|sha\d+|sfv|crc|crc32|asc|sig)$/i),
  named("checksum", /^(checksums?|(md5|sha\d+)(sums?)?)(\.txt)?$/i),
  likely("manifest", /^(.*[._-])?manifest(\.(txt|json|mf)(\.gz)?)?$/i),
  named("lookup table", FEED_LOOKUPS),
  named("document", /^(readme|licen[cs]e|copying|notice|changelog)(\.(txt|rst))?$/i),
  named("document", /\.(md|rst|html?|pdf|docx?|rtf|odt|pptx?)$/i),
  named("document", /\.(png|jpe?g|gif|svg|webp|ico|bmp|tiff?)$/i),
];

/** The file of an Adobe data feed with the names of its columns; the tables beside it are lookups. */
export const ADOBE_HEADERS = "column_headers.tsv";

/** Lookups of an Adobe data feed; a name alone can also be that of events. */
const ADOBE_LOOKUPS = new Set(
  `${ADOBE_HEADERS.slice(0, -4)} browser browser_type carrier color_depth connection_type country event
  javascript_version languages mobile_attributes operating_system_type operating_systems plugins
  referrer_type resolution search_engines`
    .split(/\s+/)
    .map((name) => `${name}.tsv`),
);

/** Returns whether a file has the names of the columns of an Adobe data feed, or is an archive with them. */
export function isFeedLookup(name: string): boolean {
  return FEED_LOOKUPS.test(name) || name.split(/[/!]/).at(-1) === ADOBE_HEADERS;
}

/** Returns the kind that a name says. `isLikely`: the content decides. */
export function kindOfName(name: string): Omit<NamedKind, "name"> | undefined {
  const last = lastPart(name);
  return namedKinds.find((one) => one.name.test(last));
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Returns the kind of a hidden file or directory. */
export function kindOfHidden(name: string): OtherKind {
  const known = name.split("/").map((part) => kindOfName(part)?.kind);
  return known.find((kind) => kind === "desktop file" || kind === "marker") ?? "hidden name";
}

/** Tables of merged ids in a warehouse, `MERGE_IDS_<project>`. */
const MERGED_TABLE = /merged?_ids/i;

/** Returns true for the name of a file with merged ids. */
export function hasMergedIDs(name: string): boolean {
  const last = lastPart(name);
  return MERGED_IDS.test(last) || MERGED_TABLE.test(last);
}

/**
 * Splits what was found in a directory, a bucket or a zip into data and files that hold no events by their
 * names. Files of names that say too little are data here: `kindOfContent` decides about them.
 */
export function splitByName<One>(
  found: readonly One[],
  nameOf: (one: One) => string,
  isData: (one: One, kind: OtherKind) => boolean,
): { readonly data: readonly One[]; readonly others: readonly { one: One; kind: OtherKind }[] } {
  const feeds = new Set<string>();
  for (const one of found) {
    const name = nameOf(one);
    if (lastPart(name) === ADOBE_HEADERS) feeds.add(name.slice(0, -ADOBE_HEADERS.length));
  }
  const isLookup = (name: string) =>
    feeds.size > 0 &&
    ADOBE_LOOKUPS.has(lastPart(name)) &&
    feeds.has(name.slice(0, name.lastIndexOf("/") + 1));
  const data: One[] = [];
  const others: { one: One; kind: OtherKind }[] = [];
  for (const one of found) {
    const name = nameOf(one);
    const known = isLookup(name) ? { kind: "lookup table" as const } : kindOfName(name);
    const isOther = known !== undefined && !("isLikely" in known) && !isData(one, known.kind);
    if (isOther) others.push({ one, kind: known.kind });
    else data.push(one);
  }
  return { data, others };
}

/** Schemas of Snowplow's failed events, which are in files of their own. */
const FAILED_EVENTS = "iglu:com.snowplowanalytics.snowplow.badrows/";

const LINE_FEED = 0x0a;

/** Fields of rows that are not events: bytes without them need not be parsed. */
const TRACES = [
  "merged_amplitude_id",
  "person_version",
  "person_distinct_id_version",
  "dump_id",
  FAILED_EVENTS,
];

/** Returns true if bytes may be of rows that are not events. */
export function hasTraces(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (TRACES.some((trace) => buffer.includes(trace))) return true;
  // The properties of a person can be longer than the bytes, and events have persons too.
  return buffer.includes('"person_id"') && !buffer.includes('"event"');
}

/** Returns the kind of rows with these fields; undefined for events. */
export function kindOfFields(fields: readonly string[]): OtherKind | undefined {
  const has = (...names: readonly string[]) => names.every((name) => fields.includes(name));
  if (has("event") || has("event_type") || has("timestamp")) return undefined;
  if (has("amplitude_id", "merged_amplitude_id")) return "merged ids";
  // https://docs.heap.io/docs/heap-connect-s3-specification: one for each synchronization.
  if (has("dump_id", "tables")) return "manifest";
  const isPosthog = has("person_version") || has("person_distinct_id_version");
  return has("distinct_id", "person_id") && isPosthog ? "persons" : undefined;
}

/**
 * Returns the kind of a file by its first bytes, whatever its name. `undecided`: the sample is too short.
 */
export function kindOfContent({ bytes, extent }: HeadSample): OtherKind | "undecided" | undefined {
  const start = Buffer.from(bytes.subarray(0, 64)).toString("latin1");
  if (isDataFeed(start)) return "manifest";
  const lineEnd = bytes.indexOf(LINE_FEED);
  if (!hasTraces(lineEnd === -1 ? bytes : bytes.subarray(0, lineEnd))) return undefined;
  const text = textOf(bytes);
  const end = text.indexOf("\n");
  if (end === -1 && extent === "part") return "undecided";
  const line = end === -1 ? text : text.slice(0, end);
  const row = line.startsWith("{") ? parseObject(line) : undefined;
  if (String(row?.["schema"]).startsWith(FAILED_EVENTS)) return "failed events";
  if (row !== undefined) return kindOfFields(Object.keys(row));
  return kindOfFields(line.split(/[,\t;|]/).map((cell) => cell.trim().replaceAll('"', "")));
}

/** Bytes of a marker, at most; most are empty. */
const MARKER_BYTES_MAX = 1024;

/** Returns true if a file can hold rows although its name says that it is of this kind. */
export function looksLikeRows({ bytes }: HeadSample, kind: OtherKind): boolean {
  if (kind === "marker" && bytes.length > MARKER_BYTES_MAX) return true;
  const text = textOf(bytes);
  if (text.startsWith("PAR1") || text.startsWith("Obj\x01") || /^\[\s*\{/.test(text)) return true;
  const [first = "", second = ""] = text.split("\n", 3).filter((line) => line.trim() !== "");
  return parseObject(first) !== undefined && second.trimStart().startsWith("{");
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString()
    .replace(/^\ufeff/, "")
    .trimStart();
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
