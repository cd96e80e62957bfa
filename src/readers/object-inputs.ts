import { DISCOVERY_MAX } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import type { ObjectFacts, ObjectStore } from "../store/object-store.js";
import { formatObjectUrl, type ObjectUrl } from "../store/object-url.js";
import { openStore } from "../store/open-store.js";
import { type FoundFile, isHiddenPart } from "./directory-walk.js";
import type { ObjectOptions } from "./object-bytes.js";

interface FoundObjects {
  readonly files: readonly FoundFile[];
  /** Names of hidden objects. */
  readonly skipped: readonly string[];
  /** The searched address and the result, in words. */
  readonly looked: string;
}

/** Decides about a key; the parts of a key are between slashes. */
interface Selection {
  /** Prefix of all keys that are wanted. */
  readonly prefix: string;
  /** Returns whether keys may be wanted that begin with a prefix, which ends with a slash. */
  mayHold(prefix: string): boolean;
  /** Returns how many parts of a key are named; undefined if it is not wanted. */
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
): Promise<FoundObjects> {
  const address = formatObjectUrl(url);
  const store = await openStore(url, s3);
  const exact = await findObject(store, url.key, signal);
  if (exact !== undefined) {
    return { files: [foundFile(url, exact)], skipped: [], looked: address };
  }
  const below = await select(store, selectBelow(url.key), signal);
  if (below.length > 0 || !isPattern(url.key)) {
    return foundIn(url, below, `no object at or below ${address}`);
  }
  const matching = await select(store, await selectMatching(url.key), signal);
  return foundIn(url, matching, `no object matches the pattern ${address}`);
}

interface Selected {
  readonly object: ObjectFacts;
  readonly isHidden: boolean;
}

function foundIn(url: ObjectUrl, selected: readonly Selected[], looked: string): FoundObjects {
  const files = selected.filter(({ isHidden }) => !isHidden);
  const skipped = selected.filter(({ isHidden }) => isHidden);
  return {
    files: files.map(({ object }) => foundFile(url, object)),
    skipped: skipped.map(({ object }) => formatObjectUrl({ ...url, key: object.key })),
    looked,
  };
}

function foundFile(url: ObjectUrl, { key, ...stored }: ObjectFacts): FoundFile {
  const name = formatObjectUrl({ ...url, key });
  return { name, path: name, real: name, stored };
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
  const matchesStart = parts.map((_, index) =>
    picomatch(parts.slice(0, index + 1).join("/"), { dot: true }),
  );
  // A part with half of a brace goes on behind the slash: anything may be below it.
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
      const named = startsOf(key).findIndex(isMatch);
      return named < 0 ? undefined : named + 1;
    },
  };
}

/** Lists the first level, and then the prefixes that were found there at the same time. */
async function select(
  store: ObjectStore,
  { prefix, mayHold, namedParts }: Selection,
  signal: AbortSignal,
): Promise<readonly Selected[]> {
  const first = await listAll(store, prefix, { isFlat: true, signal });
  const deeper = await mapBounded(first.prefixes.filter(mayHold), DISCOVERY_MAX, (below) =>
    listAll(store, below, { isFlat: false, signal }),
  );
  const selected: Selected[] = [];
  for (const object of [...first.objects, ...deeper.flatMap(({ objects }) => objects)]) {
    const named = namedParts(object.key);
    // Consoles make empty objects for directories.
    if (named === undefined || object.key.endsWith("/")) continue;
    const isHidden = object.key.split("/").slice(named).some(isHiddenPart);
    selected.push({ object, isHidden });
  }
  return selected;
}

async function listAll(
  store: ObjectStore,
  prefix: string,
  options: { readonly isFlat: boolean; readonly signal: AbortSignal },
) {
  const objects: ObjectFacts[] = [];
  const prefixes: string[] = [];
  for await (const page of store.list(prefix, options)) {
    for (const object of page.objects) objects.push(object);
    for (const below of page.prefixes) prefixes.push(below);
  }
  return { objects, prefixes };
}
