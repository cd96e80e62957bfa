import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import type { S3Checksums } from "../../src/store/object-store.js";
import { openStore } from "../../src/store/open-store.js";
import { startFaultProxy } from "../support/fault-proxy.js";

const { signal } = new AbortController();
process.env["AWS_ACCESS_KEY_ID"] = "test";
process.env["AWS_SECRET_ACCESS_KEY"] = "testsecret";

const bytes = Buffer.from("body");
const sha256 = createHash("sha256").update(bytes).digest("hex");

it.each([
  [403, "AccessDenied", "store_forbidden", "store_forbidden"],
  [403, "InvalidAccessKeyId", "store_credentials_refused", "store_credentials_refused"],
  [403, "SignatureDoesNotMatch", "store_credentials_refused", "store_credentials_refused"],
  [400, "ExpiredToken", "store_credentials_expired", "store_credentials_expired"],
  [403, "RequestTimeTooSkewed", "store_clock_skewed", "store_clock_skewed"],
  [400, "AuthorizationHeaderMalformed", "store_region_unknown", "store_region_unknown"],
  [403, "QuotaExceeded", "store_quota_exceeded", "store_quota_exceeded"],
  [404, "NoSuchBucket", "store_bucket_missing", "store_bucket_missing"],
  [404, "Other", "store_bucket_missing", "store_object_missing"],
])(
  "explains %i %s to a listing as %s, to a read and a write as %s",
  async (status, code, listed, written) => {
    const proxy = await startFaultProxy("http://127.0.0.1:1", () => ({ status, code }));
    try {
      const store = await openStore({ scheme: "s3", bucket: "lake" }, { endpoint: proxy.endpoint });
      const listing = store.list("", { isFlat: false, signal })[Symbol.asyncIterator]();
      await expect(listing.next()).rejects.toMatchObject({ code: listed });
      const reading = store.get("key", { etag: '"1"', start: 0, end: 4, signal });
      await expect(reading).rejects.toMatchObject({ code: written });
      const writing = store.put("key", { bytes }, { condition: "absent", sha256, signal });
      const error: Error = await writing.then(
        () => new Error("was written"),
        (reason: Error) => reason,
      );
      expect(error).toMatchObject({ code: written });
      expect(error.message).not.toContain("testsecret");
      if (code === "AccessDenied") expect(error.message).toContain("s3:PutObject");
    } finally {
      proxy.close();
    }
  },
);

it.each<[S3Checksums, string | undefined]>([
  ["required", undefined],
  ["supported", Buffer.from(sha256, "hex").toString("base64")],
])("sends the checksums that are %s with an object", async (checksums, expected) => {
  const seen: unknown[] = [];
  const server = createServer((incoming, answer) => {
    const { headers } = incoming;
    seen.push([headers["x-amz-checksum-sha256"], headers["x-amz-content-sha256"]]);
    incoming.resume().on("end", () => answer.setHeader("etag", '"1"').end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const options = { endpoint: `http://127.0.0.1:${port}`, checksums };
    const store = await openStore({ scheme: "s3", bucket: "lake" }, options);
    await store.put("key", { bytes }, { condition: "absent", sha256, signal });
  } finally {
    server.close();
    server.closeAllConnections();
  }
  expect(seen).toEqual([[expected, sha256]]);
});
