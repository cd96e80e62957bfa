import { setMaxListeners } from "node:events";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { omitUndefined } from "../base/omit-undefined.js";
import type {
  GetOptions,
  ListOptions,
  ObjectFacts,
  ObjectPage,
  ObjectStore,
  S3Options,
} from "./object-store.js";
import { retryCall } from "./retry-call.js";
import { explainS3Error } from "./s3-errors.js";

const CONNECT_MS_MAX = 10_000;
/** Without any byte. */
const IDLE_MS_MAX = 60_000;
const SOCKETS_MAX = 64;

/** The first call of all is to list: a store that does not answer it has a wrong address. */
const LIST_GIVE_UP_MS = 8_000;

/** The region that stores other than AWS accept. */
const ANY_REGION = "us-east-1";

/** A bucket of S3, or of a store with its API. Credentials come from the SDK's own chain. */
export class S3Store implements ObjectStore {
  readonly #client: S3Client;

  constructor(
    private readonly bucket: string,
    options: S3Options,
  ) {
    this.#client = createClient(options);
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
      const page = await retryCall({ signal, giveUpAfterMs: LIST_GIVE_UP_MS }, () =>
        this.#call("", signal, () => this.#client.send(command, { abortSignal: signal })),
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

  async get(
    key: string,
    { etag, start, end, signal }: GetOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Range: `bytes=${start}-${end - 1}`,
      IfMatch: etag,
    });
    const { Body } = await this.#call(key, signal, () =>
      this.#client.send(command, { abortSignal: signal }),
    );
    return this.#explained(key, Body as AsyncIterable<Uint8Array>, signal);
  }

  async *#explained(
    key: string,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      signal.throwIfAborted();
      throw explainS3Error(error, this.#addressOf(key));
    }
  }

  async #call<Result>(
    key: string,
    signal: AbortSignal,
    call: () => Promise<Result>,
  ): Promise<Result> {
    // Each request that is under way listens to it; Node warns of more than ten.
    setMaxListeners(0, signal);
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      throw explainS3Error(error, this.#addressOf(key));
    }
  }

  #addressOf(key: string): string {
    return `s3://${this.bucket}${key === "" ? "" : `/${key}`}`;
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
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_MS_MAX,
      socketTimeout: IDLE_MS_MAX,
      httpAgent: new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
      httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
    },
  });
}
