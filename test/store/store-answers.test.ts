import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { MIB } from "../../src/base/limits.js";
import type { ObjectStore } from "../../src/store/object-store.js";
import { openStore } from "../../src/store/open-store.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("store-answers");
const { signal } = new AbortController();
const content = "0123456789";
const bytes = Buffer.from(content);
const sha256 = createHash("sha256").update(bytes).digest("hex");
const error = '<?xml version="1.0"?><Error><Code>InternalError</Code></Error>';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const kinds = [
  {
    scheme: "s3",
    version: "etag",
    one: '"1"',
    other: '"2"',
    denied: error.replace("InternalError", "AccessDenied"),
  },
  { scheme: "gs", version: "x-goog-generation", one: "1", other: "2", denied: "{}" },
  { scheme: "az", version: "etag", one: '"1"', other: '"2"', denied: "" },
] as const;

/** Answers to the next requests; the last one also to all that follow. */
let answers: Answer[] = [];
let requests = 0;

const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
  requests++;
  const [answer = { body: "" }] = answers.length > 1 ? answers.splice(0, 1) : answers;
  incoming.resume().on("end", () => {
    const headers = { ...answer.headers, "content-length": answer.body.length };
    response.writeHead(answer.status ?? 200, headers).end(answer.body);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv("AWS_ENDPOINT_URL", endpoint);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "testsecret");
  vi.stubEnv("STORAGE_EMULATOR_HOST", endpoint);
  vi.stubEnv(
    "AZURE_STORAGE_CONNECTION_STRING",
    `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5;BlobEndpoint=${endpoint}/a;`,
  );
});

afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
});

