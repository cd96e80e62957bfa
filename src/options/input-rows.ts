import { s3Checksums } from "../store/object-store.js";
import { csvDialect } from "./csv-dialect-option.js";
import * as type from "./option-types.js";

/** Options of the dialect of CSV inputs; part of `optionTable`. */
export const csvRows = {
  csvDialect: {
    replaces:
      "csvEncoding csvDelimiter csvQuote csvEscape csvNull csvComment csvSkipLines csvColumns csvHeader",
    type: csvDialect,
    description: "Dialect of CSV inputs and what differs from it, such as mysql,null=NULL,skip=3",
    otherwise: "detected for each input",
  },
} satisfies Readonly<Record<string, type.OptionRow>>;

/** Options of object stores; part of `optionTable`. Credentials come from the environment. */
export const storeRows = {
  s3Endpoint: {
    replaces: "s3PathStyle",
    type: type.url,
    description: "Address of the S3 store if it is not AWS",
    otherwise: "AWS_ENDPOINT_URL, else AWS",
  },
  s3Region: {
    type: type.text,
    placeholder: "<region>",
    description: "Region of the S3 store",
    otherwise: "AWS_REGION, else that of the AWS profile",
  },
  s3Checksums: {
    type: type.choice(s3Checksums),
    default: "required",
    description: "Checksums of objects in S3",
  },
  maxRequestsPerSecond: {
    type: type.events,
    placeholder: "<requests>",
    description: "Maximum number of requests per second to a store, of all threads",
    otherwise: "as fast as the store answers",
  },
  read: {
    section: "verify",
    ...type.off,
    description: "Read the rows of an export in a store, not only its checksums",
  },
  unsafeLock: {
    section: "export",
    ...type.off,
    description: "Write to a store that cannot detect a second run",
  },
} satisfies Readonly<Record<string, type.OptionRow>>;
