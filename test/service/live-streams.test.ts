import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyRecord, newKeyText } from "../../src/http/key-text.js";
import { createLogger } from "../../src/http/request-log.js";
import { type Server, startServer } from "../../src/http/server.js";
import { createService } from "../../src/service/create-service.js";
import type { Store } from "../../src/storage/store.js";
import { openTestStore } from "../support/test-store.js";

let store: Store;
let server: Server;
let key: string;
let keyID: string;

beforeEach(async () => {
  store = await openTestStore();
  key = newKeyText("console");
  const record = keyRecord(key, { kind: "console", createdTime: Date.now(), name: "Ann" });
  keyID = record.id;
  await store.keys.insert(record);
  const app = createService({ logger: createLogger("fatal") });
  server = await startServer(app, { host: "127.0.0.1", port: 0 }, async () => store);
  await server.ready;
});
afterEach(() => server.stop());

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, {
    ...init,
    headers: { "content-type": "application/json", "service-api-key": key, ...init.headers },
  });

interface Message {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** Reads the messages of a stream one by one; undefined at its end. */
async function follow(headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await call("/console/v1/live", { headers, signal: leaving.signal });
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const message = text.slice(0, end);
        text = text.slice(end + 2);
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(message)?.[1] ?? "";
        if (!message.startsWith(":"))
          return { event: field("event"), id: field("id"), data: JSON.parse(field("data")) };
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
  return { response, next, leave: () => leaving.abort() };
}

async function storeEvent(event: string, userID: string): Promise<void> {
  const body = JSON.stringify({ event, user: { userID }, timestamp: 5 });
  const day = "1970-01-01";
  const events = [{ day, event, timestamp: 5, body }];
  await store.events.append({ events, idempotencyKey: undefined });
}

const createGate = (name: string) =>
  call("/console/v1/gates", { method: "POST", body: JSON.stringify({ name }) });

describe("a live stream", () => {
  it("begins with the stored events, and tells what is stored and written later", async () => {
    await storeEvent("open", "u1");
    const { response, next, leave } = await follow();
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await next()).toEqual({
      event: "events",
      id: "0",
      data: { stored: 1, latest: [{ event: "open", userID: "u1", time: 5 }] },
    });
    await storeEvent("buy", "u2");
    expect(await next()).toMatchObject({
      event: "events",
      data: { stored: 2, latest: [{ event: "buy", userID: "u2" }, { event: "open" }] },
    });
    await createGate("a_gate");
    expect(await next()).toEqual({
      event: "change",
      id: "1",
      data: {
        sequence: 1,
        entries: [
          expect.objectContaining({ entityType: "gate", entityID: "a_gate", updatedBy: "Ann" }),
        ],
      },
    });
    leave();
  });

  it("tells a client that comes back of the writes between", async () => {
    for (const name of ["gate_1", "gate_2"]) await createGate(name);
    const { next, leave } = await follow({ "last-event-id": "1" });
    expect(await next()).toMatchObject({ event: "events" });
    expect(await next()).toMatchObject({ id: "2", data: { entries: [{ entityID: "gate_2" }] } });
    leave();
    const other = await follow({ "last-event-id": "nonsense" });
    expect(await other.next()).toMatchObject({ event: "events", id: "2" });
    other.leave();
  });

  it("ends when its key is revoked", async () => {
    const { next } = await follow();
    await next();
    await store.keys.revoke(keyID, Date.now());
    // What happens in the same second is not told any more.
    await storeEvent("open", "u1");
    expect(await next()).toBeUndefined();
  });

  it("ends when its session does", async () => {
    const signIn = { method: "POST", body: JSON.stringify({ key }) };
    const signedIn = await call("/console/v1/session", signIn);
    const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const withCookie = { cookie, "service-api-key": "", "x-switchyard-page": "1" };
    const { next } = await follow(withCookie);
    await next();
    const signedOut = await call("/console/v1/session", { method: "DELETE", headers: withCookie });
    expect(signedOut.status).toBe(200);
    expect(await next()).toBeUndefined();
  });

  it("ends when the service stops, which does not wait for it", async () => {
    const { next } = await follow();
    await next();
    const stopped = server.stop();
    expect(await next()).toBeUndefined();
    await stopped;
  });

  it("is refused beside 50 others, until one of them leaves", async () => {
    const streams = await Promise.all(Array.from({ length: 50 }, () => follow()));
    const refused = await call("/console/v1/live");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    for (const { leave } of streams) leave();
    await expect
      .poll(async () => {
        const again = await follow();
        again.leave();
        return again.response.status;
      })
      .toBe(200);
  });

  it("answers HEAD without a stream", async () => {
    for (let count = 0; count < 51; count += 1) {
      expect((await call("/console/v1/live", { method: "HEAD" })).status).toBe(200);
    }
  });
});
