import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { Agent } from "undici";
import type { GetOptions } from "./object-store.js";
import { GetSigner, scopeOf } from "./s3-signature.js";
import type { RangeAnswer } from "./store-calls.js";

const CONNECT_MS_MAX = 10_000;
/** Without any byte. */
const IDLE_MS_MAX = 60_000;

/** The key that stands for all others while the address of a bucket is found. */
const SAMPLE_KEY = "k";

/** A request as the SDK makes it. */
interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  clone(): SdkRequest;
}

interface Signer {
  sign(request: SdkRequest, options: { readonly signingDate: Date }): Promise<SdkRequest>;
}

/** How the SDK reads an object of the bucket. */
interface Sample {
  readonly request: SdkRequest;
  /** Absent if the signature is not the ordinary one: the SDK makes it. */
  readonly signer: GetSigner | undefined;
}

/**
 * Reads ranges of objects with the address and the credentials of the SDK, and without the
 * rest of it: its own call takes 1.5 ms of CPU, and exports can have a million small objects.
 */
export class S3Ranges {
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_MS_MAX },
    headersTimeout: IDLE_MS_MAX,
    bodyTimeout: IDLE_MS_MAX,
  });
  #sample: Promise<Sample> | undefined;

  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  /** Returns undefined if the answer is not the range: the SDK knows what to make of it. */
  async get(
    key: string,
    { etag, start, end, signal }: GetOptions,
  ): Promise<RangeAnswer | undefined> {
    this.#sample ??= this.#findSample();
    const sample = await this.#sample;
    const { request: made } = sample;
    const port = made.port === undefined ? "" : `:${made.port}`;
    const path = `${made.path.slice(0, -SAMPLE_KEY.length)}${key.split("/").map(encode).join("/")}`;
    const answer = await this.#agent.request({
      origin: `${made.protocol}//${made.hostname}${port}`,
      path,
      method: "GET",
      headers: {
        ...(await this.#sign(path, sample)),
        range: `bytes=${start}-${end - 1}`,
        "if-match": etag,
      },
      signal,
    });
    const { statusCode: status, headers: answered, body } = answer;
    if (status === 206 || status === 200) {
      const { "content-range": contentRange, etag: version } = answered as Record<string, string>;
      return { status, contentRange, etag: version, body };
    }
    await body.dump();
    return undefined;
  }

  async #sign(path: string, { request: made, signer }: Sample): Promise<Record<string, string>> {
    const { config } = this.client;
    const host = made.headers["host"] ?? made.hostname;
    const signingDate = new Date(Date.now() + config.systemClockOffset);
    if (signer !== undefined) {
      return signer.sign({ host, path }, await config.credentials(), signingDate);
    }
    const request = made.clone();
    request.path = path;
    request.query = {};
    request.headers = { host };
    const signature = await (config.signer as unknown as () => Promise<Signer>)();
    return (await signature.sign(request, { signingDate })).headers;
  }

  /** Has the SDK make a request for an object, and keeps it instead of sending it. */
  async #findSample(): Promise<Sample> {
    let made: SdkRequest | undefined;
    const command = new GetObjectCommand({ Bucket: this.bucket, Key: SAMPLE_KEY });
    command.middlewareStack.add(
      () => async (args) => {
        made = args.request as SdkRequest;
        throw new Error("not to be sent");
      },
      { step: "deserialize", priority: "low" },
    );
    const failure: unknown = await this.client.send(command).catch((error: unknown) => error);
    if (made === undefined) throw failure;
    const scope = scopeOf(made.headers);
    return { request: made, signer: scope && new GetSigner(scope) };
  }
}

/** Encodes a part of a key as signatures want it. */
function encode(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
