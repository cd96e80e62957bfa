import { UsageError } from "../base/errors.js";

/** The metadata that holds the SHA-256 of an object. */
export const SHA256_METADATA = "switchyard-sha256";

/** Schemes of object stores that can be read. */
const schemes = ["s3", "gs", "az"] as const;
export type StoreScheme = (typeof schemes)[number];

/** The address of an object, or of the objects whose keys begin with `key`. */
export interface ObjectUrl {
  readonly scheme: StoreScheme;
  readonly bucket: string;
  /** The key as stored, not percent-encoded. */
  readonly key: string;
}

/**
 * Returns the parts of an address such as `s3://bucket/2026/events #1.json.gz`; undefined for a path. Throws
 * `store_address_invalid`.
 */
export function parseObjectUrl(text: string): ObjectUrl | undefined {
  const fault = faultOfObjectUrl(text);
  if (fault !== undefined) throw new UsageError("store_address_invalid", fault);
  return partsOf(text);
}

/** Returns true if a path is the address of an object, valid or not. */
export function isObjectUrl(path: string): boolean {
  return partsOf(path) !== undefined;
}

/** Returns the reason why an address is not valid. It does not repeat the address, which may hold a secret. */
export function faultOfObjectUrl(text: string): string | undefined {
  const url = partsOf(text);
  if (url === undefined || /^[\w$][\w.$-]*$/.test(url.bucket)) return undefined;
  const { scheme } = url;
  return `the address has to be ${scheme}://, the name of a bucket, a slash and a key, such as ${scheme}://exports/2026/; credentials belong in the environment, the host of a store in its endpoint`;
}

function partsOf(text: string): ObjectUrl | undefined {
  const [, scheme = "", bucket = "", key = ""] =
    /^([a-z][a-z\d]*):\/\/([^/]*)\/?(.*)$/is.exec(text) ?? [];
  const known = schemes.find((one) => one === scheme.toLowerCase());
  return known && { scheme: known, bucket, key };
}

export function formatObjectUrl({ scheme, bucket, key }: ObjectUrl): string {
  return `${scheme}://${bucket}/${key}`;
}
