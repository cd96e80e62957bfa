import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { GoogleAuth } from "google-auth-library";
import { Agent, type Dispatcher } from "undici";
import { omitUndefined } from "../base/omit-undefined.js";
import { bodyOf } from "./object-body.js";
import type {
  GetOptions,
  ListOptions,
  ObjectContent,
  ObjectFacts,
  ObjectHead,
  ObjectPage,
  ObjectStore,
  PutOptions,
} from "./object-store.js";
import { SHA256_METADATA } from "./object-url.js";
import { StoreCalls } from "./store-calls.js";
import {
  type CallFailure,
  type Explanation,
  explainStatus,
  explanations,
  fromVariable,
} from "./store-error.js";
import type { RequestKind } from "./store-usage.js";

const PUBLIC_ENDPOINT = "https://storage.googleapis.com";
const SCOPE = "https://www.googleapis.com/auth/devstorage.read_write";
const CONNECT_MS_MAX = 4_000;
/** Milliseconds without any byte. */
const IDLE_MS_MAX = 60_000;
const PAGE_OBJECTS_MAX = 1_000;
const BOUNDARY = "switchyard-5b1d8e0c4f7a";

/** An object as the API describes it. https://cloud.google.com/storage/docs/json_api/v1/objects */
interface ObjectResource {
  readonly name: string;
  readonly size?: string;
  readonly generation?: string;
  readonly updated?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

interface GcsList {
  readonly items?: readonly ObjectResource[];
  readonly prefixes?: readonly string[];
  readonly nextPageToken?: string;
}

interface GcsCall {
  readonly method?: Dispatcher.HttpMethod;
  /** Path below the endpoint, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called for each attempt. */
  readonly body?: () => Dispatcher.DispatchOptions["body"];
  readonly signal: AbortSignal;
}

const fields = "name,size,generation,updated,metadata";

/**
 * A bucket of Google Cloud Storage, by its JSON API. Credentials are those that Google's tools find
 * (`GOOGLE_APPLICATION_CREDENTIALS`, `gcloud auth application-default login`, the machine's account). The ETag
 * of an object is its generation. `STORAGE_EMULATOR_HOST` names another endpoint, which needs no credentials.
 */
export class GcsStore implements ObjectStore {
  readonly #calls: StoreCalls;
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_MS_MAX },
    headersTimeout: IDLE_MS_MAX,
    bodyTimeout: IDLE_MS_MAX,
  });
  readonly #emulator: string | undefined;
  #auth = new GoogleAuth({ scopes: [SCOPE] });

  constructor(
    private readonly bucket: string,
    requestsPerSecond: number | undefined,
  ) {
    this.#emulator = emulatorEndpoint(`gs://${bucket}`);
    this.#calls = new StoreCalls({
      scheme: "gs",
      bucket,
      requestsPerSecond,
      explain: explainGcsError,
      renewCredentials: async () => {
        this.#auth = new GoogleAuth({ scopes: [SCOPE] });
      },
    });
  }

  list(prefix: string, { isFlat, signal }: ListOptions): AsyncGenerator<ObjectPage> {
    return this.#calls.list(signal, async (token, aborted) => {
      const query = new URLSearchParams({
        prefix,
        maxResults: String(PAGE_OBJECTS_MAX),
        fields: `items(${fields}),prefixes,nextPageToken`,
        ...(isFlat ? { delimiter: "/" } : {}),
        ...omitUndefined({ pageToken: token }),
      });
      const path = `${this.#objects}?${query}`;
      const page = await this.#json<GcsList>({ path, signal: aborted });
      const { items = [], prefixes = [], nextPageToken: next } = page;
      return { objects: items.map(factsOf), prefixes, next };
    });
  }

  async get(key: string, options: GetOptions): Promise<AsyncIterable<Uint8Array>> {
    const { etag: wanted, start, end, signal } = options;
    const path = `${this.#objectPath(key)}?alt=media&ifGenerationMatch=${wanted}`;
    // Without this header the store decompresses objects that are marked as gzip.
    const headers = { range: `bytes=${start}-${end - 1}`, "accept-encoding": "gzip" };
    const answer = await this.#calls.once({ kind: "get", key, signal }, (aborted) =>
      this.#request({ path, headers, signal: aborted }),
    );
    const answered = answer.headers as Record<string, string>;
    const { "content-range": contentRange, "x-goog-generation": etag } = answered;
    const { statusCode: status, body } = answer;
    // TLS protects what is on its way; without it, there is a digest of whole objects.
    const isChecked = start === 0 && end === options.size && this.#emulator?.startsWith("http:");
    const [, md5] = /\bmd5=([^,]+)/.exec(answered["x-goog-hash"] ?? "") ?? [];
    const digest = isChecked && md5 ? ({ algorithm: "md5", base64: md5 } as const) : undefined;
    return this.#calls.body(key, { status, contentRange, etag, body, digest }, options);
  }

  async head(key: string, signal: AbortSignal): Promise<ObjectHead | undefined> {
    const path = `${this.#objectPath(key)}?fields=${fields}`;
    return this.#calls.find({ kind: "head", key, signal }, async (aborted) => {
      const { headers, body } = await this.#request({ path, signal: aborted });
      const resource = (await body.json()) as ObjectResource;
      const nowMs = Date.parse(String(headers["date"]));
      return { ...factsOf(resource), metadata: resource.metadata ?? {}, nowMs };
    });
  }

  async put(
    key: string,
    content: ObjectContent,
    { condition, sha256, metadata = {}, signal }: PutOptions,
  ): Promise<string | "occupied"> {
    const expected = condition === "absent" ? "0" : condition.etag;
    const query = `uploadType=multipart&ifGenerationMatch=${expected}&fields=generation`;
    const resource = {
      name: key,
      contentType: "application/octet-stream",
      // The store compares it with what it has received.
      md5Hash: await md5Of(content),
      metadata: { ...metadata, [SHA256_METADATA]: sha256 },
    };
    const head = Buffer.from(
      `--${BOUNDARY}\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(resource)}\r\n` +
        `--${BOUNDARY}\r\ncontent-type: application/octet-stream\r\n\r\n`,
    );
    const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
    return this.#calls.put(key, content, signal, async (aborted, size) => {
      const { generation } = await this.#json<ObjectResource>({
        method: "POST",
        path: `/upload/storage/v1/b/${encodeURIComponent(this.bucket)}/o?${query}`,
        headers: {
          "content-type": `multipart/related; boundary=${BOUNDARY}`,
          "content-length": String(head.length + size + tail.length),
        },
        body: () => Readable.from(joined(head, content, tail), { objectMode: false }),
        signal: aborted,
      });
      if (generation === undefined) throw new GcsError(200, "no generation");
      return generation;
    });
  }

  async remove(keys: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#calls.removeEach(keys, signal, async (key, aborted) => {
      const path = this.#objectPath(key);
      const { body } = await this.#request({ method: "DELETE", path, signal: aborted });
      await body.dump();
    });
  }

  get #objects(): string {
    return `/storage/v1/b/${encodeURIComponent(this.bucket)}/o`;
  }

  #objectPath(key: string): string {
    return `${this.#objects}/${encodeURIComponent(key)}`;
  }

  async #json<Answer>(call: GcsCall): Promise<Answer> {
    const { body } = await this.#request(call);
    return (await body.json()) as Answer;
  }

  /** Throws `GcsError` for an answer that is not a success. */
  async #request({ method = "GET", path, headers = {}, body, signal }: GcsCall) {
    const endpoint = this.#emulator ?? PUBLIC_ENDPOINT;
    const authorization =
      this.#emulator === undefined
        ? (await this.#auth.getRequestHeaders(endpoint)).get("authorization")
        : null;
    const answer = await this.#agent.request({
      origin: endpoint,
      method,
      path,
      headers: { ...headers, ...(authorization === null ? {} : { authorization }) },
      body: body?.() ?? null,
      signal,
    });
    if (answer.statusCode < 300) return answer;
    throw new GcsError(answer.statusCode, await answer.body.text());
  }
}

