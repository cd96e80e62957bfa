import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadTarget } from "../../src/target/targets.js";
import { startTestService, type TestService } from "../support/service.js";

const time = Date.UTC(2026, 0, 5, 9);
let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

function post(body: unknown, headers: Record<string, string> = {}) {
  const { server } = service.keys;
  return service.call({ method: "POST", path: "/v1/log_event", key: server, body, headers });
}

function warningsOf(json: object) {
  return (json as { readonly warnings: readonly { readonly property: string }[] }).warnings;
}

async function listed(): Promise<string> {
  const { payload } = await service.app.http.inject({
    url: "/v1/events",
    headers: { "SERVICE-API-KEY": service.keys.console },
  });
  return /"data":(\[.*\]),"nextCursor":/s.exec(payload)?.[1] ?? payload;
}

describe("POST /v1/log_event", () => {
  it("does not store the diagnostics of SDKs, which hold secrets", async () => {
    const { server } = service.keys;
    const url = `http://127.0.0.1/v2/download_config_specs/${server}.json`;
    const diagnostics = { eventName: "statsig::diagnostics", metadata: { markers: url } };
    expect(await post({ events: [diagnostics] })).toMatchObject({ status: 202 });
    const kept = { eventName: "kept", time };
    expect(await post({ events: [diagnostics, kept, diagnostics] })).toMatchObject({ status: 202 });
    expect(JSON.parse(await listed())).toMatchObject([{ event: "kept" }]);
  });

  it("stores the events of an SDK as events of the service", async () => {
    const { status, json } = await post({
      statsigMetadata: { sdkType: "js", sessionID: "s" },
      user: { userID: "u-root", customIDs: { stableID: "d-root" } },
      events: [
        {
          eventName: "purchase",
          time,
          user: { userID: "u1", customIDs: { stableID: "d1", team: "t" }, custom: { plan: "pro" } },
          value: 9.5,
          metadata: { n: 1 },
          secondaryExposures: [],
          statsigMetadata: {},
        },
        { eventName: "seen", time: time + 1, user: null, value: null, metadata: null },
        {
          eventName: "own",
          time: time + 2,
          user: { stableID: "own", customIDs: { stableID: "d" } },
        },
      ],
    });
    expect([status, json]).toEqual([202, { success: true }]);
    const root = { stableID: "d-root", userID: "u-root", customIDs: { stableID: "d-root" } };
    expect(JSON.parse(await listed())).toEqual([
      {
        event: "own",
        user: { stableID: "own", customIDs: { stableID: "d" } },
        timestamp: time + 2,
      },
      {
        event: "purchase",
        user: {
          stableID: "d1",
          userID: "u1",
          customIDs: { stableID: "d1", team: "t" },
          custom: { plan: "pro" },
        },
        timestamp: time,
        metadata: { n: 1 },
        value: 9.5,
      },
      { event: "seen", user: root, timestamp: time + 1 },
    ]);
  });

  it("takes users of any id, and stores no private attributes", async () => {
    const user = '{"userID":47110000000000000001,"customIDs":{"stableID":7},"a":1.0}';
    const events = [
      `{"eventName":"n","time":${time},"user":${user}}`,
      `{"eventName":"o","time":${time},"user":{"userID":null,"stableID":null}}`,
      `{"eventName":"p","time":${time},"user":{"privateAttributes":{"ssn":"X"},"userID":"p"}}`,
    ];
    expect((await post(`{"events":[${events.join()}]}`)).status).toBe(202);
    expect(await listed()).toBe(
      `[{"event":"n","user":{"stableID":7,${user.slice(1)},"timestamp":${time}},` +
        `{"event":"o","user":{"userID":null,"stableID":null},"timestamp":${time}},` +
        `{"event":"p","user":{"userID":"p"},"timestamp":${time}}]`,
    );
    const wrong = await post({ events: [{ eventName: "q", user: { userID: {} } }] });
    expect(wrong.json.errors?.[0]?.property).toBe("events[0].user.userID");
  });

  it("keeps every digit, and the last of a repeated member", async () => {
    const body = `{"events": [], "events": [{"eventName":"a\\u0062","time":${time},"metadata":{"n":12345678901234567890.10}}]}`;
    expect((await post(body)).status).toBe(202);
    expect(await listed()).toBe(
      `[{"event":"a\\u0062","timestamp":${time},"metadata":{"n":12345678901234567890.10}}]`,
    );
  });

  it("stores nothing of a list with one fault, and names its place", async () => {
    const { status, json } = await post({ events: [{ eventName: "a" }, { eventName: 1 }, {}] });
    expect([status, json.errors]).toEqual([
      400,
      [
        { property: "events[1].eventName", errorMessage: "Expected string, received number" },
        { property: "events[2].eventName", errorMessage: "Required" },
      ],
    ]);
    expect(await listed()).toBe("[]");
  });

  it("parses a large body in slices, and refuses one event of too many values", async () => {
    const event = { eventName: "e", time, metadata: { text: "x".repeat(400) } };
    const events = Array.from({ length: 2_000 }, () => event);
    expect((await post({ events, statsigMetadata: {} })).status).toBe(202);
    const { json } = await service.call<{ count: number }[]>({ path: "/v1/events/summary" });
    expect(json.data?.[0]?.count).toBe(2_000);
    const many = await post({ events: [...events, event] });
    expect([many.status, many.json.errors?.[0]]).toEqual([
      400,
      { property: "events", errorMessage: "Must be at most 2000 items" },
    ]);
    const broken = JSON.stringify({ events }).slice(0, -2);
    expect((await post(`${broken}`)).json.message).toMatch(/^Body is not valid JSON/);
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [index, 1]));
    expect((await post({ events: [{ eventName: "e", metadata: wide }] })).json.errors).toEqual([
      expect.objectContaining({ errorMessage: expect.stringMatching(/too many values/) }),
    ]);
  });

  it("reads gzip, and stores a repeated Idempotency-Key once", async () => {
    const body = gzipSync(JSON.stringify({ events: [{ eventName: "e", time }] }));
    const headers = { "content-encoding": "gzip", "idempotency-key": "k1" };
    await post(body, headers);
    expect((await post(body, headers)).status).toBe(202);
    expect(JSON.parse(await listed())).toHaveLength(1);
  });
});

