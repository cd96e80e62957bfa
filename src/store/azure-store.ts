import type { Readable } from "node:stream";
import {
  type BlobItem,
  BlobServiceClient,
  type ContainerClient,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { MIB } from "../base/limits.js";
import { bodyOf } from "./object-body.js";
import type {
  GetOptions,
  ListOptions,
  ObjectContent,
  ObjectHead,
  ObjectPage,
  ObjectStore,
  PutOptions,
} from "./object-store.js";
import { SHA256_METADATA } from "./object-url.js";
import { bareEtag, type ListedPage, StoreCalls } from "./store-calls.js";
import {
  type CallFailure,
  type Explanation,
  explainStatus,
  explanations,
  fromVariable,
  StoreError,
} from "./store-error.js";
import type { RequestKind } from "./store-usage.js";

const PAGE_OBJECTS_MAX = 5_000;
/** Bytes of the largest range of which the store tells the MD5. */
const CHECKED_BYTES_MAX = 4 * MIB;

/** A page of a listing, flat or by hierarchy. */
interface BlobPage {
  readonly continuationToken?: string;
  readonly segment: {
    readonly blobItems: readonly BlobItem[];
    readonly blobPrefixes?: readonly { readonly name: string }[];
  };
}

/** Callers retry, because a body can also stop in the middle. */
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

  list(prefix: string, { isFlat, signal }: ListOptions): AsyncGenerator<ObjectPage> {
    return this.#calls.list(signal, (token, abortSignal) =>
      this.#listPage({ prefix, abortSignal }, isFlat, token),
    );
  }

  /** Starts a new iterator for each page: those of the library end at the first failure. */
  async #listPage(
    listing: { readonly prefix: string; readonly abortSignal: AbortSignal },
    isFlat: boolean,
    continuationToken: string | undefined,
  ): Promise<ListedPage> {
    const paging = {
      maxPageSize: PAGE_OBJECTS_MAX,
      ...(continuationToken && { continuationToken }),
    };
    const pages: AsyncIterator<BlobPage> = isFlat
      ? this.container.listBlobsByHierarchy("/", listing).byPage(paging)
      : this.container.listBlobsFlat(listing).byPage(paging);
    const { value, done } = await pages.next();
    if (done === true) throw new Error("an answer without a page");
    const { segment, continuationToken: next }: BlobPage = value;
    return {
      objects: segment.blobItems.map(({ name, properties }) => ({
        key: name,
        size: properties.contentLength ?? 0,
        etag: bareEtag(properties.etag),
        modifiedMs: properties.lastModified.getTime(),
      })),
      prefixes: (segment.blobPrefixes ?? []).map(({ name }) => name),
      next: next || undefined,
    };
  }

  async get(key: string, options: GetOptions): Promise<AsyncIterable<Uint8Array>> {
    // TLS protects what is on its way.
    return this.container.url.startsWith("https:")
      ? this.#getRange(key, options, false)
      : this.#getChecked(key, options);
  }

  /** Reads a range in parts of which the store tells the MD5. */
  async *#getChecked(key: string, { start, end, ...rest }: GetOptions) {
    for (let from = start; from < end; from += CHECKED_BYTES_MAX) {
      const part = { ...rest, start: from, end: Math.min(end, from + CHECKED_BYTES_MAX) };
      yield* await this.#getRange(key, part, true);
    }
  }

  async #getRange(
    key: string,
    options: GetOptions,
    isChecked: boolean,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { etag, start, end, signal } = options;
    const {
      readableStreamBody,
      contentRange,
      contentMD5,
      etag: version,
    } = await this.#calls.once({ kind: "get", key, signal }, (abortSignal) =>
      this.container.getBlobClient(key).download(start, end - start, {
        conditions: { ifMatch: quoted(etag) },
        maxRetryRequests: 0,
        rangeGetContentMD5: isChecked,
        abortSignal,
      }),
    );
    const body = readableStreamBody as Readable;
    const status = contentRange === undefined ? 200 : 206;
    const digest =
      isChecked && contentMD5 !== undefined
        ? ({ algorithm: "md5", base64: Buffer.from(contentMD5).toString("base64") } as const)
        : undefined;
    return this.#calls.body(key, { status, contentRange, etag: version, body, digest }, options);
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
    const blob = this.container.getBlockBlobClient(key);
    const answer = await this.#calls.put(key, content, signal, (abortSignal, size) =>
      blob.upload(bodyOf(content), size, {
        conditions:
          condition === "absent" ? { ifNoneMatch: "*" } : { ifMatch: quoted(condition.etag) },
        // Azure allows no hyphens in names of metadata.
        metadata: renamed({ ...metadata, [SHA256_METADATA]: sha256 }, "-", "_"),
        abortSignal,
      }),
    );
    return answer === "occupied" ? answer : bareEtag(answer.etag);
  }

  async remove(keys: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#calls.removeEach(keys, signal, (key, abortSignal) =>
      this.container.getBlobClient(key).delete({ abortSignal }),
    );
  }
}

