import { afterEach, expect, it } from "vitest";
import type { HandlerAnswer } from "../../src/http/handler.js";
import { type Server, startServer } from "../../src/http/server.js";
import type { ServiceLimits } from "../../src/http/service-limits.js";
import type { Store } from "../../src/storage/store.js";
import { echo, fakeEndpoints } from "../support/fake-endpoints.js";
import { openRaw, type RawConnection } from "../support/raw-exchange.js";
import { startTestService, type TestService } from "../support/service.js";
import { openTestStore } from "../support/test-store.js";

const address = { host: "127.0.0.1", port: 0 };

let service: TestService;
let server: Server;
afterEach(() => server.stop());

/** Something that a test lets happen. */
function gate<Result>() {
  let open: (result: Result) => void = () => undefined;
  const passed = new Promise<Result>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** A server with one route that answers when it is let, and a store that tells when it is closed. */
async function start(limits: Partial<ServiceLimits> = {}) {
  const arrived = gate<void>();
  const release = gate<HandlerAnswer>();
  const closed: string[] = [];
  const opened = await openTestStore();
  const store: Store = {
    ...opened,
    close: async () => {
      closed.push("closed");
      await opened.close();
    },
  };
  service = await startTestService({
    store,
    limits,
    endpoints: fakeEndpoints({
      echo: { route: { path: "/echo" }, handler: echo },
      wait: {
        route: { path: "/wait" },
        handler: () => {
          arrived.open();
          return release.passed;
        },
      },
    }),
  });
  server = await startServer(service.app, address, async () => store);
  await server.ready;
  return { arrived: arrived.passed, release: release.open, closed };
}

function requestTo(path: string, body = "{}", length = body.length): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: x\r\nService-Api-Key: ${service.keys.console}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
  );
}

async function send(text: string): Promise<RawConnection> {
  const connection = await openRaw(server.url);
  connection.socket.write(text);
  return connection;
}

it("disconnects a client that sends its body too slowly, with 408", async () => {
  await start({ requestTimeoutMs: 100, headersTimeoutMs: 50, timeoutCheckIntervalMs: 10 });
  const slow = await send(requestTo("/echo", "{", 2));
  const answer = await slow.closed();
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(answer).toContain(
    '{"status":408,"message":"The request took too long to arrive","errors":[]}',
  );
  expect(service.log.join("")).toContain('"status":408');
});

it("disconnects a client that sends its headers too slowly, or nothing, with 408", async () => {
  await start({ requestTimeoutMs: 100, headersTimeoutMs: 50, timeoutCheckIntervalMs: 10 });
  const slow = await send("GET /echo HTTP/1.1\r\nHost:");
  expect(await slow.closed()).toMatch(/^HTTP\/1\.1 408 /);
});

it("closes a connection that waits too long for its next request", async () => {
  await start({ keepAliveTimeoutMs: 50 });
  const idle = await send(requestTo("/echo"));
  expect(await idle.closed()).toMatch(/^HTTP\/1\.1 200 OK/);
});

it("lets accepted requests finish while it stops, and then closes the store", async () => {
  const { arrived, release, closed } = await start();
  const idle = await send(requestTo("/echo"));
  await idle.until('"bodyText":"{}"');
  const busy = await send(requestTo("/wait"));
  await arrived;

  const stopped = server.stop();
  await idle.closed();
  expect(closed).toEqual([]);
  await expect(openRaw(server.url)).rejects.toThrow(/ECONNREFUSED/);

  release({ content: { data: "finished" } });
  const answer = await busy.closed();
  expect(answer).toContain('{"message":"Done.","data":"finished"}');
  expect(answer).toMatch(/^connection: close$/im);
  await stopped;
  expect(closed).toEqual(["closed"]);
});

it("finishes a request whose body was still arriving when it began to stop", async () => {
  await start();
  const half = await send(requestTo("/echo", "[1,", 5));
  // Another connection's answer tells that the first one's headers have been read.
  await (await send(requestTo("/echo"))).until('"bodyText":"{}"');
  const stopped = server.stop();
  half.socket.write("2]");
  expect(await half.closed()).toContain('"body":[1,2]');
  await stopped;
});

it("refuses requests over open connections while it stops", async () => {
  const { arrived, release } = await start();
  const busy = await send(requestTo("/wait"));
  await arrived;
  const stopped = server.stop();
  busy.socket.write(`${requestTo("/echo")}GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n`);
  release({ content: {} });
  const answers = await busy.closed();
  expect(answers).toContain("HTTP/1.1 200 OK");
  expect(answers).not.toContain('"bodyText"');
  await stopped;
});

it("aborts the remaining requests when the time for stopping is over", async () => {
  const { arrived, closed } = await start({ stopGraceMs: 50 });
  const hanging = await send(requestTo("/wait"));
  await arrived;
  const silent = await openRaw(server.url);
  await server.stop();
  expect(await hanging.closed()).toBe("");
  expect(await silent.closed()).toBe("");
  expect(closed).toEqual(["closed"]);
});

it("stops once, also if it is asked several times", async () => {
  const { closed } = await start();
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  expect(closed).toEqual(["closed"]);
});

it("listens before the store is open, and reports that it is not ready", async () => {
  const opening = gate<Store>();
  service = await startTestService({ closedStore: true });
  server = await startServer(service.app, address, () => opening.passed);
  const status = async (path: string) => (await fetch(server.url + path)).status;
  expect(await status("/healthz")).toBe(200);
  expect(await status("/readyz")).toBe(503);
  expect(await status("/console/v1/gates")).toBe(503);
  opening.open(service.store);
  await server.ready;
  expect(await status("/readyz")).toBe(200);
  expect(await status("/console/v1/gates")).toBe(401);
});

it("reports that the store cannot be opened, and can then be stopped", async () => {
  service = await startTestService({ closedStore: true });
  const failure = new Error("no such disk");
  server = await startServer(service.app, address, () => Promise.reject(failure));
  await expect(server.ready).rejects.toBe(failure);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  await server.stop();
});

it("does not open the store if it cannot listen", async () => {
  await start();
  const other = await startTestService({ closedStore: true });
  let opened = 0;
  const port = Number(new URL(server.url).port);
  const second = startServer(other.app, { ...address, port }, async () => {
    opened += 1;
    return other.store;
  });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(opened).toBe(0);
  await other.close();
});
