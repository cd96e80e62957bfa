import { DISCOVERY_MAX } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import type { ObjectFacts, ObjectStore } from "../store/object-store.js";
import { formatObjectUrl, type ObjectUrl } from "../store/object-url.js";
import { openStore } from "../store/open-store.js";
import type { FoundFile, NamedPath } from "./directory-walk.js";
import { fingerprintObject, type ObjectState, objectStateOf } from "./fingerprint.js";
import type { ObjectOptions } from "./object-bytes.js";
import { createNamedCheck, isHiddenPart } from "./skipped-names.js";
import type { Source } from "./source.js";
import type { SourceTable } from "./source-table.js";

interface ListedObjects {
  readonly files: readonly FoundFile[];
  /** Hidden objects. */
  readonly skipped: readonly NamedPath[];
}

interface FoundObjects extends ListedObjects {
  /** A bucket lists an object once. */
  readonly isUnique: true;
  /** The searched address and the result, in words. */
  readonly looked: string;
}

/** Decides about a key; the parts of a key are between slashes. */
interface Selection {
  /** Prefix of all keys that are wanted. */
  readonly prefix: string;
  /** Returns whether keys may be wanted that begin with a prefix, which ends with a slash. */
  mayHold(prefix: string): boolean;
  /** Returns how many parts of a key may be hidden; undefined if it is not wanted. */
  namedParts(key: string): number | undefined;
}

/**
 * Lists the objects of an address: the object of that key, else those below it as if it were a directory,
 * else those that match it as a pattern. Skips hidden parts of keys that are not named, and markers of
 * directories. Throws `StoreError`.
 */
export async function findObjects(
  url: ObjectUrl,
  { s3 = {}, signal }: ObjectOptions,
  table: SourceTable,
): Promise<FoundObjects> {
  const address = formatObjectUrl(url);
  const store = await openStore(url, s3);
  const keep = (object: ObjectFacts) => new ListedObject(table, url, object);
  const exact = await findObject(store, url.key, signal);
  const isUnique = true;
  if (exact !== undefined) return { files: [keep(exact)], skipped: [], isUnique, looked: address };
  const listing = { store, url, keep, signal };
  const below = await select(listing, selectBelow(url.key));
  if (below.files.length + below.skipped.length > 0 || !isPattern(url.key)) {
    return { ...below, isUnique, looked: `no object at or below ${address}` };
  }
  const matching = await select(listing, await selectMatching(url.key));
  return { ...matching, isUnique, looked: `no object matches the pattern ${address}` };
}

/** An object of a listing. There can be millions, so their texts are in a table. */
class ListedObject implements FoundFile {
  /** Its format is not known yet. */
  readonly listed: Source;

  constructor(table: SourceTable, url: ObjectUrl, { key, ...state }: ObjectFacts) {
    const name = formatObjectUrl({ ...url, key });
    const { size } = state;
    const fingerprint = fingerprintObject(state);
    const format = { kind: "ndjson" } as const;
    this.listed = table.add({ name, path: name, codecs: [], size, fingerprint, format });
  }

  get name(): string {
    return this.listed.name;
  }

  get path(): string {
    return this.listed.path;
  }

  get real(): string {
    return this.listed.path;
  }

  get stored(): ObjectState {
    return objectStateOf(this.listed.fingerprint);
  }
}

interface Listing {
  readonly store: ObjectStore;
  readonly url: ObjectUrl;
  readonly signal: AbortSignal;
  readonly keep: (object: ObjectFacts) => ListedObject;
}

async function findObject(
  store: ObjectStore,
  key: string,
  signal: AbortSignal,
): Promise<ObjectFacts | undefined> {
  if (key === "" || key.endsWith("/")) return undefined;
  for await (const { objects } of store.list(key, { isFlat: true, signal })) {
    // The key itself is the first of those that begin with it.
    return objects.find((one) => one.key === key);
  }
  return undefined;
}

