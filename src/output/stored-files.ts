import { createHash } from "node:crypto";
import { constants, createReadStream, type Stats, statSync, writeFileSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SwitchyardError } from "../base/errors.js";
import { mapBounded } from "../base/map-bounded.js";
import { asOutput } from "../base/output-error.js";
import { fetchRange } from "../store/fetch-range.js";
import type { ObjectContent, ObjectFacts } from "../store/object-store.js";
import { SHA256_METADATA } from "../store/object-url.js";
import { splitOfPartName } from "./layout.js";
import { waitForAgreement } from "./lease-lock.js";
import type { HeldLock } from "./output.js";
import type { OutputFile, OutputFiles } from "./output-files.js";
import {
  FIRST_ACCOUNT_STAGE,
  isFileKey,
  isJournal,
  isLocalOnly,
  STAGES,
  stageOf,
} from "./output-paths.js";
import { readObject, type StoredPlace } from "./store-output.js";

const FETCHES_MAX = 32;
const PUTS_MAX = 8;

/** Larger files are read and written in pieces. */
const IN_MEMORY_BYTES = 1 << 20;

interface StoredFilesOptions extends StoredPlace {
  /** Empty directory for the copies of files. */
  readonly directory: string;
  /** Returns the lock that this process holds; absent if it only reads. */
  readonly lock?: (() => HeldLock) | undefined;
  readonly signal: AbortSignal;
}

interface StoredObject {
  readonly etag: string;
  readonly bytes: number;
  /** The state of the file in the directory when it had the same content; absent if there is none. */
  readonly stamp?: string;
  /** True if the file in the directory has some ranges of the object and no other content. */
  readonly isPartial?: boolean;
}

/**
 * The files of an output in a store. The objects are listed once. A file is copied when it is asked for, and
 * `publish` and `save` write whole objects under their final keys, each after what it lists.
 */
export class StoredFiles implements OutputFiles {
  readonly isCopy = true;
  readonly #objects = new Map<string, StoredObject>();

  constructor(private readonly options: StoredFilesOptions) {}

  get directory(): string {
    return this.options.directory;
  }

  get address(): string {
    return this.options.address;
  }

