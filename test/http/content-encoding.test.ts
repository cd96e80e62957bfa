import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestService, type TestService } from "../support/service.js";

const event = JSON.stringify({ event: "e", timestamp: 1 });
/** `event` as one frame of `zstd --content-size`, without compression. */
const zstdEvent = Buffer.concat([
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, event.length]),
  Buffer.from([(event.length << 3) | 1, 0, 0]),
  Buffer.from(event),
]);
let service: TestService;

beforeEach(async () => {
  service = await startTestService({ limits: { eventBodyBytesMax: 1_000, bodyBytesMax: 1_000 } });
});

afterEach(() => service.close());

function post(body: unknown, encoding: string) {
  const { server } = service.keys;
  const headers = { "content-type": "application/json", "content-encoding": encoding };
  const path = "/v1/webhooks/event_webhook";
  return service.call({ method: "POST", path, key: server, body, headers });
}

it.each([
  ["gzip", gzipSync(event)],
  ["X-GZIP", Buffer.concat([gzipSync(event.slice(0, 9)), gzipSync(event.slice(9))])],
  ["zstd", zstdEvent],
  ["identity", Buffer.from(event)],
])("a body in %s is decoded", async (encoding, body) => {
  expect((await post(body, encoding)).status).toBe(202);
  const { json } = await service.call({ path: "/v1/events" });
  expect(json.data).toEqual([JSON.parse(event)]);
});

it("a console body in gzip is decoded", async () => {
  const body = gzipSync(JSON.stringify({ name: "A gate" }));
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const path = "/console/v1/gates";
  expect((await service.call({ method: "POST", path, body, headers })).status).toBe(201);
});

it.each(["br", "deflate", "gzip, gzip", "nonsense"])("%s is refused with 415", async (encoding) => {
  const { status, json } = await post(Buffer.from(event), encoding);
  expect([status, json.message]).toEqual([415, "Content-Encoding must be gzip or zstd, or absent"]);
});

it.each([
  ["gzip", gzipSync(event).subarray(0, 20)],
  ["gzip", Buffer.from(event)],
  ["zstd", zstdEvent.subarray(0, 20)],
  ["zstd", Buffer.from(event)],
])("damaged %s is refused with 400 (%#)", async (encoding, body) => {
  const { status, json } = await post(body, encoding);
  expect([status, json.message]).toEqual([400, `Body is not valid ${encoding}`]);
  expect((await post(zstdEvent, "zstd")).status).toBe(202);
});

it("a body that is too large after decoding is refused with 413", async () => {
  const { status, json } = await post(gzipSync(" ".repeat(100_000)), "gzip");
  expect([status, json.message]).toEqual([
    413,
    "Body has more than 1000 bytes after decoding; this route accepts at most 1000",
  ]);
  // One block that repeats a byte 100,000 times.
  const run = (100_000 << 3) | 3;
  const bomb = Buffer.from([
    0x28,
    0xb5,
    0x2f,
    0xfd,
    0,
    0x58,
    run & 255,
    (run >> 8) & 255,
    run >> 16,
    32,
  ]);
  expect((await post(bomb, "zstd")).status).toBe(413);
});
