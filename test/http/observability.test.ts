import { afterEach, describe, expect, it } from "vitest";
import { keyDigest } from "../../src/http/key-text.js";
import { echo, fakeEndpoints } from "../support/fake-endpoints.js";
import { startTestService, type TestService, type TestServiceOptions } from "../support/service.js";

let service: TestService;
afterEach(() => service.close());

const start = async (options: TestServiceOptions = {}) => {
  service = await startTestService(options);
};

const operations = fakeEndpoints({
  events: { route: { path: "/v1/events", access: "server" }, handler: echo },
  thing: { route: { path: "/things/{id}" }, handler: echo },
  things: { route: { path: "/things", method: "GET" }, handler: echo },
});

describe("readiness", () => {
  const statusOf = async (path: string) => {
    const { status, headers, json } = await service.call({ path });
    return { status, retryAfter: headers["retry-after"], message: json.message };
  };
  const paths = ["/readyz", "/console/v1/gates", "/console/v1/gates/some_id"];

  it("answers 503 to everything but /healthz and /metrics until the store is open", async () => {
    await start({ closedStore: true });
    for (const path of paths) {
      expect(await statusOf(path)).toEqual({
        status: 503,
        retryAfter: "1",
        message: "The service is starting: try again in a moment.",
      });
    }
    expect(await statusOf("/healthz")).toMatchObject({ status: 200 });
    expect(await statusOf("/metrics")).toMatchObject({ status: 200 });
    service.app.open(service.store);
    for (const path of paths) expect((await statusOf(path)).status).not.toBe(503);
  });

  it("answers 503 from the moment when it begins to stop", async () => {
    await start();
    expect(await service.call({ path: "/readyz" })).toMatchObject({
      status: 200,
      json: { status: "ready" },
    });
    service.app.beginStop();
    for (const path of paths) {
      expect(await statusOf(path)).toEqual({
        status: 503,
        retryAfter: "1",
        message: "The service is stopping: try again later.",
      });
    }
    expect(await statusOf("/healthz")).toMatchObject({ status: 200 });
    expect((await service.call({ path: "/healthz" })).headers["connection"]).toBe("close");
  });

  it("needs no key for them, and refuses other methods", async () => {
    await start();
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect(await service.call({ path, key: null })).toMatchObject({ status: 200 });
      expect(await service.call({ path, method: "POST" })).toMatchObject({ status: 405 });
    }
  });
});

describe("metrics", () => {
  const metrics = async () => String((await service.call({ path: "/metrics" })).json);

  it("counts requests by method, pattern of the path, and status", async () => {
    await start({ endpoints: operations });
    await service.call({ method: "POST", path: "/things/one" });
    await service.call({ method: "POST", path: "/things/two" });
    await service.call({ method: "POST", path: "/things/three", key: null });
    await service.call({ path: "/nothing/like/it" });
    await service.call({ path: "/things/%zz" });
    const text = await metrics();
    const counted = text
      .split("\n")
      .filter((line) => /requests_total\{/.test(line))
      .sort();
    expect(counted).toEqual([
      'switchyard_http_requests_total{method="GET",route="none",status="400"} 1',
      'switchyard_http_requests_total{method="GET",route="none",status="404"} 1',
      'switchyard_http_requests_total{method="POST",route="/things/:id",status="200"} 2',
      'switchyard_http_requests_total{method="POST",route="/things/:id",status="401"} 1',
    ]);
    expect(text).toContain(
      'switchyard_http_request_duration_seconds_count{method="POST",route="/things/:id"} 3',
    );
  });

  it("counts the events of each transaction", async () => {
    await start();
    service.app.metrics.observeCommit({ requests: 3, events: 40 });
    service.app.metrics.observeCommit({ requests: 1, events: 2 });
    const text = await metrics();
    for (const line of [
      "switchyard_events_stored_total 42",
      "switchyard_event_commit_events_sum 42",
      "switchyard_event_commit_events_count 2",
      'switchyard_event_commit_requests_bucket{le="1"} 1',
      'switchyard_event_commit_requests_bucket{le="5"} 2',
    ]) {
      expect(text).toContain(`\n${line}\n`);
    }
  });

  it("keeps those of two services separate", async () => {
    await start();
    const other = await startTestService();
    other.app.metrics.observeCommit({ requests: 1, events: 1 });
    expect(await metrics()).toContain("switchyard_events_stored_total 0");
    await other.close();
  });
});

describe("request ids", () => {
  it("returns the client's id or a new one, also for refused requests", async () => {
    let made = 0;
    const newRequestId = () => {
      made += 1;
      return `own-${made}`;
    };
    await start({ newRequestId });
    const idOf = async (path: string, id?: string) => {
      const headers = id === undefined ? {} : { "x-request-id": id };
      return (await service.call({ path, headers })).headers["x-request-id"];
    };
    expect(await idOf("/healthz", "from-client")).toBe("from-client");
    expect(await idOf("/healthz", "not fit")).toBe("own-1");
    expect(await idOf("/healthz")).toBe("own-2");
    expect(await idOf("/nothing", "lost")).toBe("lost");
    expect(await idOf("/console/%zz", "broken")).toBe("broken");
    expect(await idOf("/console/v1/gates", "good")).toBe("good");
    expect(service.log.join("")).toContain('"requestId":"lost"');
  });
});

describe("log", () => {
  const lines = () => service.log.map((line) => JSON.parse(line) as Record<string, unknown>);

  it("has one line for each request, with the key's id", async () => {
    await start({ endpoints: operations });
    await service.call({ method: "POST", path: "/things/one", headers: { "x-request-id": "r1" } });
    const hash = keyDigest(service.keys.console).toString("hex");
    expect(lines()).toEqual([
      {
        level: 30,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        requestId: "r1",
        method: "POST",
        route: "/things/:id",
        status: 200,
        durationMs: expect.any(Number),
        keyId: (await service.store.keys.find(hash))?.id,
        msg: "Request answered",
      },
    ]);
  });

  it("omits successful requests to frequent routes", async () => {
    await start({ endpoints: operations, logLevel: "info" });
    const { server: key } = service.keys;
    await service.call({ method: "POST", path: "/v1/events", key, body: {} });
    await service.call({ path: "/healthz" });
    expect(lines()).toEqual([]);
    await service.call({ method: "POST", path: "/v1/events", key, body: "{" });
    await service.call({ method: "POST", path: "/v1/events", key: null });
    expect(lines().map(({ status }) => status)).toEqual([400, 401]);
  });

  it("never holds a key, a body or a query", async () => {
    const endpoints = fakeEndpoints({
      fail: { route: { path: "/fail" }, handler: () => Promise.reject(new Error("defect")) },
      echo: { handler: echo },
    });
    await start({ endpoints, logLevel: "trace" });
    const secrets = [...Object.values(service.keys), "hunter2-in-body", "hunter2-in-query"];
    const body = { password: "hunter2-in-body" };
    for (const key of [...Object.values(service.keys), "hunter2-in-key"]) {
      for (const path of ["/fake", "/fail", "/nothing"]) {
        await service.call({ method: "POST", path: `${path}?token=hunter2-in-query`, key, body });
        await service.call({ method: "POST", path, key, body: '{"hunter2-in-body' });
      }
    }
    const text = service.log.join("");
    expect(lines().length).toBeGreaterThanOrEqual(30);
    for (const secret of [...secrets, "hunter2-in-key"]) expect(text).not.toContain(secret);
  });
});
