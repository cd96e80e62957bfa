import { createHash } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { fetchRange } from "../store/fetch-range.js";
import type { ObjectFacts, ObjectStore } from "../store/object-store.js";
import { formatObjectUrl, parseObjectUrl } from "../store/object-url.js";
import { openStore } from "../store/open-store.js";
import { LeaseLock, waitForAgreement } from "./lease-lock.js";
import { claimTimes, type LeaseTimes, type Output, type PutFileOptions } from "./output.js";
import type { OutputPlace } from "./output-place.js";

/** A store with an output, and the prefix of the keys of the output. */
export interface StoredPlace {
  readonly store: ObjectStore;
  /** Empty, or with its final slash. */
  readonly prefix: string;
  /** The output, without a final slash. */
  readonly address: string;
}

/** Opens the store of an output. */
export async function openStoredPlace({ directory, s3 }: OutputPlace): Promise<StoredPlace> {
  const url = parseObjectUrl(directory);
  if (url === undefined) throw new Error(`${directory} is not an address of objects`);
  const key = url.key.replace(/\/+$/, "");
  return {
    store: await openStore(url, s3),
    prefix: key === "" ? "" : `${key}/`,
    address: formatObjectUrl({ ...url, key }).replace(/\/$/, ""),
  };
}

/** Returns the output at a place in a store. `isUnsafe`: accept a store that ignores conditions. */
export function storeOutput(
  { store, prefix, address }: StoredPlace,
  isUnsafe: boolean = false,
): Output {
  const keyOf = (path: string) => `${prefix}${path}`;
  const lease = (path: string, more: { planner?: string; times?: LeaseTimes }) =>
    LeaseLock.take({ store, key: keyOf(path), address, isUnsafe, ...more });
  return {
    put: (path, content, options) =>
      putObject(store, keyOf(path), Buffer.from(content), options, `${address}/${path}`),
    async get(path, signal) {
      const found = await store.head(keyOf(path), signal);
      return found && readObject(store, found, signal);
    },
    async list(path, signal) {
      const keys: string[] = [];
      for await (const page of store.list(keyOf(path), { isFlat: true, signal }))
        keys.push(...page.objects.map(({ key }) => key), ...page.prefixes);
      return keys.map((key) => key.slice(prefix.length)).sort();
    },
    remove: (paths, signal) => store.remove(paths.map(keyOf), signal),
    lock: (path, planner) => ({
      take: () => lease(path, omitUndefined({ planner })),
      holder: (signal) => LeaseLock.holderOf(store, keyOf(path), signal),
      isHeld: (signal) => LeaseLock.isHeld(store, keyOf(path), signal),
    }),
    async claim(path) {
      try {
        return await lease(path, { times: claimTimes });
      } catch (error) {
        if (error instanceof SwitchyardError && error.code === "output_locked") return undefined;
        throw error;
      }
    },
  };
}

/** Reads a small object. Throws `StoreError`. */
export async function readObject(
  store: ObjectStore,
  { key, etag, size }: Pick<ObjectFacts, "key" | "etag" | "size">,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const range = { etag, start: 0, end: size, signal };
  if (size > 0)
    await fetchRange(store, key, range, (bytes) => void pieces.push(Buffer.from(bytes)));
  return Buffer.concat(pieces);
}

/** `name`: the object, in messages. Stores write on conditions only, so a replaced object is named. */
async function putObject(
  store: ObjectStore,
  key: string,
  bytes: Buffer,
  { condition, signal }: PutFileOptions,
  name: string,
): Promise<boolean> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const put = (on: "absent" | { readonly etag: string }) =>
    store.put(key, { bytes }, { condition: on, sha256, signal });
  if (condition === "absent") return (await put("absent")) !== "occupied";
  for (let attempt = 1; ; attempt++) {
    const found = await store.head(key, signal);
    const etag = await put(found === undefined ? "absent" : { etag: found.etag });
    if (etag !== "occupied") return true;
    if (attempt > 1) await waitForAgreement(attempt, name);
  }
}
