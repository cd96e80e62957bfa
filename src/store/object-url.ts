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

/** Returns the parts of an address such as `s3://bucket/2026/events #1.json.gz`; undefined for a path. */
export function parseObjectUrl(text: string): ObjectUrl | undefined {
  const [, scheme = "", bucket = "", key = ""] =
    /^([a-z][a-z\d]*):\/\/([^/]*)\/?(.*)$/is.exec(text) ?? [];
  const known = schemes.find((one) => one === scheme.toLowerCase());
  return known && { scheme: known, bucket, key };
}

/** Returns true if a path is the address of an object. */
export function isObjectUrl(path: string): boolean {
  return parseObjectUrl(path) !== undefined;
}

export function formatObjectUrl({ scheme, bucket, key }: ObjectUrl): string {
  return `${scheme}://${bucket}/${key}`;
}
