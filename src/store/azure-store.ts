import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import {
  type BlobItem,
  BlobServiceClient,
  type ContainerClient,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { mapBounded } from "../base/map-bounded.js";
import { explainAzureError, noAccount } from "./azure-errors.js";
import {
  type GetOptions,
  type ListOptions,
  type ObjectContent,
  type ObjectHead,
  type ObjectPage,
  type ObjectStore,
  type PutOptions,
  SHA256_METADATA,
} from "./object-store.js";
import { bareEtag, StoreCalls } from "./store-calls.js";
import { StoreError } from "./store-error.js";
import { countBytesWritten } from "./store-usage.js";

const PAGE_OBJECTS_MAX = 5_000;
const REMOVALS_MAX = 16;

/** A page of a listing, flat or by hierarchy. */
interface BlobPage {
  readonly continuationToken?: string;
  readonly segment: {
    readonly blobItems: readonly BlobItem[];
    readonly blobPrefixes?: readonly { readonly name: string }[];
  };
}

/** Callers retry, as a body can also stop in the middle. */
const clientOptions = { retryOptions: { maxTries: 1 } } as const;

/**
 * A container of Azure Blob Storage. The account and its credentials come from the environment:
 * `AZURE_STORAGE_CONNECTION_STRING`; or `AZURE_STORAGE_ACCOUNT` with `AZURE_STORAGE_KEY`,
 * `AZURE_STORAGE_SAS_TOKEN` or an identity that Azure's tools find.
 */
export class AzureStore implements ObjectStore {
  readonly #calls: StoreCalls;

  private constructor(
    private readonly container: ContainerClient,
    bucket: string,
    requestsPerSecond: number | undefined,
  ) {
    this.#calls = new StoreCalls({
      scheme: "az",
      bucket,
      requestsPerSecond,
      explain: explainAzureError,
    });
  }

  static async open(bucket: string, requestsPerSecond: number | undefined): Promise<AzureStore> {
    const service = await createService(`az://${bucket}`);
    return new AzureStore(service.getContainerClient(bucket), bucket, requestsPerSecond);
  }

  async *list(prefix: string, { isFlat, signal }: ListOptions): AsyncGenerator<ObjectPage> {
    let continuationToken: string | undefined;
    do {
      const { segment, ...page } = await this.#calls.repeat(
        { kind: "list", key: "", signal },
        (abortSignal) => this.#listPage({ prefix, abortSignal }, isFlat, continuationToken),
      );
      continuationToken = page.continuationToken || undefined;
      yield {
        objects: segment.blobItems.map(({ name, properties }) => ({
          key: name,
          size: properties.contentLength ?? 0,
          etag: bareEtag(properties.etag),
          modifiedMs: properties.lastModified.getTime(),
        })),
        prefixes: (segment.blobPrefixes ?? []).map(({ name }) => name),
      };
    } while (continuationToken !== undefined);
  }

  /** Begins anew at each call: the library's iterators end at the first failure. */
  async #listPage(
    listing: { readonly prefix: string; readonly abortSignal: AbortSignal },
    isFlat: boolean,
    continuationToken: string | undefined,
  ): Promise<BlobPage> {
    const paging = {
      maxPageSize: PAGE_OBJECTS_MAX,
      ...(continuationToken && { continuationToken }),
    };
    const pages: AsyncIterator<BlobPage> = isFlat
      ? this.container.listBlobsByHierarchy("/", listing).byPage(paging)
      : this.container.listBlobsFlat(listing).byPage(paging);
    const { value, done } = await pages.next();
    if (done === true) throw new Error("the store has answered no page");
    return value;
  }

  async get(key: string, options: GetOptions): Promise<AsyncIterable<Uint8Array>> {
    const { etag, start, end, signal } = options;
    const {
      readableStreamBody,
      contentRange,
      etag: version,
    } = await this.#calls.once({ kind: "get", key, signal }, (abortSignal) =>
      this.container.getBlobClient(key).download(start, end - start, {
        conditions: { ifMatch: quoted(etag) },
        maxRetryRequests: 0,
        abortSignal,
      }),
    );
    const body = readableStreamBody as Readable;
    const status = contentRange === undefined ? 200 : 206;
    return this.#calls.body(key, { status, contentRange, etag: version, body }, options);
  }

  async head(key: string, signal: AbortSignal): Promise<ObjectHead | undefined> {
    const found = await this.#calls.find({ kind: "head", key, signal }, (abortSignal) =>
      this.container.getBlobClient(key).getProperties({ abortSignal }),
    );
    if (found === undefined) return undefined;
    return {
      key,
      size: found.contentLength ?? 0,
      etag: bareEtag(found.etag),
      modifiedMs: found.lastModified?.getTime() ?? 0,
      metadata: renamed(found.metadata ?? {}, "_", "-"),
      nowMs: found.date?.getTime() ?? Number.NaN,
    };
  }

  async put(
    key: string,
    content: ObjectContent,
    { condition, sha256, metadata = {}, signal }: PutOptions,
  ): Promise<string | "occupied"> {
    const size = "bytes" in content ? content.bytes.length : content.size;
    const blob = this.container.getBlockBlobClient(key);
    const answer = await this.#calls.attempt({ kind: "put", key, size, signal }, (abortSignal) =>
      blob.upload("bytes" in content ? content.bytes : () => createReadStream(content.path), size, {
        conditions:
          condition === "absent" ? { ifNoneMatch: "*" } : { ifMatch: quoted(condition.etag) },
        // Names of metadata are identifiers there.
        metadata: renamed({ ...metadata, [SHA256_METADATA]: sha256 }, "-", "_"),
        abortSignal,
      }),
    );
    if (answer === "occupied") return answer;
    countBytesWritten(size);
    return bareEtag(answer.etag);
  }

  async remove(keys: readonly string[], signal: AbortSignal): Promise<void> {
    await mapBounded(keys, REMOVALS_MAX, async (key) => {
      await this.#calls.find({ kind: "delete", key, signal }, (abortSignal) =>
        this.container.getBlobClient(key).delete({ abortSignal }),
      );
    });
  }
}

async function createService(address: string): Promise<BlobServiceClient> {
  const {
    AZURE_STORAGE_CONNECTION_STRING: connection = "",
    AZURE_STORAGE_ACCOUNT: account = "",
    AZURE_STORAGE_KEY: key = "",
    AZURE_STORAGE_SAS_TOKEN: token = "",
  } = process.env;
  if (connection !== "") return BlobServiceClient.fromConnectionString(connection, clientOptions);
  if (account === "") throw new StoreError(noAccount.code, noAccount.reason, address, false);
  const url = `https://${account}.blob.core.windows.net`;
  if (key !== "") {
    const credential = new StorageSharedKeyCredential(account, key);
    return new BlobServiceClient(url, credential, clientOptions);
  }
  if (token !== "")
    return new BlobServiceClient(`${url}?${token.replace(/^\?/, "")}`, undefined, clientOptions);
  return new BlobServiceClient(url, await findIdentity(), clientOptions);
}

async function findIdentity() {
  const { DefaultAzureCredential } = await import("@azure/identity");
  return new DefaultAzureCredential();
}

function quoted(etag: string): string {
  return `"${etag}"`;
}

function renamed(
  metadata: Readonly<Record<string, string>>,
  from: string,
  to: string,
): Record<string, string> {
  const entries = Object.entries(metadata);
  return Object.fromEntries(entries.map(([name, value]) => [name.replaceAll(from, to), value]));
}
