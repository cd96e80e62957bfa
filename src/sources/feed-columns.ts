import { SourceError } from "../base/errors.js";
import { feedDialect } from "./feed-dialect.js";
import type { InputFile } from "./inputs.js";
import { ADOBE_HEADERS, isFeedLookup, type LeftOut } from "./other-files.js";
import type { Format, Source } from "./source.js";
import { collect, type Discovery, nothingFound } from "./source-discovery.js";
import { describeSource } from "./source-table.js";

/** The name of rows of a feed: those of an archive, or `01-shop_2026-01-13-120000.tsv.gz`. */
const FEED_NAME = /hit_data|^\d\d+-.+_\d{4}-\d\d-\d\d(-\d{6})?\.tsv/i;

/** The names of the columns of a feed, and where they are. */
interface FeedHeader {
  readonly name: string;
  readonly columns: readonly string[];
}

interface FeedOptions {
  /** True if the user says how CSV is written: then only the names of columns are added. */
  readonly isDescribed: boolean;
  /** Finds the sources of a file, lookup tables included. */
  readonly signal: AbortSignal;
  discoverAll(file: InputFile): Promise<Discovery>;
}

/**
 * Gives the rows of Adobe's data feeds, which have no header, the names of their columns: those of the file
 * `column_headers.tsv` beside them or in their archive, or in the archive of lookups of their day. Sources of
 * which no such file is found stay as they are, with a note.
 */
export async function nameFeedColumns(
  found: Discovery,
  files: readonly InputFile[],
  options: FeedOptions,
): Promise<Discovery> {
  const rows = found.sources.filter(isWithoutHeader);
  if (rows.length === 0) return found;
  const lookups = found.leftOut.filter(({ name }) => isFeedLookup(name));
  const headers = new FeedHeaders(lookups, files, options);
  const named = new Map<Source, readonly Source[]>();
  const failures = [...found.failures];
  const unnamed: Source[] = [];
  for (const source of rows) {
    const one = await collect(source.name, options.signal, async () => {
      const columns = await headers.columnsOf(source.name);
      if (columns !== undefined)
        return { ...nothingFound, sources: [withColumns(source, columns, options)] };
      if (FEED_NAME.test(lastPart(source.name))) unnamed.push(source);
      return { ...nothingFound, sources: [source] };
    });
    named.set(source, one.sources);
    failures.push(...one.failures);
  }
  const sources = found.sources.flatMap((source) => named.get(source) ?? source);
  return { ...found, sources, failures, notes: [...(found.notes ?? []), ...notesOf(unnamed)] };
}

function isWithoutHeader({ format }: Source): boolean {
  return format.kind === "csv" && !format.header && format.delimiter === "\t";
}

function withColumns(
  source: Source,
  columns: readonly string[],
  { isDescribed }: FeedOptions,
): Source {
  const csv = source.format as Extract<Format, { readonly kind: "csv" }>;
  const { escape: _, ...marks } = csv;
  const dialect = isDescribed ? csv : { ...marks, ...feedDialect };
  const format = { ...dialect, columns, header: false };
  return describeSource(source, { codecs: source.codecs, format, sampled: false });
}

function notesOf(unnamed: readonly Source[]): readonly string[] {
  const [first] = unnamed;
  if (first === undefined) return [];
  const more = unnamed.length === 1 ? "" : ` and ${unnamed.length - 1} more`;
  return [
    `${first.name}${more}: rows of an Adobe data feed without the names of their columns. ` +
      `Name the directory that has ${ADOBE_HEADERS} or the archive of lookups beside them`,
  ];
}

class FeedHeaders {
  /** By the name of the lookup. */
  readonly #read = new Map<string, Promise<FeedHeader>>();
  readonly #files: ReadonlyMap<string, InputFile>;
  /** Lookups by the archive that they are in, and by the directory, each in the order of their names. */
  readonly #places = new Map<string, string[]>();

  constructor(
    lookups: readonly LeftOut[],
    files: readonly InputFile[],
    private readonly options: FeedOptions,
  ) {
    this.#files = new Map(lookups.length === 0 ? [] : files.map((file) => [file.name, file]));
    for (const { name } of lookups) {
      for (const place of new Set([placeOf(name), placeOf(fileOf(name))]))
        this.#places.set(place, [...(this.#places.get(place) ?? []), name].sort());
    }
  }

  /** Returns the names of a source's columns; undefined if no file names them. */
  async columnsOf(source: string): Promise<readonly string[] | undefined> {
    const inArchive = this.#places.get(placeOf(source));
    const lookups = inArchive ?? this.#places.get(placeOf(fileOf(source))) ?? [];
    const beside = lookups.filter(
      (name) => lastPart(name) === ADOBE_HEADERS && placeOf(name) === placeOf(source),
    );
    // Other tables may have no header either.
    if (beside.length === 0 && !FEED_NAME.test(lastPart(source))) return undefined;
    const own = beside.length > 0 ? beside : lookups.filter((name) => isOfDay(name, source));
    const headers = await Promise.all(
      (own.length > 0 ? own : lookups).map((name) => this.#at(name)),
    );
    const [first] = headers;
    const other = headers.find(({ columns }) => columns.join("\t") !== first?.columns.join("\t"));
    if (first === undefined || other === undefined) return first?.columns;
    const reason = `its columns are not known: those of ${first.name} and of ${other.name} differ, and neither is of its day`;
    throw new SourceError("source_unreadable", { source }, reason);
  }

  #at(name: string): Promise<FeedHeader> {
    const known = this.#read.get(name) ?? this.#readHeader(name);
    this.#read.set(name, known);
    return known;
  }

  async #readHeader(name: string): Promise<FeedHeader> {
    const file = this.#files.get(fileOf(name));
    const { sources, failures } =
      file === undefined ? { sources: [], failures: [] } : await this.options.discoverAll(file);
    const header = sources.find((one) => lastPart(one.name) === ADOBE_HEADERS);
    const { format } = header ?? {};
    if (format?.kind === "csv" && format.header) return { name, columns: format.columns };
    const why = failures[0]?.message ?? `it has no ${ADOBE_HEADERS} with the names of columns`;
    throw new SourceError("source_unreadable", { source: name }, why);
  }
}

/** Returns whether an archive with lookups, `shop_2026-01-13-000000-lookup_data.tar.gz`, is of a source's day. */
function isOfDay(lookup: string, source: string): boolean {
  const [, day] = /^(?:\d+-)?(.*_\d{4}-\d\d-\d\d)/.exec(lastPart(fileOf(lookup))) ?? [];
  return day !== undefined && lastPart(fileOf(source)).includes(day);
}

/** Returns the archive that a name is in, or the name. */
function fileOf(name: string): string {
  return name.split("!", 1)[0] ?? name;
}

/** Returns the directory of a file, or the archive and the directory in it. */
function placeOf(name: string): string {
  return name.slice(0, 1 + Math.max(name.lastIndexOf("/"), name.lastIndexOf("!")));
}

function lastPart(name: string): string {
  return name.slice(placeOf(name).length);
}
