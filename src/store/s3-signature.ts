import { createHash, createHmac } from "node:crypto";

/** The part of a credential that signatures name beside the key and the day. */
export interface SignatureScope {
  readonly region: string;
  readonly service: string;
}

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const PAYLOAD = "UNSIGNED-PAYLOAD";

/**
 * Returns the scope of a request that the SDK has signed; undefined if it is not signed, or in another way:
 * for several regions, or for a session of a directory bucket.
 */
export function scopeOf(headers: Readonly<Record<string, string>>): SignatureScope | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/;
  const [, region, service] = pattern.exec(headers["authorization"] ?? "") ?? [];
  if (region === undefined || service === undefined) return undefined;
  return "x-amz-s3session-token" in headers ? undefined : { region, service };
}

/**
 * Signs requests without a body or a query as version 4 of AWS demands, in a fifth of the SDK's time.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export class GetSigner {
  #keyFor = "";
  #key: Buffer = Buffer.alloc(0);

  constructor(private readonly scope: SignatureScope) {}

  /** Returns the headers to send. `path` is encoded as it is sent. */
  sign(
    { host, path }: { readonly host: string; readonly path: string },
    credentials: SigningCredentials,
    date: Date,
  ): Record<string, string> {
    const time = date.toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const signed: Record<string, string> = {
      host,
      "x-amz-content-sha256": PAYLOAD,
      "x-amz-date": time,
    };
    const { sessionToken } = credentials;
    if (sessionToken !== undefined) signed["x-amz-security-token"] = sessionToken;
    const names = Object.keys(signed).join(";");
    const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
    const request = `GET\n${path}\n\n${lines.join("")}\n${names}\n${PAYLOAD}`;
    const day = time.slice(0, 8);
    const scope = `${day}/${this.scope.region}/${this.scope.service}/aws4_request`;
    const digest = createHash("sha256").update(request).digest("hex");
    const signature = createHmac("sha256", this.#signingKey(day, credentials))
      .update(`${ALGORITHM}\n${time}\n${scope}\n${digest}`)
      .digest("hex");
    const credential = `${credentials.accessKeyId}/${scope}`;
    signed["authorization"] =
      `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
    return signed;
  }

  /** The same for a day. */
  #signingKey(day: string, { secretAccessKey }: SigningCredentials): Buffer {
    const keyFor = `${day} ${secretAccessKey}`;
    if (keyFor !== this.#keyFor) {
      const parts = [day, this.scope.region, this.scope.service, "aws4_request"];
      this.#key = parts.reduce<Buffer>(
        (key, part) => createHmac("sha256", key).update(part).digest(),
        Buffer.from(`AWS4${secretAccessKey}`),
      );
      this.#keyFor = keyFor;
    }
    return this.#key;
  }
}
