import type { ObjectStore, S3Options } from "./object-store.js";
import type { ObjectUrl, StoreScheme } from "./object-url.js";

const opened = new Map<string, Promise<ObjectStore>>();

/** Opens a bucket, once in each thread. Loads only the library for its kind of store. */
export function openStore(
  { scheme, bucket }: Pick<ObjectUrl, "scheme" | "bucket">,
  options: S3Options,
): Promise<ObjectStore> {
  const key = JSON.stringify([scheme, bucket, options]);
  const store = opened.get(key) ?? createStore(scheme, bucket, options);
  opened.set(key, store);
  return store;
}

async function createStore(
  scheme: StoreScheme,
  bucket: string,
  options: S3Options,
): Promise<ObjectStore> {
  const { requestsPerSecond } = options;
  if (scheme === "gs") {
    const { GcsStore } = await import("./gcs-store.js");
    return new GcsStore(bucket, requestsPerSecond);
  }
  if (scheme === "az") {
    const { AzureStore } = await import("./azure-store.js");
    return AzureStore.open(bucket, requestsPerSecond);
  }
  const { S3Store } = await import("./s3-store.js");
  return new S3Store(bucket, options);
}
