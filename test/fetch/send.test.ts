import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import type { VendorRequest } from "../../src/fetch/http.js";
import { send } from "../../src/fetch/send.js";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function requestTo(listener: RequestListener): Promise<VendorRequest> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/export`);
  return { method: "GET", url, headers: { authorization: "Basic c2VjcmV0" } };
}

async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString("latin1");
  return text;
}

const never = new AbortController().signal;

describe("a request to a vendor", () => {
  it("is answered with status, headers and the bytes as they came", async () => {
    const request = await requestTo(({ headers }, response) => {
      response.writeHead(418, { "content-encoding": "gzip", "x-user": headers.authorization });
      response.end("not gzip");
    });
    const { status, headers, body } = await send(request, never);
    expect([status, headers["x-user"], await read(body)]).toEqual([
      418,
      "Basic c2VjcmV0",
      "not gzip",
    ]);
  });

  it("does not follow a redirect, which could be to anybody", async () => {
    const request = await requestTo((_, response) => {
      response.writeHead(302, { location: "http://127.0.0.1:1/" });
      response.end();
    });
    expect((await send(request, never)).status).toBe(302);
  });

  it("fails where the body ends before its length, without telling the key", async () => {
    const request = await requestTo((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("part", () => response.destroy());
    });
    const { body } = await send(request, never);
    const error = await read(body).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("c2VjcmV0");
  });

  it("fails if nobody listens, without telling the key", async () => {
    const request = { ...(await requestTo(() => undefined)), url: new URL("http://127.0.0.1:1/") };
    const error = await send(request, never).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("c2VjcmV0");
  });

  it("ends with the signal, while it waits and while it reads", async () => {
    for (const isBegun of [false, true]) {
      const request = await requestTo((_, response) => {
        if (isBegun) response.write("first");
      });
      const controller = new AbortController();
      const answered = send(request, controller.signal).then(({ body }) => read(body));
      setTimeout(() => controller.abort(), 50);
      await expect(answered).rejects.toThrow();
    }
  });
});
