import { afterEach, describe, expect, it } from "vitest";
import { SwitchyardError } from "../../src/base/errors.js";
import { ServiceError } from "../../src/http/service-error.js";
import { EventsUnavailableError } from "../../src/storage/event-store.js";
import { fakeEndpoints } from "../support/fake-endpoints.js";
import { startTestService, type TestService } from "../support/service.js";
import { openTestStore } from "../support/test-store.js";

let service: TestService;
afterEach(() => service.close());

async function answerTo(error: unknown) {
  const handler = () => Promise.reject(error);
  service = await startTestService({ endpoints: fakeEndpoints({ fail: { handler } }) });
  return service.call({ method: "POST", path: "/fake" });
}

it("answers a refusal with its status, message, faults and header", async () => {
  const faults = [{ property: "a", errorMessage: "Required" }];
  const refusal = { status: 503, message: "Too many", faults, retryAfterSeconds: 7 };
  const { status, headers, json } = await answerTo(new ServiceError(refusal));
  expect(json).toEqual({ status: 503, message: "Too many", errors: faults });
  expect({ status, retryAfter: headers["retry-after"] }).toEqual({ status: 503, retryAfter: "7" });
});

it.each([
  ["a defect", new TypeError("secret inside")],
  ["an error of ours that is no refusal", new SwitchyardError("database_failed", "secret inside")],
  [
    "an error that names a status of the inside",
    Object.assign(new Error("secret inside"), { statusCode: 500 }),
  ],
  ["what is no error", "secret inside"],
])("answers %s with a 500 without details", async (_what, error) => {
  const { status, json } = await answerTo(error);
  expect(status).toBe(500);
  expect(json).toEqual({ status: 500, message: "Internal Server Error", errors: [] });
});

it("logs the stack of a defect with the id of the request", async () => {
  const error = new TypeError("went wrong");
  const { headers } = await answerTo(error);
  const lines = service.log.map((line) => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 50,
      requestId: headers["x-request-id"],
      err: expect.objectContaining({ type: "TypeError", stack: error.stack }),
    }),
  );
});

it.each([
  ["database_busy", "The store is busy: try again in a moment.", "1"],
  ["disk_full", "The disk of the store is full: nothing was written.", "30"],
])(
  "answers %s with 503, when to try again, and a line in the log",
  async (code, message, seconds) => {
    const { status, headers, json } = await answerTo(new SwitchyardError(code, "/data/console.db"));
    expect(status).toBe(503);
    expect(json).toEqual({ status: 503, message, errors: [] });
    expect(headers["retry-after"]).toBe(seconds);
    expect(service.log.join("")).toContain("/data/console.db");
  },
);

it.each([
  ["the store", (damage: Error) => damage],
  ["the events", (damage: Error) => new EventsUnavailableError("failed", { cause: damage })],
])("does not answer from a database that turns out to be damaged, seen by %s", async (_, wrap) => {
  const damage = new SwitchyardError("database_damaged", "/data/console.db: malformed");
  const message = "The database of the service is damaged: its operator has to restore a backup.";
  const refused = { status: 503, json: { status: 503, message, errors: [] } };
  expect(await answerTo(wrap(damage))).toMatchObject(refused);
  expect(service.log.join()).toContain("/data/console.db: malformed");
  expect(await service.call({ path: "/readyz", key: null })).toMatchObject(refused);
  expect(await service.call({ method: "POST", path: "/fake" })).toMatchObject(refused);
  expect(await service.call({ path: "/healthz", key: null })).toMatchObject({ status: 200 });
});

describe("a full disk", () => {
  const full = new SwitchyardError("disk_full", "/data/console.db: the disk is full");
  const message = "The disk of the store is full: nothing was written.";
  const refused = { status: 503, headers: { "retry-after": "30" }, json: { message } };
  const gates = "/console/v1/gates";

  it("refuses writes, is not ready, serves reads, and is ready when a write succeeds", async () => {
    const store = await openTestStore();
    let isFull = false;
    const { entities, events } = store;
    const failing = new Proxy(entities, {
      get: (_, name: keyof typeof entities) => {
        if (name === "write" && isFull) return () => Promise.reject(full);
        const member: unknown = entities[name];
        return typeof member === "function" ? member.bind(entities) : member;
      },
    });
    service = await startTestService({
      store: {
        ...store,
        entities: failing,
        events: {
          ...events,
          append: (intake) =>
            isFull
              ? Promise.reject(new EventsUnavailableError("full", { cause: full }))
              : events.append(intake),
        },
        probe: (isWriting) => (isWriting && isFull ? Promise.reject(full) : store.probe(isWriting)),
      },
    });
    const create = () => service.call({ method: "POST", path: gates, body: { name: "A gate" } });
    const ready = () => service.call({ path: "/readyz", key: null });
    const send = () =>
      service.call({
        method: "POST",
        path: "/v1/webhooks/event_webhook",
        key: service.keys.server,
        body: { event: "e" },
      });
    expect((await ready()).status).toBe(200);
    isFull = true;
    expect((await ready()).status).toBe(200);
    expect(await create()).toMatchObject(refused);
    expect(await ready()).toMatchObject(refused);
    expect(await send()).toMatchObject(refused);
    expect((await service.call({ path: gates })).status).toBe(200);
    isFull = false;
    expect((await ready()).status).toBe(200);
    expect((await create()).status).toBe(201);
    expect((await send()).status).toBe(202);
  });
});

it("is not ready, and answers nothing, once a probe of the store finds damage", async () => {
  const store = await openTestStore();
  const damage = new SwitchyardError("database_damaged", "/data/console.db was removed");
  service = await startTestService({ store: { ...store, probe: () => Promise.reject(damage) } });
  expect((await service.call({ path: "/console/v1/gates" })).status).toBe(200);
  expect((await service.call({ path: "/readyz", key: null })).status).toBe(503);
  expect((await service.call({ path: "/console/v1/gates" })).status).toBe(503);
  expect(service.log.join()).toContain("/data/console.db was removed");
});
