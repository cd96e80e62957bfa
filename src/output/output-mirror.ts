import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { mapBounded } from "../base/map-bounded.js";
import { asOutput } from "../base/output-error.js";
import { fetchRange } from "../store/fetch-range.js";
import type { ObjectContent, ObjectFacts, ObjectHead, ObjectStore } from "../store/object-store.js";
import { SHA256_METADATA } from "../store/object-url.js";
import { splitOfPartName } from "./layout.js";
import { waitForAgreement } from "./lease-lock.js";
import type { HeldLock } from "./output.js";
import {
  FIRST_ACCOUNT_STAGE,
  isFileKey,
  isJournal,
  isLocalOnly,
  isNeeded,
  isPlanLines,
  STAGES,
  stageOf,
} from "./output-paths.js";
import { isPlaceholder, keepPlaceholder, makePlaceholder } from "./placeholder.js";

const FETCHES_MAX = 16;
const PUTS_MAX = 8;

/** Larger files are read while they are sent. */
const READ_WHOLE_BYTES = 1 << 20;

interface MirrorOptions {
  readonly store: ObjectStore;
  /** Prefix of all keys of the output: empty, or with its final slash. */
  readonly prefix: string;
  /** The output as the user names it, in messages. */
  readonly address: string;
  /** Empty directory that holds the copy. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

interface MirroredObject {
  readonly etag: string;
  readonly bytes: number;
  /** The state of the file when it had the same content. */
  readonly stamp: string;
  readonly isPlaceholder: boolean;
}

/**
 * A copy of an output in a store, on which a run works as on an output on the disk. The copy has the
 * content of the small files and placeholders for the parts. `publish` writes what has changed: whole
 * objects under their final keys, each after what it lists.
 */
export class OutputMirror {
  readonly #objects = new Map<string, MirroredObject>();

  constructor(private readonly options: MirrorOptions) {}

  get directory(): string {
    return this.options.directory;
  }

