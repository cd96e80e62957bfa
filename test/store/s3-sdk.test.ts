import { expect, test } from "vitest";
import { hasBucketInPath } from "../../src/store/s3-sdk.js";

test.each([
  [undefined, false],
  ["https://s3.eu-central-1.amazonaws.com", false],
  ["https://s3.cn-north-1.amazonaws.com.cn", false],
  ["https://oss-cn-hangzhou.aliyuncs.com", false],
  ["https://s3.eu-central-1.amazonaws.com:8443/", false],
  ["http://127.0.0.1:9000", true],
  ["http://[::1]:9000", true],
  ["https://minio.example.com", true],
  ["https://amazonaws.com.example.com", true],
  ["https://0123456789abcdef.r2.cloudflarestorage.com", true],
  ["not a URL", false],
])("an S3 store at %s has buckets in the path: %s", (endpoint, expected) => {
  expect(hasBucketInPath(endpoint)).toBe(expected);
});
