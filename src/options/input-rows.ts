import { SKIP_LINES_MAX } from "../base/limits.js";
import { csvDialectNames } from "../readers/csv/csv-dialects.js";
import { s3Checksums } from "../store/object-store.js";
import * as type from "./option-types.js";
import { parseDelimiter, parseEncoding } from "./option-values.js";

const detected = "detected for each input";

const encoding = type.textType(
  type
    .validText(
      (text) => parseEncoding(text) !== undefined,
      "an encoding of the Encoding Standard, such as windows-1252",
    )
    .transform((text) => parseEncoding(text) ?? text),
  "<name>",
);

const delimiter = type.textType(
  type
    .validText(
      (text) => parseDelimiter(text) !== undefined,
      "up to 16 characters without quotes and line ends, or one of tab, comma, semicolon, pipe, space",
    )
    .transform((text) => parseDelimiter(text) ?? text),
  "<text>",
);

/** Options of the dialect of CSV inputs; part of `optionTable`. */
export const csvRows = {
  csvDialect: {
    type: type.choice(csvDialectNames),
    description:
      "Dialect of CSV inputs, by the program that wrote them; the next options change it",
    otherwise: detected,
  },
  csvEncoding: {
    type: encoding,
    description:
      "Encoding of CSV inputs, such as windows-1252, iso-8859-1, shift_jis, or any other of the Encoding Standard",
    otherwise: "UTF-8, or UTF-16 if detected",
  },
  csvDelimiter: {
    type: delimiter,
    description:
      "Text between the cells of CSV inputs, also by name: tab, comma, pipe; several characters are read more slowly",
    otherwise: detected,
  },
  csvQuote: {
    type: type.characterOrNone,
    description: "Character around cells of CSV inputs; none if quotes have no meaning",
    otherwise: detected,
  },
  csvEscape: {
    type: type.character,
    description: "Character that makes a quote in a quoted CSV cell a part of its text",
    otherwise: "detected: a doubled quote, or a backslash",
  },
  csvNull: {
    type: type.list,
    placeholder: "<text>",
    description:
      "Text that means null in a CSV cell, in addition to empty cells and the unquoted \\N",
  },
  csvComment: {
    type: type.character,
    description: "Skip lines of CSV inputs that begin with this character",
  },
  csvSkipLines: {
    type: type.count(0, SKIP_LINES_MAX),
    placeholder: "<count>",
    description: "Skip this many lines at the start of each CSV input",
    otherwise: detected,
  },
  csvColumns: {
    type: type.columnNames,
    description: "Names of the columns of CSV inputs, in order, separated by commas",
    otherwise: "the header",
  },
  csvHeader: {
    type: type.onOff,
    negation: "The first record of each CSV input is a row like the others",
    description: "The first record of each CSV input is its header",
    otherwise: detected,
  },
} satisfies Readonly<Record<string, type.OptionRow>>;

/** Options of object stores; part of `optionTable`. Credentials come from the environment. */
export const storeRows = {
  s3Endpoint: {
    type: type.url,
    description: "Address of the S3 store if it is not AWS, such as R2, MinIO, Ceph or B2",
    otherwise: "AWS_ENDPOINT_URL, else AWS",
  },
  s3Region: {
    type: type.text,
    placeholder: "<region>",
    description: "Region of the S3 store",
    otherwise: "AWS_REGION, else that of the AWS profile",
  },
  s3PathStyle: {
    ...type.off,
    description:
      "Put the S3 bucket in the path instead of the host name; most stores except AWS need this",
  },
  s3Checksums: {
    type: type.choice(s3Checksums),
    default: "required",
    description:
      "Checksums of objects in S3; `supported` adds a SHA-256 to written ones that the store keeps; buckets with Object Lock require it; `off` compares none of read ones",
  },
  maxRequestsPerSecond: {
    type: type.events,
    placeholder: "<requests>",
    description: "Maximum number of requests per second to a store, for all threads together",
    otherwise: "as fast as the store answers",
  },
  read: {
    section: "verify",
    ...type.off,
    description: "Read the rows of an export in a store, not only the checksums that the store has",
  },
  unsafeLock: {
    section: "export",
    ...type.off,
    description:
      "Write to a store without conditional writes, where a second run would not be detected",
  },
} satisfies Readonly<Record<string, type.OptionRow>>;