  /**
   * Fills the directory, or updates it if it was filled before. `isWanted` selects files; by
   * default, all are copied.
   */
  async fetch(isWanted: (path: string) => boolean = () => true): Promise<void> {
    const objects = await this.#list();
    const wanted = [...objects.keys()].filter(isWanted);
    const paths = wanted.filter(
      (path) => this.#objects.get(path)?.etag !== objects.get(path)?.etag,
    );
    const gone = this.paths.filter((path) => !objects.has(path));
    const { directory } = this;
    await asOutput(directory, async () => {
      for (const path of gone) {
        await rm(join(directory, path), { force: true });
        this.#objects.delete(path);
      }
      for (const parent of new Set(paths.map((path) => dirname(path))))
        await mkdir(join(directory, parent), { recursive: true });
      await mapBounded(paths, FETCHES_MAX, async (path) => {
        const object = objects.get(path)!;
        const file = join(directory, path);
        if (!isNeeded(path)) makePlaceholder(file, object.size);
        else if (!(await this.#fetchThere(path, object))) return;
        this.#accept(path, object.etag, await stat(file));
      });
    });
  }

  /** The files that were copied or written, relative to the directory. */
  get paths(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** Returns the properties of a file in the store; undefined if it does not exist. */
  async describe(path: string): Promise<ObjectHead | undefined> {
    const { store, signal } = this.options;
    return this.#objects.has(path) ? store.head(this.#keyOf(path), signal) : undefined;
  }

  /** Downloads the content of a placeholder. */
  async fetchContent(path: string): Promise<void> {
    const object = this.#objects.get(path);
    const file = join(this.directory, path);
    if (object === undefined || !isPlaceholder(await stat(file))) return;
    const facts = { key: this.#keyOf(path), size: object.bytes, etag: object.etag };
    await asOutput(file, () => this.#fetchObject(facts, file));
    this.#accept(path, object.etag, await stat(file));
  }

  /**
   * Downloads bytes [start, end) into a placeholder, which stays one. Files with content already
   * have the bytes.
   */
  async fetchBytes(path: string, start: number, end: number): Promise<void> {
    const object = this.#objects.get(path);
    if (object?.isPlaceholder !== true) return;
    const { store, signal } = this.options;
    const name = join(this.directory, path);
    await asOutput(name, async () => {
      const file = await open(name, "r+");
      try {
        const range = { etag: object.etag, start, end, signal };
        await fetchRange(store, this.#keyOf(path), range, async (bytes, position) => {
          await file.write(bytes, 0, bytes.length, position);
        });
      } finally {
        await file.close();
        keepPlaceholder(name);
      }
    });
  }

  /** Turns a file back into a placeholder. */
  async dropContent(path: string): Promise<void> {
    const object = this.#objects.get(path);
    if (object === undefined) return;
    const file = join(this.directory, path);
    makePlaceholder(file, object.bytes);
    this.#accept(path, object.etag, await stat(file));
  }

  /**
   * Removes objects that are no longer in the directory, then writes what is new there. Removes the
   * lines of an old plan last, because the plan names them until the new one is written.
   */
  async reset(lock: HeldLock): Promise<void> {
    const { changed, removed } = await this.#compare();
    await this.#remove(
      removed.filter((path) => !isPlanLines(path)),
      lock,
    );
    await this.#put(changed, lock);
    await this.#remove(removed.filter(isPlanLines), lock);
  }

  /**
   * Writes what is new in the directory, then removes objects that are no longer there. Compares
   * the store with what was written before it writes the manifest. Throws `output_changed`.
   */
  async publish(lock: HeldLock): Promise<void> {
    const { changed, removed } = await this.#compare();
    if (changed.length + removed.length === 0) return;
    const isAccount = (path: string) => stageOf(path) >= FIRST_ACCOUNT_STAGE;
    await this.#put(
      changed.filter((path) => !isAccount(path)),
      lock,
    );
    await this.#check(lock);
    await this.#put(changed.filter(isAccount), lock);
    await this.#remove(removed, lock);
  }

  /**
   * Writes the files of the list that exist, each after the files that it lists. `digests`: known
   * SHA-256 digests.
   */
  async publishFiles(
    paths: readonly string[],
    lock: HeldLock,
    digests: ReadonlyMap<string, string>,
  ): Promise<void> {
    const found = await Promise.all(paths.map((path) => this.#hasChanged(path)));
    await this.#put(
      paths.filter((_, index) => found[index]),
      lock,
      digests,
    );
  }

  /** Removes the objects of files that the directory has no longer. */
  async removeFiles(paths: readonly string[], lock: HeldLock): Promise<void> {
    await this.#remove([...paths], lock);
  }

  /**
   * Compares the objects with what was written. Removes parts without a record, which a process that lost
   * its lock may have written. Throws `output_changed` if an object is missing or was replaced.
   */
  async #check(lock: HeldLock): Promise<void> {
    const objects = await this.#list();
    for (const [path, { etag }] of this.#objects) {
      if (objects.get(path)?.etag === etag) continue;
      throw new SwitchyardError(
        "output_changed",
        `${this.options.address}/${path} was ${objects.has(path) ? "changed" : "removed"} during this run; run the same command again to write it again`,
      );
    }
    const isStray = (path: string) =>
      !this.#objects.has(path) && splitOfPartName(path.slice(path.lastIndexOf("/") + 1));
    const strays = [...objects.keys()].filter(isStray);
    if (strays.length === 0) return;
    await lock.renew();
    await this.#removeKeys(strays);
  }

  async #list(): Promise<ReadonlyMap<string, ObjectFacts>> {
    const { store, prefix, signal } = this.options;
    const objects = new Map<string, ObjectFacts>();
    for await (const page of store.list(prefix, { isFlat: false, signal })) {
      for (const object of page.objects) {
        const path = object.key.slice(prefix.length);
        if (isFileKey(path) && !isLocalOnly(path)) objects.set(path, object);
      }
    }
    return objects;
  }

  /**
   * Returns false for a journal that was removed meanwhile: workers remove the journals of finished splits.
   */
  async #fetchThere(path: string, object: ObjectFacts): Promise<boolean> {
    const file = join(this.directory, path);
    try {
      await this.#fetchObject(object, file);
      return true;
    } catch (error) {
      const isGone = error instanceof SwitchyardError && error.code === "store_object_missing";
      if (!isGone || !isJournal(path)) throw error;
      await rm(file, { force: true });
      return false;
    }
  }

