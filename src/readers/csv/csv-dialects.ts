import { snowplowColumns } from "../../base/snowplow-columns.js";
import { feedDialect } from "../../sources/feed-dialect.js";
import type { GivenDialect } from "../../sources/source.js";

/** Dialects by the program that writes them; members that are missing are detected. */
const csvDialects = {
  standard: { backslashes: false },
  postgresql: { delimiter: "\t", quote: "", backslashes: true },
  mysql: { delimiter: "\t", quote: "", backslashes: true },
  snowflake: { delimiter: ",", quote: "", backslashes: true },
  redshift: { delimiter: "|", backslashes: true },
  adobe: { ...feedDialect, backslashes: true },
  // Its enriched events, which have no header.
  snowplow: { delimiter: "\t", quote: "", backslashes: false, columns: snowplowColumns },
} as const satisfies Readonly<Record<string, GivenDialect>>;

type CsvDialectName = keyof typeof csvDialects;

export const csvDialectNames = Object.keys(csvDialects) as readonly CsvDialectName[];

/** Returns a named dialect with the members that are given on their own, which override it. */
export function completeDialect(
  name: CsvDialectName | undefined,
  given: GivenDialect,
): GivenDialect {
  return name === undefined ? given : { ...csvDialects[name], ...given };
}

/** The begin of a line with a Snowplow event: its collector's time, its kind and its id. */
const SNOWPLOW_LINE =
  /^([^\t\n]*\t){3}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*\t[^\t\n]*\t(page_view|page_ping|unstruct|struct|transaction|transaction_item|ad_impression|event)\t[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\t/im;

/** Adds the dialect of rows whose columns are known by their positions to the members that are given. */
export function withKnownColumns(bytes: Uint8Array, given: GivenDialect): GivenDialect {
  const { columns, delimiter = "\t", header, skipLines } = given;
  const isOpen = columns === undefined && header !== true && skipLines === undefined;
  if (!isOpen || delimiter !== "\t" || !bytes.includes(TAB)) return given;
  const text = Buffer.from(bytes.subarray(0, KNOWN_BYTES)).toString("latin1");
  const isSnowplow = SNOWPLOW_LINE.test(text);
  return isSnowplow ? completeDialect("snowplow", given) : given;
}

/** Bytes of a file, at most, that are compared with known rows. */
const KNOWN_BYTES = 65_536;
const TAB = 0x09;

/** Returns whether CSV is read through csv-parse, because the kernels do not know its delimiter. */
export function isParsed({ delimiter = "," }: { readonly delimiter?: string }): boolean {
  return Buffer.byteLength(delimiter) > 1;
}
