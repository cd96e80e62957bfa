import { createReadStream } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { omitUndefined } from "../base/omit-undefined.js";
import {
  type GetOptions,
  type ListOptions,
  type ObjectContent,
  type ObjectFacts,
  type ObjectHead,
  type ObjectPage,
  type ObjectStore,
  type PutOptions,
  type S3Options,
  SHA256_METADATA,
} from "./object-store.js";
import { explainS3Error } from "./s3-errors.js";
import { S3Ranges } from "./s3-ranges.js";
import { StoreCalls } from "./store-calls.js";
import { countBytesWritten } from "./store-usage.js";

const CONNECT_MS_MAX = 4_000;
/** Without any byte. */
const IDLE_MS_MAX = 60_000;
const SOCKETS_MAX = 64;

/** Keys that one request removes. */
const REMOVED_MAX = 1000;

/** The region that stores other than AWS accept. */
const ANY_REGION = "us-east-1";

/** A bucket of S3, or of a store with its API. Credentials come from the SDK's own chain. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client;
  readonly #calls: StoreCalls;
  readonly #ranges: S3Ranges;
  /** Ceph compares the ETag of a conditional write without its quotes; others want it as they gave it. */
  #isEtagBare = false;

  constructor(
    private readonly bucket: string,
    private readonly options: S3Options,
  ) {
    this.#client = createClient(options);
    this.#ranges = new S3Ranges(this.#client, bucket);
    const { requestsPerSecond } = options;
    this.#calls = new StoreCalls({
      scheme: "s3",
      bucket,
      requestsPerSecond,
      explain: explainS3Error,
      renewCredentials: () => this.#client.config.credentials({ forceRefresh: true }),
    });
  }

  async *list(prefix: string, { isFlat, signal }: ListOptions): AsyncGenerator<ObjectPage> {
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.bucket,
        Prefix: prefix,
        Delimiter: isFlat ? "/" : undefined,
        ContinuationToken: token,
      });
      const page = await this.#calls.repeat(
        { kind: "list", key: "", signal },
        async (abortSignal) => {
          const answer = await this.#client.send(command, { abortSignal });
          const { Name, KeyCount, IsTruncated, NextContinuationToken } = answer;
          // Its body was an error, or the rest of the listing would be lost.
          if ((Name ?? KeyCount ?? IsTruncated) === undefined) throw new AnswerError("listing");
          if (IsTruncated === true && !NextContinuationToken) throw new AnswerError("next page");
          return answer;
        },
      );
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      yield {
        objects: (page.Contents ?? []).map(
          ({ Key, Size, ETag, LastModified }): ObjectFacts => ({
            key: Key ?? "",
            size: Size ?? 0,
            etag: ETag ?? "",
            modifiedMs: LastModified?.getTime() ?? 0,
          }),
        ),
        prefixes: (page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? ""),
      };
    } while (token !== undefined);
  }

  async get(key: string, options: GetOptions): Promise<AsyncIterable<Uint8Array>> {
    const { etag, start, end, signal } = options;
    const call = { kind: "get", key, signal } as const;
    const range = await this.#calls.once(call, (aborted) =>
      this.#ranges.get(key, { ...options, signal: aborted }),
    );
    if (range !== undefined) return this.#calls.body(key, range, options);
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Range: `bytes=${start}-${end - 1}`,
      IfMatch: etag,
    });
    const { Body, ContentRange, ETag, $metadata } = await this.#calls.once(call, (abortSignal) =>
      this.#client.send(command, { abortSignal }),
    );
    const answer = {
      status: $metadata.httpStatusCode ?? 0,
      contentRange: ContentRange,
      etag: ETag,
      body: Body as Readable,
    };
    return this.#calls.body(key, answer, options);
  }

  async head(key: string, signal: AbortSignal): Promise<ObjectHead | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.bucket, Key: key });
    let nowMs = Number.NaN;
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { headers = {} } = result.response as { headers?: Record<string, string> };
        nowMs = Date.parse(headers["date"] ?? "");
        return result;
      },
      { step: "deserialize" },
    );
    const found = await this.#calls.find({ kind: "head", key, signal }, (abortSignal) =>
      this.#client.send(command, { abortSignal }),
    );
    if (found === undefined) return undefined;
    const { ContentLength = 0, ETag = "", LastModified, Metadata = {} } = found;
    const modifiedMs = LastModified?.getTime() ?? 0;
    return { key, size: ContentLength, etag: ETag, modifiedMs, metadata: Metadata, nowMs };
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
    { condition, sha256, metadata = {}, signal }: PutOptions,
  ): Promise<string | "occupied"> {
    const size = "bytes" in content ? content.bytes.length : content.size;
    const put = async (abortSignal: AbortSignal) => {
      const command = new PutObjectCommand({
        Bucket: this.bucket,
        Key: key,
        // A retry reads the file again.
        Body: "bytes" in content ? content.bytes : createReadStream(content.path),
        ContentLength: size,
        Metadata: { ...metadata, [SHA256_METADATA]: sha256 },
        ChecksumSHA256:
          this.options.checksums === "supported"
            ? Buffer.from(sha256, "hex").toString("base64")
            : undefined,
        ...(condition === "absent"
          ? { IfNoneMatch: "*" }
          : {
              IfMatch: this.#isEtagBare ? condition.etag.replaceAll('"', "") : condition.etag,
            }),
      });
      // The signature covers it, so that the store checks what it has received.
      command.middlewareStack.add(
        (next) => (args) => {
          const { headers } = args.request as { headers: Record<string, string> };
          headers["x-amz-content-sha256"] = sha256;
          return next(args);
        },
        { step: "build" },
      );
      const { ETag } = await this.#client.send(command, { abortSignal });
      if (ETag === undefined) throw new AnswerError("ETag");
      return ETag;
    };
    const etag = await this.#calls.attempt({ kind: "put", key, size, signal }, put);
    if (etag !== "occupied") countBytesWritten(size);
    return etag;
  }

  async remove(keys: readonly string[], signal: AbortSignal): Promise<void> {
    for (let start = 0; start < keys.length; start += REMOVED_MAX) {
      const Objects = keys.slice(start, start + REMOVED_MAX).map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects } });
      await this.#calls.repeat({ kind: "delete", key: "", signal }, async (abortSignal) => {
        const answer = await this.#client.send(command, { abortSignal });
        const [first] = answer.Errors ?? [];
        if (first !== undefined) throw new AnswerError("removed key", first.Code);
        if (answer.Deleted === undefined) throw new AnswerError("removed key");
      });
    }
  }
}

/** An answer with a status of success that is not a success. */
class AnswerError extends Error {
  readonly $metadata = { httpStatusCode: 200 };

  constructor(missing: string, name = "InternalError") {
    super(`an answer without a ${missing}`);
    this.name = name;
  }
}

function createClient({ endpoint, region, pathStyle }: S3Options): S3Client {
  // The SDK is part of the bundle: its advice to upgrade Node is for those who install it.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] = "true";
  const isOther =
    (endpoint ?? process.env["AWS_ENDPOINT_URL_S3"] ?? process.env["AWS_ENDPOINT_URL"]) !==
    undefined;
  const given = region ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  return new S3Client({
    ...omitUndefined({ endpoint, region: given ?? (isOther ? ANY_REGION : undefined) }),
    forcePathStyle: pathStyle ?? false,
    followRegionRedirects: true,
    // Callers retry, as a body can also stop in the middle.
    maxAttempts: 1,
    // Ranges have no checksums, and other stores do not know those of AWS.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_MS_MAX,
      socketTimeout: IDLE_MS_MAX,
      httpAgent: new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
      httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
    },
  });
}