  async #fetchObject(
    { key, size, etag }: Pick<ObjectFacts, "key" | "size" | "etag">,
    path: string,
  ): Promise<void> {
    const { store, signal } = this.options;
    const file = await open(path, "w");
    try {
      if (size === 0) return;
      await fetchRange(
        store,
        key,
        { etag, start: 0, end: size, signal },
        async (bytes, position) => {
          await file.write(bytes, 0, bytes.length, position);
        },
      );
    } finally {
      await file.close();
    }
  }

  /** Returns the files that differ from their objects, and the objects without a file. */
  async #compare(): Promise<{ readonly changed: string[]; readonly removed: string[] }> {
    const files = new Set(await this.#walk());
    const changed: string[] = [];
    for (const path of files) if (await this.#hasChanged(path)) changed.push(path);
    const removed = [...this.#objects.keys()].filter((path) => !files.has(path));
    return { changed, removed };
  }

  async #walk(): Promise<readonly string[]> {
    const files: string[] = [];
    const directories = [""];
    for (let below = directories.pop(); below !== undefined; below = directories.pop()) {
      const entries = await readdir(join(this.directory, below), { withFileTypes: true });
      for (const entry of entries) {
        const path = `${below}${entry.name}`;
        if (isLocalOnly(path)) continue;
        if (entry.isDirectory()) directories.push(`${path}/`);
        else files.push(path);
      }
    }
    return files;
  }

  async #hasChanged(path: string): Promise<boolean> {
    const stats = await stat(join(this.directory, path)).catch(() => undefined);
    return stats !== undefined && this.#objects.get(path)?.stamp !== stampOf(stats);
  }

  async #put(
    paths: readonly string[],
    lock: HeldLock,
    digests: ReadonlyMap<string, string> = new Map(),
  ): Promise<void> {
    for (let stage = 0; stage < STAGES; stage++) {
      const staged = paths.filter((path) => stageOf(path) === stage);
      await mapBounded(staged, PUTS_MAX, (path) => this.#putFile(path, lock, digests.get(path)));
    }
  }

  async #remove(paths: readonly string[], lock: HeldLock): Promise<void> {
    for (let stage = STAGES - 1; stage >= 0; stage--) {
      const staged = paths.filter((path) => stageOf(path) === stage);
      if (staged.length === 0) continue;
      await lock.check();
      // Later epochs first: a ledger must not have gaps.
      await this.#removeKeys(staged.sort().reverse());
      for (const path of staged) this.#objects.delete(path);
    }
  }

  async #removeKeys(paths: readonly string[]): Promise<void> {
    const { store, signal } = this.options;
    await store.remove(
      paths.map((path) => this.#keyOf(path)),
      signal,
    );
  }

  async #putFile(path: string, lock: HeldLock, digest: string | undefined): Promise<void> {
    const { store, signal } = this.options;
    const file = join(this.directory, path);
    const key = this.#keyOf(path);
    const stats = await stat(file);
    if (isPlaceholder(stats)) throw new Error(`${path} has no content to write`);
    const { content, sha256 } = await readContent(file, stats.size, digest);
    const known = this.#objects.get(path);
    let condition: "absent" | { readonly etag: string } =
      known === undefined ? "absent" : { etag: known.etag };
    for (let attempt = 1; ; attempt++) {
      await lock.check();
      const etag = await store.put(key, content, { condition, sha256, signal });
      if (etag !== "occupied") {
        this.#accept(path, etag, stats);
        return;
      }
      const found = await store.head(key, signal);
      if (found?.metadata[SHA256_METADATA] === sha256 && found.size === stats.size) {
        // This call has written it and the answer was lost, or a run that died has written it.
        this.#accept(path, found.etag, stats);
        return;
      }
      if (attempt > 1) await waitForAgreement(attempt, key);
      // The holder of the lock decides about the content.
      await lock.renew();
      condition = found === undefined ? "absent" : { etag: found.etag };
    }
  }

  #accept(path: string, etag: string, stats: Stats): void {
    const stamp = stampOf(stats);
    const object = { etag, bytes: stats.size, stamp, isPlaceholder: isPlaceholder(stats) };
    this.#objects.set(path, object);
  }

  #keyOf(path: string): string {
    return `${this.options.prefix}${path}`;
  }
}

async function readContent(
  path: string,
  size: number,
  digest: string | undefined,
): Promise<{ readonly content: ObjectContent; readonly sha256: string }> {
  const hash = createHash("sha256");
  if (size <= READ_WHOLE_BYTES) {
    const bytes = await readFile(path);
    return { content: { bytes }, sha256: digest ?? hash.update(bytes).digest("hex") };
  }
  if (digest !== undefined) return { content: { path, size }, sha256: digest };
  for await (const bytes of createReadStream(path, { highWaterMark: 1 << 20 }))
    hash.update(bytes as Buffer);
  return { content: { path, size }, sha256: hash.digest("hex") };
}

function stampOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}