  /** Lists the objects, and forgets files that have changed or are gone. */
  async refresh(): Promise<void> {
    const objects = await this.#listObjects();
    for (const [path, known] of this.#objects) {
      if (objects.get(path)?.etag === known.etag) continue;
      if (known.stamp !== undefined) await rm(join(this.directory, path), { force: true });
      this.#objects.delete(path);
    }
    for (const [path, { etag, size }] of objects)
      if (!this.#objects.has(path)) this.#objects.set(path, { etag, bytes: size });
  }

  async list(prefix: string): Promise<readonly OutputFile[]> {
    return [...this.#objects]
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, { bytes }]) => ({ path, bytes }));
  }

  async digestOf(path: string): Promise<string | undefined> {
    const { store, signal } = this.options;
    if (!this.#objects.has(path)) return undefined;
    return (await store.head(this.#keyOf(path), signal))?.metadata[SHA256_METADATA];
  }

  async fetch(paths: readonly string[]): Promise<void> {
    const missing = paths.filter((path) => {
      const object = this.#objects.get(path);
      return object !== undefined && object.stamp === undefined;
    });
    await asOutput(this.directory, async () => {
      for (const parent of new Set(missing.map((path) => dirname(path))))
        await mkdir(join(this.directory, parent), { recursive: true });
      await mapBounded(missing, FETCHES_MAX, (path) => this.#fetchFile(path));
    });
  }

  /** The file has its full size afterwards. Whole files in the directory already have the bytes. */
  async fetchBytes(path: string, start: number, end: number): Promise<void> {
    const object = this.#objects.get(path);
    if (object === undefined || object.stamp !== undefined) return;
    const name = join(this.directory, path);
    await asOutput(name, async () => {
      await mkdir(dirname(name), { recursive: true });
      await this.#fetchInto(path, object, start, end);
    });
    this.#objects.set(path, { ...object, isPartial: true });
  }

  async drop(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const object = this.#objects.get(path);
      if (object === undefined) continue;
      await rm(join(this.directory, path), { force: true });
      this.#objects.set(path, { etag: object.etag, bytes: object.bytes });
    }
  }

  async publish(
    paths: readonly string[],
    digests: ReadonlyMap<string, string> = new Map(),
  ): Promise<void> {
    const changed = paths.filter((path) => this.#hasChanged(path));
    await this.#put(changed, digests);
  }

  /** Compares the store with what was written before it writes the manifest. */
  async save(): Promise<void> {
    const files = await this.#walk();
    const there = new Set(files);
    const changed = files.filter((path) => this.#hasChanged(path));
    const gone = [...this.#objects]
      .filter(([path, { stamp }]) => stamp !== undefined && !there.has(path))
      .map(([path]) => path);
    const isAccount = (path: string) => stageOf(path) >= FIRST_ACCOUNT_STAGE;
    const accounts = changed.filter(isAccount);
    await this.#put(changed.filter((path) => !isAccount(path)));
    if (accounts.length > 0) await this.#requireUnchanged();
    await this.#put(accounts);
    await this.remove(gone);
  }

  /** Within a call, no file goes before those that list it. */
  async remove(paths: readonly string[]): Promise<void> {
    const known = paths.filter((path) => this.#objects.has(path));
    for (let stage = STAGES - 1; stage >= 0; stage--) {
      const staged = known.filter((path) => stageOf(path) === stage);
      if (staged.length === 0) continue;
      await this.#lock.check();
      // Later epochs first: a ledger must not have gaps.
      await this.#removeObjects(staged.sort(byNumber).reverse());
      for (const path of staged) this.#objects.delete(path);
    }
    for (const path of paths) await rm(join(this.directory, path), { force: true });
  }

  async removeDirectory(path: string): Promise<void> {
    await this.remove([...this.#objects.keys()].filter((one) => one.startsWith(`${path}/`)));
    await rm(join(this.directory, path), { recursive: true, force: true });
  }

  get #lock(): HeldLock {
    const { lock, address } = this.options;
    if (lock === undefined) throw new Error(`${address} was opened without its lock`);
    return lock();
  }

  /**
   * Compares the objects with what was written. Removes parts without a record, which a process that lost
   * its lock may have written. Throws `output_changed` if an object is missing or was replaced.
   */
  async #requireUnchanged(): Promise<void> {
    const objects = await this.#listObjects();
    for (const [path, { etag }] of this.#objects) {
      if (objects.get(path)?.etag === etag) continue;
      throw new SwitchyardError(
        "output_changed",
        `${this.address}/${path} was ${objects.has(path) ? "changed" : "removed"} during this run; run the same command again to write it again`,
      );
    }
    const isStray = (path: string) =>
      !this.#objects.has(path) && splitOfPartName(path.slice(path.lastIndexOf("/") + 1));
    const strays = [...objects.keys()].filter(isStray);
    if (strays.length === 0) return;
    await this.#lock.renew();
    await this.#removeObjects(strays);
  }

  async #listObjects(): Promise<ReadonlyMap<string, ObjectFacts>> {
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

  /** A file that is gone meanwhile counts as missing: workers remove the journals of finished splits. */
  async #fetchFile(path: string): Promise<void> {
    const object = this.#objects.get(path)!;
    try {
      if (object.bytes <= IN_MEMORY_BYTES) await this.#fetchSmall(path, object);
      else await this.#fetchInto(path, object, 0, object.bytes);
    } catch (error) {
      const isGone = error instanceof SwitchyardError && error.code === "store_object_missing";
      if (!isGone || !isJournal(path)) throw error;
      await rm(join(this.directory, path), { force: true });
      this.#objects.delete(path);
      return;
    }
    this.#accept(path, object.etag, statSync(join(this.directory, path)));
  }

  /** A call that waits for a thread takes longer than the file, and there can be tens of thousands. */
  async #fetchSmall(path: string, { etag, bytes: size }: StoredObject): Promise<void> {
    const { store, signal } = this.options;
    const content = await readObject(store, { key: this.#keyOf(path), etag, size }, signal);
    writeFileSync(join(this.directory, path), content);
  }

  async #fetchInto(
    path: string,
    { etag, bytes }: StoredObject,
    start: number,
    end: number,
  ): Promise<void> {
    const { store, signal } = this.options;
    const file = await open(join(this.directory, path), constants.O_CREAT | constants.O_RDWR);
    try {
      await file.truncate(bytes);
      if (start === end) return;
      const range = { etag, start, end, signal };
      await fetchRange(store, this.#keyOf(path), range, async (piece, position) => {
        await file.write(piece, 0, piece.length, position);
      });
    } finally {
      await file.close();
    }
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

  #hasChanged(path: string): boolean {
    const object = this.#objects.get(path);
    const stats = statSync(join(this.directory, path), { throwIfNoEntry: false });
    return stats !== undefined && object?.isPartial !== true && object?.stamp !== stampOf(stats);
  }

  async #put(
    paths: readonly string[],
    digests: ReadonlyMap<string, string> = new Map(),
  ): Promise<void> {
    for (let stage = 0; stage < STAGES; stage++) {
      const staged = paths.filter((path) => stageOf(path) === stage);
      await mapBounded(staged, PUTS_MAX, (path) => this.#putFile(path, digests.get(path)));
    }
  }

  async #removeObjects(paths: readonly string[]): Promise<void> {
    const { store, signal } = this.options;
    await store.remove(
      paths.map((path) => this.#keyOf(path)),
      signal,
    );
  }

  async #putFile(path: string, digest: string | undefined): Promise<void> {
    const { store, signal } = this.options;
    const file = join(this.directory, path);
    const key = this.#keyOf(path);
    const stats = await stat(file);
    const { content, sha256 } = await readContent(file, stats.size, digest);
    const known = this.#objects.get(path);
    let condition: "absent" | { readonly etag: string } =
      known === undefined ? "absent" : { etag: known.etag };
    for (let attempt = 1; ; attempt++) {
      await this.#lock.check();
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
      await this.#lock.renew();
      condition = found === undefined ? "absent" : { etag: found.etag };
    }
  }

  #accept(path: string, etag: string, stats: Stats): void {
    this.#objects.set(path, { etag, bytes: stats.size, stamp: stampOf(stats) });
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
  if (size <= IN_MEMORY_BYTES) {
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

const { compare: byNumber } = new Intl.Collator("en", { numeric: true });