function factsOf({ name, size, generation, updated }: ObjectResource): ObjectFacts {
  return {
    key: name,
    size: Number(size ?? 0),
    etag: generation ?? "",
    modifiedMs: Date.parse(updated ?? ""),
  };
}

async function md5Of(content: ObjectContent): Promise<string> {
  const hash = createHash("md5");
  const body = bodyOf(content);
  if (body instanceof Uint8Array) hash.update(body);
  else for await (const bytes of body()) hash.update(bytes as Buffer);
  return hash.digest("base64");
}

async function* joined(
  head: Uint8Array,
  content: ObjectContent,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield head;
  const body = bodyOf(content);
  if (body instanceof Uint8Array) yield body;
  else yield* body();
  yield tail;
}

/** Returns the endpoint of an emulator, read as Google's libraries do; undefined for Google itself. */
function emulatorEndpoint(address: string): string | undefined {
  const host = process.env["STORAGE_EMULATOR_HOST"];
  if (host === undefined || host === "") return undefined;
  return fromVariable(
    "STORAGE_EMULATOR_HOST",
    address,
    () => new URL(host.includes("://") ? host : `http://${host}`).origin,
  );
}

/** An answer of Google Cloud Storage that is not a success. */
class GcsError extends Error {
  constructor(
    readonly status: number,
    /** The body. */
    readonly text: string,
  ) {
    super(`status ${status}`);
  }
}