function selectBelow(key: string): Selection {
  const prefix = key === "" || key.endsWith("/") ? key : `${key}/`;
  const named = prefix.split("/").length - 1;
  return { prefix, mayHold: () => true, namedParts: () => named };
}

function isPattern(key: string): boolean {
  return /[*?[\]{}]|[!@+]\(/.test(key);
}

/** A prefix that matches counts with everything below, as a directory does in a shell. */
async function selectMatching(pattern: string): Promise<Selection> {
  const { default: picomatch } = await import("picomatch");
  const parts = pattern.split("/");
  const literal = parts.findIndex(isPattern);
  const prefix = parts
    .slice(0, literal)
    .map((part) => `${part}/`)
    .join("");
  const matcher = picomatch(pattern, { dot: true });
  const isMatch = (start: string) => matcher(start);
  const isNamed = await createNamedCheck(pattern);
  const matchesStart = parts.map((_, index) => {
    const start = parts.slice(0, index + 1).join("/");
    // Keys may begin with a slash.
    return start === "" ? (own: string) => own === "" : picomatch(start, { dot: true });
  });
  // A part with half of a brace continues after the slash: anything may be below it.
  const isOpen = (part: string) => /[{(]/.test(part) && !/[})]/.test(part);
  const deep = parts.findIndex((part) => part.includes("**") || isOpen(part));
  const startsOf = (key: string) => {
    const own = key.split("/");
    return own.map((_, index) => own.slice(0, index + 1).join("/"));
  };
  return {
    prefix,
    mayHold(below) {
      const start = below.slice(0, -1);
      const depth = start.split("/").length;
      if (deep >= 0 && depth > deep) return true;
      return startsOf(start).some(isMatch) || matchesStart[depth - 1]?.(start) === true;
    },
    namedParts(key) {
      const matching = startsOf(key).filter(isMatch);
      if (matching.length === 0) return undefined;
      return matching.find(isNamed)?.split("/").length ?? 0;
    },
  };
}

/** Lists level by level as long as there is one prefix, and then what is below several at the same time. */
async function select(listing: Listing, selection: Selection): Promise<ListedObjects> {
  let level = await listAll(listing, selection, { prefix: selection.prefix, isFlat: true });
  const levels = [level];
  for (let [only, other] = level.prefixes; only !== undefined && other === undefined; ) {
    level = await listAll(listing, selection, { prefix: only, isFlat: true });
    levels.push(level);
    [only, other] = level.prefixes;
  }
  const deeper = await mapBounded(level.prefixes, DISCOVERY_MAX, (prefix) =>
    listAll(listing, selection, { prefix, isFlat: false }),
  );
  const all = [...levels, ...deeper];
  return {
    files: all.flatMap(({ files }) => files),
    skipped: all.flatMap(({ skipped }) => skipped),
  };
}

interface ListedBelow extends ListedObjects {
  /** The prefixes below which objects may be wanted. */
  readonly prefixes: readonly string[];
}

async function listAll(
  { store, url, signal, keep }: Listing,
  { mayHold, namedParts }: Selection,
  { prefix, isFlat }: { readonly prefix: string; readonly isFlat: boolean },
): Promise<ListedBelow> {
  const files: FoundFile[] = [];
  const skipped: NamedPath[] = [];
  const prefixes: string[] = [];
  for await (const page of store.list(prefix, { isFlat, signal })) {
    for (const object of page.objects) {
      const { key } = object;
      const named = namedParts(key);
      // Consoles make empty objects for directories.
      if (named === undefined || (key.endsWith("/") && object.size === 0)) continue;
      const isHidden = key.split("/").slice(named).some(isHiddenPart);
      if (isHidden) {
        const name = formatObjectUrl({ ...url, key });
        skipped.push({ name, path: name });
      } else files.push(keep(object));
    }
    for (const below of page.prefixes) if (mayHold(below)) prefixes.push(below);
  }
  return { files, skipped, prefixes };
}
