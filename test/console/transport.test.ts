import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RetryObject } from "got";
import { afterEach, describe, expect, it } from "vitest";
import { createConsoleClient } from "../../src/console/client.js";
import { retryDelayMs } from "../../src/console/transport.js";

const list = {
  message: "Gates listed successfully.",
  data: [],
  pagination: { nextPage: null, pageNumber: 1 },
};

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const status =
  (code: number, headers: Record<string, string> = {}, body: unknown = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end(JSON.stringify(body));

/** Gives the answers one after another, the last one again and again. */
async function serve(...answers: Answer[]) {
  const requests: IncomingMessage[] = [];
  const arrivals: number[] = [];
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      requests.push(request);
      arrivals.push(performance.now());
      answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    client: createConsoleClient({ baseUrl, key: "console-key" }),
    requests,
    baseUrl,
    arrivals,
  };
}

describe("a call", () => {
  it("that reads is retried after a temporary failure", async () => {
    const { client, requests } = await serve(
      status(503, { "retry-after": "0" }),
      status(200, {}, list),
    );
    await expect(client.listGates()).resolves.toMatchObject(list);
    expect(requests).toHaveLength(2);
  });

  it("that reads is retried after a broken connection", async () => {
    const { client, requests } = await serve(
      (_, request) => request.socket.destroy(),
      status(200, {}, list),
    );
    await client.listGates();
    expect(requests).toHaveLength(2);
  });

  it("that writes is not retried if it may have been received", async () => {
    const { client, requests } = await serve(status(500));
    await expect(client.createGate({ body: { name: "abc" } })).rejects.toMatchObject({
      status: 500,
    });
    const broken = await serve((_, request) => request.socket.destroy());
    await expect(broken.client.createGate({ body: { name: "abc" } })).rejects.toMatchObject({
      code: "console_unreachable",
    });
    expect([requests.length, broken.requests.length]).toEqual([1, 1]);
  });

  it("that writes is retried if it was refused or has If-Match", async () => {
    const turnedAway = await serve(
      status(429, { "retry-after": "0" }),
      status(201, {}, { data: {} }),
    );
    await turnedAway.client.createGate({ body: { name: "abc" } });
    const versioned = await serve(
      status(502, { "retry-after": "0" }),
      status(200, {}, { data: {} }),
    );
    await versioned.client.patchGate({ id: "abc", body: {}, ifMatch: "1" });
    expect([turnedAway.requests.length, versioned.requests.length]).toEqual([2, 2]);
    expect(versioned.requests[1]?.headers["if-match"]).toBe('"1"');
  });

  it("that writes tells if a lost attempt may be why the next one is refused", async () => {
    const lose: Answer = (_, request) => request.socket.destroy();
    const refused = { message: "If-Match names 1, but the version is 2" };
    const lost = await serve(lose, status(412, {}, refused));
    const patch = { id: "abc", body: {}, ifMatch: "1" };
    await expect(lost.client.patchGate(patch)).rejects.toMatchObject({
      status: 412,
      mayBeMade: true,
      message: expect.stringContaining("version is 2 (the write may have been made)"),
    });
    const first = await serve(status(412, {}, refused));
    await expect(first.client.patchGate(patch)).rejects.toMatchObject({ mayBeMade: false });
    const created = await serve(lose);
    await expect(created.client.createGate({ body: { name: "abc" } })).rejects.toMatchObject({
      code: "console_unreachable",
      mayBeMade: true,
    });
  });

  it("waits for the time that the console named in the answer to another call", async () => {
    const times: number[] = [];
    const held: number[] = [];
    const { requests, baseUrl, arrivals } = await serve(
      status(429, { "retry-after": "1" }),
      status(200, {}, list),
    );
    const client = createConsoleClient({
      baseUrl,
      key: "console-key",
      onHeld(waitMs) {
        held.push(waitMs);
        times.push(performance.now());
        // The retry and this call are made after the time.
        second = client.listGates();
      },
    });
    let second: Promise<unknown> | undefined;
    await client.listGates();
    await second;
    expect(held).toEqual([1_000]);
    expect(requests).toHaveLength(3);
    expect(arrivals.slice(1).map((time) => time - (times[0] ?? 0) >= 999)).toEqual([true, true]);
  });

  it("stops waiting with the caller's signal", async () => {
    const controller = new AbortController();
    const { baseUrl, requests } = await serve(status(429, { "retry-after": "600" }));
    const client = createConsoleClient({
      baseUrl,
      key: "console-key",
      onHeld: () => setImmediate(() => controller.abort()),
    });
    const { signal } = controller;
    const calls = [client.listGates({ signal }), client.listGates({ signal })];
    await Promise.all(calls.map((call) => expect(call).rejects.toThrow(/abort/i)));
    expect(requests.length).toBeLessThanOrEqual(2);
  });

  it("does not follow a redirect, so the key is not sent elsewhere", async () => {
    const { client, requests } = await serve(status(307, { location: "/elsewhere" }));
    await expect(client.listGates()).rejects.toMatchObject({ status: 307 });
    expect(requests).toHaveLength(1);
  });

  it("whose answer is not JSON reports that the address may be wrong", async () => {
    const { client } = await serve((response) => response.end("<html>"));
    await expect(client.listGates()).rejects.toThrow(/is not JSON; is this the address/);
  });

  it("ends with the caller's signal", async () => {
    const controller = new AbortController();
    const { client } = await serve(() => controller.abort());
    await expect(client.listGates({ signal: controller.signal })).rejects.toThrow(/abort/i);
  });
});