describe("a service that rehearses a platform", () => {
  const statsig = loadTarget("statsig");

  beforeEach(async () => {
    await service.close();
    service = await startTestService({ target: statsig });
  });

  it("stores what the platform would drop or change, with warnings and counts", async () => {
    const { status, json } = await post({
      events: [
        { eventName: "[Amplitude] Page Viewed", time, metadata: { "page.path": "/a" } },
        { eventName: "[Amplitude] Page Viewed", time },
        {
          eventName: "fine",
          time,
          user: { userID: "u", email: "a@b.c", custom: { $email: "a@b.c" } },
        },
        {
          eventName: "open",
          time,
          metadata: { cart: { n: 1 } },
          user: { custom: { $email: "a" } },
        },
      ],
    });
    expect(status).toBe(202);
    expect(warningsOf(json)).toEqual([
      {
        property: "event",
        message: 'Statsig drops events of this name: "[Amplitude] Page Viewed".',
        events: 2,
      },
      {
        property: "metadata.page.path",
        message: "Statsig reads a key with a dot as a path: the value is lost.",
        events: 1,
      },
      {
        property: "metadata.cart",
        message: "Statsig stores objects and lists in metadata as text.",
        events: 1,
      },
      {
        property: "user.$email",
        message: "Statsig does not look for this property of a user here.",
        events: 1,
      },
    ]);
    expect(JSON.parse(await listed())).toHaveLength(4);
    expect(await service.app.metrics.eventTotals()).toEqual({ stored: 0, dropped: 2, changed: 1 });
  });

  it("says the same of the events of the webhook", async () => {
    const body = [{ event: "$pageview", user: { userID: "u", $email: "a@b.c" }, timestamp: time }];
    const { json } = await service.call({
      method: "POST",
      path: "/v1/webhooks/event_webhook",
      key: service.keys.server,
      body,
    });
    expect(warningsOf(json).map(({ property }) => property)).toEqual(["event", "user.$email"]);
  });

  it("takes the key in the platform's header as well, and only one", async () => {
    const body = { events: [{ eventName: "e", time }] };
    const { server } = service.keys;
    const call = (headers: Record<string, string>) =>
      service.call({ method: "POST", path: "/v1/log_event", key: null, body, headers });
    expect((await call({ "STATSIG-API-KEY": server })).status).toBe(202);
    expect((await call({ "STATSIG-API-KEY": "secret-wrong-0123456789" })).status).toBe(401);
    expect((await call({})).json.message).toMatch(/in the header SERVICE-API-KEY/);
  });
});
