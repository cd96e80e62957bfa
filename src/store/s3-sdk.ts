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
import type { ObjectHead, S3Options } from "./object-store.js";
import type { S3Access } from "./s3-access.js";
import { AnswerError } from "./s3-errors.js";
import type { S3Request } from "./s3-requests.js";
import { scopeOf } from "./s3-signature.js";
import type { ListedPage, RangeAnswer } from "./store-calls.js";

const CONNECT_MS_MAX = 4_000;
/** Milliseconds without any byte. */
const IDLE_MS_MAX = 60_000;
const SOCKETS_MAX = 64;

/** The region that stores other than AWS accept. */
const ANY_REGION = "us-east-1";

/** A placeholder key for finding the address of a bucket. */
const SAMPLE_KEY = "k";

/** A request as the SDK makes it. */
interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Record<string, string>;
}

/** The calls of the SDK for one bucket. */
export class S3Sdk {
  readonly #client: S3Client;
  #sample: Promise<SdkRequest> | undefined;

  constructor(
    private readonly bucket: string,
    options: S3Options,
  ) {
    this.#client = createClient(options);
  }

  /** Gets new credentials from the source of the present ones. */
  renewCredentials(): Promise<unknown> {
    return this.#client.config.credentials({ forceRefresh: true });
  }

  /**
   * Finds the address and the credentials for requests. Returns undefined if only the SDK can make the
   * requests, because their signature is of another kind.
   */
  async findAccess(): Promise<S3Access | undefined> {
    this.#sample ??= this.#findSample();
    const { protocol, hostname, port, path, headers } = await this.#sample;
    const scope = scopeOf(headers);
    if (scope === undefined) return undefined;
    const { accessKeyId, secretAccessKey, sessionToken, expiration } =
      await this.#client.config.credentials();
    return {
      protocol,
      hostname,
      port,
      host: headers["host"] ?? hostname,
      path: path.slice(0, -SAMPLE_KEY.length),
      scope,
      credentials: omitUndefined({ accessKeyId, secretAccessKey, sessionToken }),
      expiresMs: expiration?.getTime(),
      clockOffsetMs: this.#client.config.systemClockOffset,
    };
  }

  async list(
    prefix: string,
    isFlat: boolean,
    token: string | undefined,
    abortSignal: AbortSignal,
  ): Promise<ListedPage> {
    const command = new ListObjectsV2Command({
      Bucket: this.bucket,
      Prefix: prefix,
      Delimiter: isFlat ? "/" : undefined,
      ContinuationToken: token,
    });
    const answer = await this.#client.send(command, { abortSignal });
    const { Name, KeyCount, IsTruncated, NextContinuationToken, Contents, CommonPrefixes } = answer;
    // The body was an error. To accept it would lose the rest of the listing.
    if ((Name ?? KeyCount ?? IsTruncated) === undefined) throw withoutA("listing");
    if (IsTruncated === true && !NextContinuationToken) throw withoutA("next page");
    return {
      objects: (Contents ?? []).map(({ Key = "", Size = 0, ETag = "", LastModified }) => ({
        key: Key,
        size: Size,
        etag: ETag,
        modifiedMs: LastModified?.getTime() ?? 0,
      })),
      prefixes: (CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? ""),
      next: IsTruncated === true ? NextContinuationToken : undefined,
    };
  }

  async head(key: string, abortSignal: AbortSignal): Promise<ObjectHead> {
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
    const found = await this.#client.send(command, { abortSignal });
    const { ContentLength = 0, ETag = "", LastModified, Metadata = {} } = found;
    const modifiedMs = LastModified?.getTime() ?? 0;
    return { key, size: ContentLength, etag: ETag, modifiedMs, metadata: Metadata, nowMs };
  }

  async remove(keys: readonly string[], abortSignal: AbortSignal): Promise<void> {
    const Objects = keys.map((Key) => ({ Key }));
    const command = new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects } });
    const answer = await this.#client.send(command, { abortSignal });
    const [first] = answer.Errors ?? [];
    if (first !== undefined) throw withoutA("removed key", first.Code);
    if (answer.Deleted === undefined) throw withoutA("removed key");
  }

  async get({ key, headers, signal }: S3Request): Promise<RangeAnswer> {
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Range: headers["range"],
      IfMatch: headers["if-match"],
    });
    const { Body, ContentRange, ETag, $metadata } = await this.#client.send(command, {
      abortSignal: signal,
    });
    const status = $metadata.httpStatusCode ?? 0;
    return { status, contentRange: ContentRange, etag: ETag, body: Body as Readable };
  }

  /** Returns the ETag. */
  async put({
    key,
    headers: more,
    sha256,
    body,
    size,
    signal,
  }: S3Request): Promise<string | undefined> {
    const Body = (typeof body === "function" ? body() : body) ?? "";
    const command = new PutObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Body,
      ContentLength: size,
    });
    command.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        Object.assign(headers, more, { "x-amz-content-sha256": sha256 });
        return next(args);
      },
      { step: "build" },
    );
    return (await this.#client.send(command, { abortSignal: signal })).ETag;
  }

  /** Lets the SDK make a request for an object, and returns it instead of sending it. */
  async #findSample(): Promise<SdkRequest> {
    let made: SdkRequest | undefined;
    const command = new GetObjectCommand({ Bucket: this.bucket, Key: SAMPLE_KEY });
    command.middlewareStack.add(
      () => async (args) => {
        made = args.request as SdkRequest;
        throw new Error("not to be sent");
      },
      { step: "deserialize", priority: "low" },
    );
    const failure: unknown = await this.#client.send(command).catch((error: unknown) => error);
    if (made === undefined) throw failure;
    return made;
  }
}

/** Returns the error of an answer that lacks something. */
function withoutA(missing: string, name = "InternalError"): AnswerError {
  return new AnswerError(name, `an answer without a ${missing}`);
}

/** Domains whose hosts have the name of the bucket. */
const bucketHosts = /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|aliyuncs\.com|myqcloud\.com)$/;

/**
 * Returns true if buckets are in the path, as nearly all stores take them at their own address; only a
 * few have hosts for buckets alone.
 */
export function hasBucketInPath(endpoint: string | undefined): boolean {
  if (endpoint === undefined || !URL.canParse(endpoint)) return false;
  return !bucketHosts.test(new URL(endpoint).hostname);
}

function createClient({ endpoint, region }: S3Options): S3Client {
  // The SDK advises to upgrade Node, but it is part of our bundle: its requirements are not ours.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] = "true";
  const address = endpoint ?? process.env["AWS_ENDPOINT_URL_S3"] ?? process.env["AWS_ENDPOINT_URL"];
  const given = region ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  return new S3Client({
    ...omitUndefined({
      endpoint,
      region: given ?? (address === undefined ? undefined : ANY_REGION),
    }),
    forcePathStyle: hasBucketInPath(address),
    followRegionRedirects: true,
    // Callers retry, because a body can also stop in the middle.
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