describe("the delay before another attempt", () => {
  const attempt = (facts: {
    count?: number;
    status?: number;
    code?: string;
    retryAfter?: number;
  }) =>
    ({
      attemptCount: facts.count ?? 1,
      error: {
        code: facts.code ?? "ERR_NON_2XX_3XX_RESPONSE",
        response: facts.status === undefined ? undefined : { statusCode: facts.status },
      },
      retryAfter: facts.retryAfter,
    }) as RetryObject;
  const reads = { isRepeatable: true, retriesMax: 4 };
  const writes = { isRepeatable: false, retriesMax: 4 };
  const full = () => 1;

  it("doubles from a quarter of a second to half a minute, with full jitter", () => {
    const delays = [1, 2, 3, 4].map((count) =>
      retryDelayMs(attempt({ count, status: 500 }), reads, full),
    );
    expect(delays).toEqual([250, 500, 1_000, 2_000]);
    const many = { ...reads, retriesMax: 20 };
    expect(retryDelayMs(attempt({ count: 12, status: 500 }), many, full)).toBe(30_000);
    expect(retryDelayMs(attempt({ status: 500 }), reads, () => 0.5)).toBe(125);
  });

  it("is the Retry-After of the service, up to a quarter of an hour; there is no retry beyond it", () => {
    expect(retryDelayMs(attempt({ status: 429, retryAfter: 2_000 }), writes, full)).toBe(2_000);
    expect(retryDelayMs(attempt({ status: 429, retryAfter: 900_000 }), writes, full)).toBe(900_000);
    expect(retryDelayMs(attempt({ status: 429, retryAfter: 901_000 }), writes, full)).toBe(0);
  });

  it.each([400, 401, 403, 404, 409, 412, 413, 415])("is none after a %i", (code) => {
    expect(retryDelayMs(attempt({ status: code }), reads, full)).toBe(0);
  });

  it("is none after the last attempt", () => {
    expect(retryDelayMs(attempt({ count: 5, status: 500 }), reads, full)).toBe(0);
  });

  it.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"])("exists for writes after %s", (code) => {
    expect(retryDelayMs(attempt({ code }), writes, full)).toBe(250);
  });

  it.each(["ECONNRESET", "ETIMEDOUT", "EPIPE"])("is none for writes after %s", (code) => {
    expect(retryDelayMs(attempt({ code }), writes, full)).toBe(0);
  });
});