const noCredentials: Explanation = {
  code: "store_credentials_missing",
  reason:
    "no credentials were found. Set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`, or run where a service account is attached.",
};

const badFile: Explanation = {
  code: "store_credentials_refused",
  reason: "the file that GOOGLE_APPLICATION_CREDENTIALS names is not one of credentials. Check it.",
};

const permissions = {
  list: "storage.objects.list",
  get: "storage.objects.get",
  head: "storage.objects.get",
  put: "storage.objects.create, and storage.objects.delete to replace objects",
  delete: "storage.objects.delete",
};

/** The reason of a refusal that passes. https://cloud.google.com/storage/docs/json_api/v1/status-codes */
const RATE_LIMIT = /rateLimitExceeded|RATE_LIMIT_EXCEEDED|userRateLimit/i;

/** Explains an error of a call to Google Cloud Storage. */
function explainGcsError(error: Error, kind: RequestKind): CallFailure {
  const isAnswer = error instanceof GcsError;
  const status = isAnswer ? error.status : 0;
  const known = isAnswer ? explainAnswer(error, kind) : explainText(error.message);
  const { code = "", name } = error as Error & { readonly code?: string };
  const isLimited = isAnswer && status === 403 && RATE_LIMIT.test(error.text);
  // A connection that fails while a body arrives has no status either.
  const isTransient = isLimited || status === 408 || status === 200 || status === 0;
  const [, reason = name] = isAnswer ? (/"reason":\s*"(\w+)"/.exec(error.text) ?? []) : [];
  return { known, name: code || reason, status, isTransient };
}

function explainAnswer({ status, text }: GcsError, kind: RequestKind): Explanation | undefined {
  if (status === 401) return explanations.credentialsRefused;
  // The condition of a read is not met.
  if (status === 304) return explanations.objectChanged;
  if (RATE_LIMIT.test(text)) return undefined;
  if (/quotaExceeded|dailyLimitExceeded|QUOTA_EXCEEDED/.test(text))
    return explanations.quotaExceeded;
  const isBucket = status === 404 && /bucket does not exist/i.test(text);
  return isBucket ? explanations.bucketMissing : explainStatus(status, kind, permissions);
}

/** Explains errors of Google's library, which gets the tokens. */
function explainText(message: string): Explanation | undefined {
  if (/short-lived token|reasonable timeframe/i.test(message)) return explanations.clockSkewed;
  if (/invalid_grant|invalid_rapt/.test(message)) return explanations.credentialsExpired;
  if (/it is not a file|JSON|must contain|private key|DECODER|PEM/i.test(message)) return badFile;
  return /credential/i.test(message) ? noCredentials : undefined;
}
