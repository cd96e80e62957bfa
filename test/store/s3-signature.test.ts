import { S3Client } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { omitUndefined } from "../../src/base/omit-undefined.js";
import { RequestSigner, scopeOf } from "../../src/store/s3-signature.js";

const HOST = "bucket.s3.eu-west-3.amazonaws.com";
const SHA256 = "0".repeat(64);

/** A request as the SDK signs it. */
class SignedRequest {
  readonly protocol = "https:";
  readonly query = {};
  readonly hostname = HOST;

  constructor(
    readonly method: string,
    readonly path: string,
    readonly headers: Record<string, string>,
  ) {}

  clone(): SignedRequest {
    return new SignedRequest(this.method, this.path, { ...this.headers });
  }
}

interface Signer {
  sign(request: SignedRequest, options: { readonly signingDate: Date }): Promise<SignedRequest>;
}

test.each([
  ["GET", "/a/b.json.gz", {}, undefined],
  ["GET", "/2026-01/%C3%BC%20%2B%23%25.json", {}, "a+session/token=="],
  ["PUT", "/a/part-0.parquet", { "x-amz-meta-switchyard-sha256": SHA256 }, undefined],
])(
  "the signature of %s %s is the SDK's, on two days",
  async (method, path, headers, sessionToken) => {
    const credentials = {
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG",
      ...(sessionToken === undefined ? {} : { sessionToken }),
    };
    const client = new S3Client({ region: "eu-west-3", credentials });
    const signer = new RequestSigner();
    const scope = { region: "eu-west-3", service: "s3" };
    for (const time of ["2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00.000Z"]) {
      const signingDate = new Date(time);
      const sha256 = method === "PUT" ? SHA256 : undefined;
      const request = new SignedRequest(method, path, {
        ...headers,
        host: HOST,
        "x-amz-content-sha256": sha256 ?? "UNSIGNED-PAYLOAD",
      });
      const theirs = await (client.config.signer as unknown as () => Promise<Signer>)();
      const signed = await theirs.sign(request, { signingDate });
      const own = signer.sign(
        omitUndefined({ method, host: HOST, path, headers, sha256, scope }),
        credentials,
        signingDate,
      );
      expect(own).toEqual(signed.headers);
    }
  },
);

test("only the ordinary signature has a scope", () => {
  const signedBy = (algorithm: string, more: Record<string, string> = {}) => ({
    authorization: `${algorithm} Credential=AKID/20260131/us-east-1/s3/aws4_request, SignedHeaders=host`,
    ...more,
  });
  expect(scopeOf(signedBy("AWS4-HMAC-SHA256"))).toEqual({ region: "us-east-1", service: "s3" });
  expect(scopeOf(signedBy("AWS4-ECDSA-P256-SHA256"))).toBeUndefined();
  expect(scopeOf(signedBy("AWS4-HMAC-SHA256", { "x-amz-s3session-token": "t" }))).toBeUndefined();
  expect(scopeOf({})).toBeUndefined();
});