async function createService(address: string): Promise<BlobServiceClient> {
  const {
    AZURE_STORAGE_CONNECTION_STRING: connection = "",
    AZURE_STORAGE_ACCOUNT: account = "",
    AZURE_STORAGE_KEY: key = "",
    AZURE_STORAGE_SAS_TOKEN: token = "",
  } = process.env;
  if (connection !== "")
    return fromVariable("AZURE_STORAGE_CONNECTION_STRING", address, () =>
      BlobServiceClient.fromConnectionString(connection, clientOptions),
    );
  if (account === "") throw new StoreError(noAccount.code, noAccount.reason, address, false);
  const url = fromVariable("AZURE_STORAGE_ACCOUNT", address, () => {
    if (!/^[\w-]+$/.test(account)) throw new Error("not the name of an account");
    return `https://${account}.blob.core.windows.net`;
  });
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

/** The members that errors of the SDK have; each may be absent. */
interface AzureError {
  /** Code of the store or of the system. */
  readonly code?: string;
  readonly statusCode?: number;
  readonly details?: { readonly authenticationErrorDetail?: string };
}

const noAccount: Explanation = {
  code: "store_credentials_missing",
  reason:
    "no storage account was found. Set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or an identity.",
};

const permissions = {
  list: "the role Storage Blob Data Reader",
  get: "the role Storage Blob Data Reader",
  head: "the role Storage Blob Data Reader",
  put: "the role Storage Blob Data Contributor",
  delete: "the role Storage Blob Data Contributor",
};

/** Explanations by the code of the store, or the name of the error. */
const explanationsByCode: Readonly<Record<string, Explanation>> = {
  CredentialUnavailableError: noAccount,
  AggregateAuthenticationError: noAccount,
  AuthenticationRequiredError: noAccount,
  ContainerNotFound: explanations.bucketMissing,
  InvalidResourceName: explanations.bucketMissing,
  BlobNotFound: explanations.objectMissing,
  ConditionNotMet: explanations.objectChanged,
  // A write with the condition `absent` found a blob.
  BlobAlreadyExists: explanations.objectChanged,
  AccountLimitExceeded: explanations.quotaExceeded,
  BlobArchived: explanations.objectArchived,
  AuthenticationFailed: explanations.credentialsRefused,
  InvalidAuthenticationInfo: explanations.credentialsRefused,
  RequestTimeTooSkewed: explanations.clockSkewed,
};

/** Explains an error of the SDK. Its own text is left out: it can hold a signature. */
function explainAzureError(error: Error, kind: RequestKind): CallFailure {
  const { code = "", statusCode: status = 0, details } = error as AzureError;
  const { authenticationErrorDetail: detail = "" } = details ?? {};
  return {
    known:
      explainDetail(detail) ??
      explanationsByCode[code] ??
      explanationsByCode[error.name] ??
      explainAzureStatus(status, kind),
    name: code === "REQUEST_SEND_ERROR" ? causeOf(error) : code || error.name,
    status,
    isTransient: status === 0,
  };
}

/** Explains refusals that only their text tells apart. */
function explainDetail(detail: string): Explanation | undefined {
  if (/specified time frame|expired/i.test(detail)) return explanations.credentialsExpired;
  return /date header/i.test(detail) ? explanations.clockSkewed : undefined;
}

/** The SDK hides the code of a failed connection in its message. */
function causeOf({ message }: Error): string {
  return /\b(E[A-Z]{4,})\b/.exec(message)?.[1] ?? "ECONNRESET";
}

function explainAzureStatus(status: number, kind: RequestKind): Explanation | undefined {
  if (status === 401) return explanations.credentialsRefused;
  // The condition of a read is not met.
  if (status === 304) return explanations.objectChanged;
  return explainStatus(status, kind, permissions);
}
