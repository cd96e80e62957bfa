import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** Algorithms that cost little beside a request; MD5 costs more. */
const algorithms = ["sha256", "sha1", "crc32", "md5"] as const;

/** The digest of exactly the bytes of a body, as the store names it. */
export interface BodyDigest {
  readonly algorithm: (typeof algorithms)[number];
  readonly base64: string;
}

/** Returns true if the pieces of a body have its digest. */
export function hasDigest(pieces: readonly Uint8Array[], { algorithm, base64 }: BodyDigest) {
  if (algorithm !== "crc32") {
    const hash = createHash(algorithm);
    for (const piece of pieces) hash.update(piece);
    return hash.digest("base64") === base64;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(pieces.reduce((before, piece) => crc32(piece, before), 0));
  return sum.toString("base64") === base64;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the checksum in the headers of S3; undefined for one of parts, or of another algorithm. */
export function checksumIn(headers: Headers): BodyDigest | undefined {
  for (const algorithm of algorithms) {
    const base64 = headers[`x-amz-checksum-${algorithm}`];
    if (typeof base64 === "string" && !base64.includes("-")) return { algorithm, base64 };
  }
  return undefined;
}

/**
 * Returns the MD5 that an ETag of S3 is: not that of an object of several parts, or one that is encrypted
 * with a key of a service or a customer.
 */
export function md5InEtag(etag: string, headers: Headers = {}): BodyDigest | undefined {
  const [, hex] = /^"?([\da-f]{32})"?$/.exec(etag) ?? [];
  const isOther =
    String(headers["x-amz-server-side-encryption"] ?? "").includes("kms") ||
    "x-amz-server-side-encryption-customer-algorithm" in headers;
  if (hex === undefined || isOther) return undefined;
  return { algorithm: "md5", base64: Buffer.from(hex, "hex").toString("base64") };
}
