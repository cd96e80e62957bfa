import { checksumIn, md5InEtag } from "./body-digest.js";
import { bodyOf } from "./object-body.js";
import type {
  GetOptions,
  ListOptions,
  ObjectContent,
  ObjectHead,
  ObjectPage,
  ObjectStore,
  PutOptions,
  S3Options,
} from "./object-store.js";
import { SHA256_METADATA } from "./object-url.js";
import { isFresh, type S3Access, shareAccess, sharedAccess } from "./s3-access.js";
import { AnswerError, explainS3Error } from "./s3-errors.js";
import { type S3Request, S3Requests } from "./s3-requests.js";
import type { S3Sdk } from "./s3-sdk.js";
import { StoreCalls } from "./store-calls.js";

/** Keys that one request removes. */
const REMOVED_MAX = 1000;

/**
 * A bucket of S3, or of a store with its API. Credentials come from the SDK's own chain. The SDK serves
 * list, head and delete, and follows redirections; GET and PUT use `S3Requests`.
 */
export class S3Store implements ObjectStore {
  readonly #calls: StoreCalls;
  readonly #requests = new S3Requests();
  readonly #sharedAs: string;
  #sdk: Promise<S3Sdk> | undefined;
  #access: S3Access | undefined;
  /** ETags of the bucket are MD5 sums, and nothing else protects the bytes that are read. */
  #hasMd5 = false;
  /** Ceph expects the ETag of a conditional write without quotes; other stores expect them. */
  #isEtagBare = false;

  constructor(
    private readonly bucket: string,
    private readonly options: S3Options,
  ) {
    const { requestsPerSecond } = options;
    this.#sharedAs = JSON.stringify([bucket, options]);
    this.#calls = new StoreCalls({
      scheme: "s3",
      bucket,
      requestsPerSecond,
      explain: explainS3Error,
      renewCredentials: async () => (await this.#loadSdk()).renewCredentials(),
    });
  }

  #loadSdk(): Promise<S3Sdk> {
    this.#sdk ??= import("./s3-sdk.js").then(({ S3Sdk }) => new S3Sdk(this.bucket, this.options));
    return this.#sdk;
  }

  /** Returns what the main thread has shared, or else what the SDK of this thread finds. */
  async #findAccess(): Promise<S3Access | undefined> {
    if (this.#sdk === undefined) {
      if (this.#access === undefined || !isFresh(this.#access))
        this.#access = sharedAccess(this.#sharedAs);
      if (this.#access !== undefined) return this.#access;
    }
    const access = await (await this.#loadSdk()).findAccess();
    const isKnown = access?.credentials.accessKeyId === this.#access?.credentials.accessKeyId;
    this.#access = access;
    if (access !== undefined && !isKnown) shareAccess(this.#sharedAs, access);
    return access;
  }

  list(prefix: string, { isFlat, signal }: ListOptions): AsyncGenerator<ObjectPage> {
    return this.#calls.list(signal, async (token, abortSignal) =>
      (await this.#loadSdk()).list(prefix, isFlat, token, abortSignal),
    );
  }

  async get(key: string, options: GetOptions): Promise<AsyncIterable<Uint8Array>> {
    const { etag, start, end, size } = options;
    const isWhole = this.options.checksums !== "off" && start === 0 && end === size;
    // A store has checksums of whole objects only.
    const part = isWhole
      ? { "x-amz-checksum-mode": "ENABLED" }
      : { range: `bytes=${start}-${end - 1}` };
    const headers: Record<string, string> = { ...part, "if-match": etag };
    const answer = await this.#calls.once({ kind: "get", ...options, key }, async (signal) => {
      const request: S3Request = { method: "GET", key, headers, signal };
      const access = await this.#findAccess();
      const found = access && (await this.#requests.send(access, request));
      if (found === undefined) return (await this.#loadSdk()).get(request);
      const { statusCode: status = 0, headers: answered } = found;
      const contentRange = answered["content-range"];
      // TLS protects what is on its way better than MD5, and in less time.
      const isPlain = access?.protocol === "http:" && this.options.checksums !== "off";
      const md5 = isPlain ? md5InEtag(etag, answered) : undefined;
      this.#hasMd5 = md5 !== undefined;
      const digest = isWhole ? (checksumIn(answered) ?? md5) : undefined;
      return { status, contentRange, etag: answered.etag, body: found, digest };
    });
    return this.#calls.body(key, answer, options);
  }

  md5Of(etag: string): string | undefined {
    return this.#hasMd5 ? md5InEtag(etag)?.base64 : undefined;
  }

  async head(key: string, signal: AbortSignal): Promise<ObjectHead | undefined> {
    return this.#calls.find({ kind: "head", key, signal }, async (abortSignal) =>
      (await this.#loadSdk()).head(key, abortSignal),
    );
  }

  async put(
    key: string,
    content: ObjectContent,
    options: PutOptions,
  ): Promise<string | "occupied"> {
    const { condition, signal } = options;
    const etag = await this.#put(key, content, options);
    if (etag !== "occupied" || condition === "absent" || this.#isEtagBare) return etag;
    const found = await this.head(key, signal);
    if (found?.etag !== condition.etag) return "occupied";
    this.#isEtagBare = true;
    return this.#put(key, content, options);
  }

  async #put(
    key: string,
    content: ObjectContent,
    options: PutOptions,
  ): Promise<string | "occupied"> {
    const { sha256 } = options;
    const headers = this.#putHeaders(options);
    const body = bodyOf(content);
    return this.#calls.put(key, content, options.signal, async (signal, size) => {
      const request: S3Request = { method: "PUT", key, headers, sha256, body, size, signal };
      const access = await this.#findAccess();
      const answer = access && (await this.#requests.send(access, request));
      const etag =
        answer === undefined
          ? await (await this.#loadSdk()).put(request)
          : answer.resume().headers.etag;
      if (etag === undefined) throw new AnswerError("InternalError", "an answer without an ETag");
      return etag;
    });
  }

  #putHeaders({ condition, sha256, metadata = {} }: PutOptions): Record<string, string> {
    const headers: Record<string, string> = { [`x-amz-meta-${SHA256_METADATA}`]: sha256 };
    for (const [name, value] of Object.entries(metadata)) headers[`x-amz-meta-${name}`] = value;
    // The store checks the body anyway, because the signature covers its SHA-256.
    if (this.options.checksums === "supported")
      headers["x-amz-checksum-sha256"] = Buffer.from(sha256, "hex").toString("base64");
    if (condition === "absent") headers["if-none-match"] = "*";
    else
      headers["if-match"] = this.#isEtagBare ? condition.etag.replaceAll('"', "") : condition.etag;
    return headers;
  }

  async remove(keys: readonly string[], signal: AbortSignal): Promise<void> {
    for (let start = 0; start < keys.length; start += REMOVED_MAX) {
      const removed = keys.slice(start, start + REMOVED_MAX);
      await this.#calls.repeat({ kind: "delete", key: "", signal }, async (abortSignal) =>
        (await this.#loadSdk()).remove(removed, abortSignal),
      );
    }
  }
}
