import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../src/store/open-store.js";
import { type AzureServer, hasAzureServer, startAzureServer } from "../support/azure-server.js";
import { runInProcess } from "../support/command-line.js";
import { startGcsServer } from "../support/gcs-server.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.js";
import { scratchDirectory } from "../support/scratch.js";

const cwd = scratchDirectory("doctor-stores");
const { signal } = new AbortController();

interface Diagnosed {
  readonly exitCode: number | null;
  readonly checks: readonly { name: string; state: string; message: string; code?: string }[];
}

async function diagnose(...words: readonly string[]): Promise<Diagnosed> {
  const { exitCode, stdout } = await runInProcess(["doctor", ...words, "--json"], { cwd });
  return { ...(JSON.parse(stdout) as Diagnosed), exitCode };
}

const failures = ({ checks }: Diagnosed) =>
  checks.filter(({ state }) => state === "failed").map(({ name, code }) => [name, code]);

const find = ({ checks }: Diagnosed, name: string) => checks.filter((one) => one.name === name);

beforeAll(() => writeAmplitudeRows(join(cwd, "rows.jsonl"), 50, 2));
afterEach(() => vi.unstubAllEnvs());

/** A store with the API of S3 that a test can make refuse calls. */
class TinyS3 {
  readonly objects = new Map<string, { bytes: Buffer; headers: Record<string, string> }>();
  readonly requests: string[] = [];
  /** Code of the error for each kind of call, or for `all`. */
  refusals: Readonly<Record<string, string>> = {};
  ignoresConditions = false;
  aheadMs = 0;
  readonly server = createServer((request, answer) => void this.#serve(request, answer));

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const url = new URL(request.url ?? "", "http://localhost");
    const key = decodeURIComponent(url.pathname.split("/").slice(2).join("/"));
    const isRemoval = request.method === "POST";
    const kind = key === "" ? (isRemoval ? "DELETE" : "LIST") : (request.method ?? "");
    this.requests.push(kind);
    answer.setHeader("date", new Date(Date.now() + this.aheadMs).toUTCString());
    const code = this.refusals["all"] ?? this.refusals[kind];
    if (code !== undefined && kind !== "DELETE") {
      answer.writeHead(code === "NoSuchBucket" ? 404 : 403);
      answer.end(`<Error><Code>${code}</Code></Error>`);
      return;
    }
    const found = this.objects.get(key);
    switch (kind) {
      case "LIST":
        answer.end("<ListBucketResult><Name>b</Name><KeyCount>0</KeyCount></ListBucketResult>");
        return;
      case "DELETE": {
        const keys = [
          ...Buffer.concat(pieces)
            .toString()
            .matchAll(/<Key>(.*?)<\/Key>/g),
        ];
        if (code === undefined) for (const [, one = ""] of keys) this.objects.delete(one);
        const end = code === undefined ? "<Deleted/>" : `<Error><Code>${code}</Code></Error>`;
        answer.end(`<DeleteResult>${end}</DeleteResult>`);
        return;
      }
      case "PUT": {
        const isAbsent = request.headers["if-none-match"] === "*";
        if (isAbsent && found !== undefined && !this.ignoresConditions) {
          answer.writeHead(412).end("<Error><Code>PreconditionFailed</Code></Error>");
          return;
        }
        const bytes = Buffer.concat(pieces);
        const etag = `"${createHash("md5").update(bytes).digest("hex")}"`;
        const metadata = Object.entries(request.headers).filter(([name]) =>
          name.startsWith("x-amz-meta-"),
        ) as [string, string][];
        this.objects.set(key, { bytes, headers: { etag, ...Object.fromEntries(metadata) } });
        answer.writeHead(200, { etag }).end();
        return;
      }
      default: {
        if (found === undefined) {
          answer.writeHead(404).end();
          return;
        }
        const { bytes, headers } = found;
        answer.writeHead(200, { ...headers, "content-length": bytes.length });
        answer.end(request.method === "HEAD" ? undefined : bytes);
      }
    }
  }
}

