import { createHash, createHmac } from "node:crypto";

/** The part of a signature's credential besides the key and the day. */
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
 * Returns the scope of a request that the SDK has signed. Returns undefined if it is not signed, or signed
 * for several regions or for a session of a directory bucket.
 */
export function scopeOf(headers: Readonly<Record<string, string>>): SignatureScope | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/;
  const [, region, service] = pattern.exec(headers["authorization"] ?? "") ?? [];
  if (region === undefined || service === undefined) return undefined;
  return "x-amz-s3session-token" in headers ? undefined : { region, service };
}

/** The parts of a request that a signature covers. */
interface SignedRequest {
  readonly method: string;
  readonly host: string;
  /** Encoded as it is sent. */
  readonly path: string;
  /** Names in lower case; a signature covers those of AWS. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hexadecimal. If absent, the body is not signed. */
  readonly sha256?: string;
  readonly scope: SignatureScope;
}

/**
 * Signs requests without a query with AWS Signature Version 4, in a fifth of the SDK's time.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export class RequestSigner {
  #keyFor = "";
  #key: Buffer = Buffer.alloc(0);

  /** Returns the headers to send. */
  sign(
    { method, host, path, headers, sha256 = PAYLOAD, scope: { region, service } }: SignedRequest,
    { accessKeyId, secretAccessKey, sessionToken }: SigningCredentials,
    date: Date,
  ): Record<string, string> {
    const time = date.toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const sent: Record<string, string> = { ...headers, host };
    sent["x-amz-content-sha256"] = sha256;
    sent["x-amz-date"] = time;
    if (sessionToken !== undefined) sent["x-amz-security-token"] = sessionToken;
    const signed = Object.keys(sent).filter((name) => name === "host" || name.startsWith("x-amz-"));
    signed.sort();
    const names = signed.join(";");
    const lines = signed.map((name) => `${name}:${sent[name]}\n`);
    const request = `${method}\n${path}\n\n${lines.join("")}\n${names}\n${sha256}`;
    const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
    const digest = createHash("sha256").update(request).digest("hex");
    const signature = createHmac("sha256", this.#signingKey(scope, secretAccessKey))
      .update(`${ALGORITHM}\n${time}\n${scope}\n${digest}`)
      .digest("hex");
    sent["authorization"] =
      `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return sent;
  }

  /** Returns the signing key, which stays the same for a day. */
  #signingKey(scope: string, secretAccessKey: string): Buffer {
    const keyFor = `${scope} ${secretAccessKey}`;
    if (keyFor !== this.#keyFor) {
      this.#key = scope
        .split("/")
        .reduce<Buffer>(
          (key, part) => createHmac("sha256", key).update(part).digest(),
          Buffer.from(`AWS4${secretAccessKey}`),
        );
      this.#keyFor = keyFor;
    }
    return this.#key;
  }
}