describe.each(kinds)("a range of $scheme://", ({ scheme, version, one, other }) => {
  let store: ObjectStore;

  beforeEach(async () => {
    requests = 0;
    store = await openStore({ scheme, bucket: "answers" }, {});
  });

  async function read(start: number, answer: Answer): Promise<string> {
    answers = [answer];
    const etag = scheme === "az" ? "1" : one;
    const pieces: Uint8Array[] = [];
    const body = await store.get("key", { etag, start, end: start + 4, signal });
    for await (const piece of body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  const ranged = { [version]: one, "content-range": "bytes 4-7/10" };

  it("is read from an answer that has it", async () => {
    expect(await read(4, { status: 206, headers: ranged, body: "4567" })).toBe("4567");
  });

  it("is changed if the answer is of another version, whatever the condition was", async () => {
    const headers = { ...ranged, [version]: other };
    const reading = read(4, { status: 206, headers, body: "4567" });
    await expect(reading).rejects.toMatchObject({ code: "store_object_changed" });
  });

  it.each<readonly [string, number, Answer]>([
    ["is the whole object", 4, { headers: { [version]: one }, body: content }],
    ["begins elsewhere", 3, { status: 206, headers: ranged, body: "4567" }],
    ["is an error with a status of success", 0, { body: error }],
    [
      "names no version",
      4,
      { status: 206, headers: { "content-range": "bytes 4-7/10" }, body: "4567" },
    ],
  ])("is asked for again if the answer %s", async (_, start, answer) => {
    const reading = read(start, answer);
    await expect(reading).rejects.toMatchObject({ code: "store_failed", isTransient: true });
  });
});

describe("S3", () => {
  let store: ObjectStore;

  beforeEach(async () => {
    requests = 0;
    store = await openStore({ scheme: "s3", bucket: "calls" }, {});
  });

  const page = (more: string) =>
    `<ListBucketResult><Name>calls</Name><KeyCount>1</KeyCount>${more}</ListBucketResult>`;
  const object = (key: string) =>
    `<Contents><Key>${key}</Key><Size>1</Size><ETag>"1"</ETag></Contents>`;

  it("does not take an error in a successful answer for the end of a listing", async () => {
    const truncated = "<IsTruncated>true</IsTruncated>";
    const next = "<NextContinuationToken>t</NextContinuationToken>";
    answers = [
      { body: page(`${truncated}${next}${object("a")}`) },
      { body: error },
      { body: page(`${truncated}${object("b")}`) },
      { body: page(`<IsTruncated>false</IsTruncated>${object("b")}`) },
    ];
    const keys: string[] = [];
    for await (const { objects } of store.list("", { isFlat: false, signal }))
      keys.push(...objects.map(({ key }) => key));
    expect(keys).toEqual(["a", "b"]);
    expect(requests).toBe(4);
  });

  it("writes and removes again after an error in a successful answer", async () => {
    answers = [{ body: error }, { headers: { etag: '"1"' }, body: "" }];
    expect(await store.put("key", { bytes }, { condition: "absent", sha256, signal })).toBe('"1"');
    const failed = "<Error><Key>key</Key><Code>InternalError</Code></Error>";
    answers = [
      { body: error },
      { body: `<DeleteResult>${failed}</DeleteResult>` },
      { body: "<DeleteResult><Deleted><Key>key</Key></Deleted></DeleteResult>" },
    ];
    await store.remove(["key"], signal);
    expect(requests).toBe(5);
  });

  const refused = (code: string, date = new Date()) => ({
    status: 403,
    headers: { date: date.toUTCString() },
    body: error.replace("InternalError", code),
  });

  it.each(["ExpiredToken", "RequestTimeTooSkewed"])("calls once more after %s", async (code) => {
    answers = [refused(code), { headers: { etag: '"1"' }, body: "" }];
    expect(await store.put("key", { bytes }, { condition: "absent", sha256, signal })).toBe('"1"');
    answers = [refused(code)];
    const again = store.put("key", { bytes }, { condition: "absent", sha256, signal });
    await expect(again).rejects.toMatchObject({
      code: code === "ExpiredToken" ? "store_credentials_expired" : "store_clock_skewed",
    });
    expect(requests).toBe(4);
  });

  it.each([400, 403])(
    "asks for the head of an object once more after status %i",
    async (status) => {
      const found = { headers: { etag: '"1"', "content-length": "0" }, body: "" };
      answers = [{ status, body: "" }, found];
      expect(await store.head("key", signal)).toMatchObject({ etag: '"1"' });
      answers = [{ status, body: "" }];
      await expect(store.head("key", signal)).rejects.toMatchObject({
        code: status === 400 ? "store_credentials_refused" : "store_forbidden",
      });
      expect(requests).toBe(4);
    },
  );

  it("does not send a large body that the store refuses", async () => {
    const path = join(scratch, "large");
    const size = 3 * MIB;
    writeFileSync(path, Buffer.alloc(size));
    const refuse = (incoming: IncomingMessage, response: ServerResponse) => {
      received = incoming.socket;
      response.writeHead(403, { "content-length": 0 }).end();
    };
    let received: Socket | undefined;
    server.once("checkContinue", refuse);
    const writing = store.put("key", { path, size }, { condition: "absent", sha256, signal });
    await expect(writing).rejects.toMatchObject({ code: "store_forbidden" });
    expect(received?.bytesRead).toBeLessThan(MIB);
  });
});

it.each<readonly ["gs" | "az", Answer, string]>([
  ["gs", { status: 401, body: "{}" }, "store_credentials_refused"],
  ["gs", { status: 403, body: "{}" }, "store_forbidden"],
  ["gs", { status: 403, body: gcsReason("quotaExceeded") }, "store_quota_exceeded"],
  ["gs", { status: 400, body: gcsReason("invalid") }, "store_failed"],
  ["az", { status: 403, body: "" }, "store_forbidden"],
  ["az", azureError(403, "AuthenticationFailed", "MAC signature"), "store_credentials_refused"],
  [
    "az",
    azureError(403, "AuthenticationFailed", "Signature not valid in the specified time frame"),
    "store_credentials_expired",
  ],
  [
    "az",
    azureError(403, "AuthenticationFailed", "Request date header too old"),
    "store_clock_skewed",
  ],
  ["az", azureError(404, "ContainerNotFound", "none"), "store_bucket_missing"],
])("explains a refusal of %s:// %j as %s", async (scheme, answer, code) => {
  answers = [answer];
  const store = await openStore({ scheme, bucket: "refused" }, {});
  const options = { condition: "absent", sha256, signal } as const;
  await expect(store.put("key", { bytes }, options)).rejects.toMatchObject({ code });
});

function gcsReason(reason: string): string {
  return JSON.stringify({ error: { errors: [{ reason }] } });
}

it.each(["rateLimitExceeded", "userRateLimitExceeded"])(
  "repeats a call to Google that is refused with %s",
  async (reason) => {
    answers = [{ status: 403, body: gcsReason(reason) }, { body: '{"generation":"7"}' }];
    const store = await openStore({ scheme: "gs", bucket: "limited" }, {});
    const options = { condition: "absent", sha256, signal } as const;
    expect(await store.put("key", { bytes }, options)).toBe("7");
  },
);

function azureError(status: number, code: string, detail: string): Answer {
  const headers = { "x-ms-error-code": code, "content-type": "application/xml" };
  const message = `<Message>Refused.</Message><AuthenticationErrorDetail>${detail}</AuthenticationErrorDetail>`;
  return {
    status,
    headers,
    body: `<?xml version="1.0"?><Error><Code>${code}</Code>${message}</Error>`,
  };
}