describe("an output in a store like S3", () => {
  let store: TinyS3;
  let port: number;

  beforeEach(async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "testsecret");
    store = new TinyS3();
    await new Promise<void>((resolve) => store.server.listen(0, "127.0.0.1", resolve));
    ({ port } = store.server.address() as AddressInfo);
  });
  afterEach(() => {
    store.server.close();
    store.server.closeAllConnections();
  });

  const check = (scheme = "http") => {
    const flags = ["--s3-endpoint", `${scheme}://127.0.0.1:${port}`];
    return diagnose("rows.jsonl", "--to", "s3://lake/events", ...flags);
  };

  it("is written, read and cleared, and its clock compared", async () => {
    const diagnosed = await check();
    expect([diagnosed.exitCode, failures(diagnosed)]).toEqual([0, []]);
    expect(find(diagnosed, "output")[0]?.message).toMatch(/^s3:\/\/lake\/events: objects can be/);
    expect(find(diagnosed, "clock")[0]?.state).toBe("ok");
    expect(find(diagnosed, "space")[0]?.message).not.toContain("s3:");
    expect([...store.objects.keys()]).toEqual([]);
    expect(new Set(store.requests)).toEqual(new Set(["LIST", "DELETE", "PUT", "HEAD", "GET"]));
  });

  it("with a clock that differs is a warning", async () => {
    store.aheadMs = 1_200_000;
    const diagnosed = await check();
    expect(find(diagnosed, "clock")).toMatchObject([
      {
        state: "warning",
        message: expect.stringMatching(/(1199|1200|1201) s behind the store of/),
      },
    ]);
    expect(diagnosed.exitCode).toBe(0);
  });

  it.each([
    ["all", "NoSuchBucket", "store_bucket_missing"],
    ["all", "InvalidAccessKeyId", "store_credentials_refused"],
    ["all", "SignatureDoesNotMatch", "store_credentials_refused"],
    ["all", "ExpiredToken", "store_credentials_expired"],
    ["all", "RequestTimeTooSkewed", "store_clock_skewed"],
    ["LIST", "AccessDenied", "store_forbidden"],
    ["PUT", "AccessDenied", "store_forbidden"],
    ["GET", "AccessDenied", "store_forbidden"],
    ["DELETE", "AccessDenied", "store_forbidden"],
  ])("that refuses %s with %s fails, and nothing stays", async (kind, code, ours) => {
    store.refusals = { [kind]: code };
    const diagnosed = await check();
    expect([diagnosed.exitCode, failures(diagnosed)]).toEqual([1, [["output", ours]]]);
    expect([...store.objects.keys()]).toEqual([]);
  });

  it("that ignores conditions fails, unless that is accepted", async () => {
    store.ignoresConditions = true;
    expect(failures(await check())).toEqual([["output", "store_unconditional"]]);
    expect([...store.objects.keys()]).toEqual([]);
    const flags = ["--s3-endpoint", `http://127.0.0.1:${port}`, "--unsafe-lock"];
    const accepted = await diagnose("rows.jsonl", "--to", "s3://lake/events", ...flags);
    expect(failures(accepted)).toEqual([]);
  });

  it("at a port without TLS, or at none, fails", async () => {
    const plain = await check("https");
    expect(failures(plain)).toEqual([["output", "store_unreachable"]]);
    expect(find(plain, "output")[0]?.message).toContain("does not answer in TLS");
  });

  it("that is also the place of the inputs fails for them too", async () => {
    store.refusals = { LIST: "AccessDenied" };
    const flags = ["--s3-endpoint", `http://127.0.0.1:${port}`];
    const diagnosed = await diagnose("s3://exports/in/", "--to", "out", ...flags);
    expect(failures(diagnosed)).toEqual([["inputs", "store_forbidden"]]);
  });
});

describe("Google Cloud Storage", () => {
  let close = () => {};
  let endpoint: string;
  beforeAll(async () => {
    ({ endpoint, close } = await startGcsServer(["doctor"]));
  });
  beforeEach(() => vi.stubEnv("STORAGE_EMULATOR_HOST", endpoint));
  afterAll(() => close());

  it("is checked as input and output, and nothing stays in it", async () => {
    const store = await openStore({ scheme: "gs", bucket: "doctor" }, {});
    const bytes = Buffer.from('{"event_type":"a"}\n');
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await store.put("in/a.jsonl", { bytes }, { condition: "absent", sha256, signal });
    const diagnosed = await diagnose("gs://doctor/in/", "--to", "gs://doctor/out");
    expect([diagnosed.exitCode, failures(diagnosed)]).toEqual([0, []]);
    expect(find(diagnosed, "inputs")[0]?.message).toBe("1 file, 19 B: ndjson");
    const keys: string[] = [];
    for await (const { objects } of store.list("", { isFlat: false, signal }))
      keys.push(...objects.map(({ key }) => key));
    expect(keys).toEqual(["in/a.jsonl"]);
    expect(failures(await diagnose("rows.jsonl", "--to", "gs://none/out"))).toEqual([
      ["output", "store_bucket_missing"],
    ]);
  });
});

describe.skipIf(!hasRedis())("the queue of an export", () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis(join(cwd, "redis"));
  });
  afterAll(async () => {
    redis.client.disconnect();
    await redis.stop();
  });

  it("is asked for an answer", async () => {
    const words = ["rows.jsonl", "--to", "out", "--preset", "amplitude", "--queue", redis.url];
    expect(find(await diagnose(...words), "queue")).toEqual([
      { name: "queue", state: "ok", message: `${redis.url} answers` },
    ]);
    await redis.stop();
    expect(failures(await diagnose(...words))).toEqual([["queue", "queue_unreachable"]]);
    await redis.start();
  });
});

describe.skipIf(!hasAzureServer())("an output in Azure", () => {
  let azure: AzureServer;

  beforeAll(async () => {
    azure = await startAzureServer();
    await azure.createContainer("lake");
  });
  afterAll(() => azure.close());

  it("is written and read, and one that does not exist is refused", async () => {
    vi.stubEnv("AZURE_STORAGE_CONNECTION_STRING", azure.connection);
    const inputs = ["rows.jsonl", "--preset", "amplitude"];
    const good = await diagnose(...inputs, "--to", "az://lake/some/export");
    expect(failures(good)).toEqual([]);
    expect(find(good, "output")[0]?.message).toContain("az://lake/some/export: objects can be");
    const bad = await diagnose(...inputs, "--to", "az://absent/some/export");
    expect(failures(bad).map(([name]) => name)).toEqual(["output"]);
  });
});
