import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { listInputs } from "../../src/sources/inputs.js";
import { openStore } from "../../src/store/open-store.js";
import { runInProcess } from "../support/command-line.js";
import { selfSigned } from "../support/self-signed.js";

const { signal } = new AbortController();
const secret = "wJalrXUtnFEMI/K7MDENG";

const listener: RequestListener = (_, answer) => answer.writeHead(400).end("<html>not here</html>");
const servers = {
  plain: createServer(listener),
  tls: createTlsServer(selfSigned, listener),
  /** Speaks neither HTTP nor TLS. */
  other: createPlainServer((socket) => {
    socket.on("error", () => {});
    socket.end("220 mail.example.com ESMTP\r\n");
  }),
};
const ports = {} as Record<keyof typeof servers, number>;

beforeAll(async () => {
  for (const [name, server] of Object.entries(servers)) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ports[name as keyof typeof servers] = (server.address() as AddressInfo).port;
  }
});

afterAll(() => {
  for (const server of Object.values(servers)) server.close();
});

afterEach(() => vi.unstubAllEnvs());

it.each([
  "s3:///x",
  "s3://",
  "gs:///x",
  "az:///x",
  `s3://AKIA:${secret}@bucket/x`,
  `s3://AKIA:wJalrXUtnFEMI@bucket/${secret}`,
  "s3://minio.example.com:9000/bucket/x",
  "s3://my bucket/x",
  "gs://%62ucket/x",
  `az://account:${secret}@container/x`,
])("an address that is not valid is refused without a word of it: %s", async (address) => {
  for (const command of [
    ["export", address, "--to", "out"],
    ["export", "in", "--to", address],
    ["validate", address],
    ["verify", address],
    ["runs", address],
  ]) {
    const { exitCode, stdout, stderr } = await runInProcess(command);
    expect([command, exitCode, stderr]).toEqual([command, 2, expect.stringMatching(/has to be/)]);
    expect(stdout + stderr).not.toMatch(/wJalrXUtnFEMI|K7MDENG|AKIA|defect/);
  }
  await expect(listInputs([address], "/", { signal })).rejects.toMatchObject({
    code: "store_address_invalid",
  });
});

it.each([
  ["s3a://bucket/x", "s3://bucket/key"],
  ["abfss://container@account.dfs.core.windows.net/x", "az://container/key"],
  ["gcs://bucket/x", "gs://bucket/key"],
  [`https://account.blob.core.windows.net/c/x?sig=${secret}`, "https:// is not supported"],
])("an address of another scheme is answered with ours: %s", async (address, advice) => {
  for (const command of [
    ["export", address, "--to", "out"],
    ["export", "in", "--to", address],
  ]) {
    const { exitCode, stderr } = await runInProcess(command);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(advice)]);
    expect(stderr).not.toContain(secret);
  }
});

const open = {
  s3: (endpoint: string) => openStore({ scheme: "s3", bucket: "wrong" }, { endpoint }),
  gs: (endpoint: string) => {
    vi.stubEnv("STORAGE_EMULATOR_HOST", endpoint);
    return openStore({ scheme: "gs", bucket: `wrong-${Math.random()}` }, {});
  },
  az: (endpoint: string) => {
    const parts = `AccountName=a;AccountKey=a2V5;BlobEndpoint=${endpoint}/a;`;
    vi.stubEnv("AZURE_STORAGE_CONNECTION_STRING", `DefaultEndpointsProtocol=http;${parts}`);
    return openStore({ scheme: "az", bucket: `wrong-${Math.random()}` }, {});
  },
};

it.each(
  (["s3", "gs", "az"] as const).flatMap((scheme) => [
    [scheme, "https", "plain", "store_unreachable", "write http://"] as const,
    [scheme, "http", "tls", "store_unreachable", "https://"] as const,
    [scheme, "https", "tls", "store_unreachable", "NODE_EXTRA_CA_CERTS"] as const,
    [scheme, "http", "other", "store_unreachable", "endpoint"] as const,
    [scheme, "http", "plain", "store_failed", "Check its scheme, host and port"] as const,
  ]),
)("%s with %s on a port that is %s is %s", async (scheme, protocol, server, code, advice) => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secret);
  const store = await open[scheme](`${protocol}://127.0.0.1:${ports[server]}`);
  const listing = store.list("", { isFlat: false, signal })[Symbol.asyncIterator]();
  const error: Error = await listing.next().then(
    () => new Error("listed"),
    (reason: Error) => reason,
  );
  expect(error).toMatchObject({ code, message: expect.stringContaining(advice) });
  expect(error.message).not.toMatch(/SSL routines|openssl|Parse Error|<html>|wJalr/i);
});

it.each([
  ["AZURE_STORAGE_CONNECTION_STRING", "nonsense", "az"],
  ["AZURE_STORAGE_ACCOUNT", "https://a b", "az"],
  ["STORAGE_EMULATOR_HOST", "http://a b:x", "gs"],
] as const)("a wrong value of %s is named", async (name, value, scheme) => {
  vi.stubEnv("AZURE_STORAGE_CONNECTION_STRING", "");
  vi.stubEnv(name, value);
  await expect(openStore({ scheme, bucket: `env-${name}` }, {})).rejects.toMatchObject({
    code: "store_endpoint_invalid",
    message: expect.stringContaining(name),
  });
});
