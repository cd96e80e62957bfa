import { s3Checksums } from "../../store/object-store.js";
import * as type from "./option-types.js";

/** Options of object stores; part of `optionTable`. Credentials come from the environment. */
export const storeOptions = {
  s3Endpoint: {
    type: type.url,
    description: "Address of the S3 store, if it is not AWS: that of R2, MinIO, Ceph, B2 …",
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
    description: "Name S3 buckets in the path instead of the host: most stores but AWS need it",
  },
  s3Checksums: {
    type: type.choice(s3Checksums),
    default: "required",
    description:
      "Checksums of objects written to S3; `supported` adds a SHA-256 that the store keeps, as buckets with Object Lock demand",
  },
  maxRequestsPerSecond: {
    type: type.events,
    placeholder: "<requests>",
    description: "Requests per second to a store, at most, of all threads",
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
      "Write to a store that cannot write on condition, where a second run would not be noticed",
  },
} satisfies Readonly<Record<string, type.OptionRow>>;
