import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyDigest, keyRecord, type NewKeyFacts, newKeyText } from "../../src/http/key-text.js";
import { createLogger } from "../../src/http/request-log.js";
import { createService, type Service } from "../../src/service/create-service.js";
import type { KeyStore } from "../../src/storage/key-store.js";
import type { Store } from "../../src/storage/store.js";
import {
  START_TIME,
  startTestService,
  type TestCall,
  type TestService,
} from "../support/service.js";
import { openTestStore } from "../support/test-store.js";

const HOUR_MS = 3_600_000;
const path = "/console/v1/session";
const gates = "/console/v1/gates";
const fromPage = { "x-switchyard-page": "1" };

let now: number;
let store: Store;
let service: TestService;
beforeEach(async () => {
  now = START_TIME;
  store = await openTestStore();
  service = await startTestService({ store, currentTime: () => now });
});
afterEach(() => service.close());

interface Who {
  readonly keyID: string;
}

const signIn = (body: object, headers: TestCall["headers"] = {}) =>
  service.call<Who>({ method: "POST", path, body, key: null, headers });

/** Signs in and returns the cookie as a browser sends it back. */
async function cookieOf(body: object, headers: TestCall["headers"] = {}): Promise<string> {
  const answer = await signIn(body, headers);
  expect(answer.status).toBe(200);
  return String(answer.headers["set-cookie"]).split(";", 1)[0] ?? "";
}

const withCookie = (cookie: string, call: TestCall) =>
  service.call({ ...call, key: null, headers: { cookie, ...call.headers } });

async function newKey(facts: Partial<NewKeyFacts> = {}): Promise<{ key: string; id: string }> {
  const key = newKeyText("console");
  const record = keyRecord(key, { kind: "console", createdTime: now, ...facts });
  await store.keys.insert(record);
  return { key, id: record.id };
}

describe("signing in with a key", () => {
  it("answers who it is and sets a cookie that scripts and other sites cannot use", async () => {
    const { key, id } = await newKey({ name: "Ann", owner: "ann@example.com" });
    const { status, headers, json } = await signIn({ key });
    expect([status, json.data]).toEqual([
      200,
      {
        keyID: id,
        name: "Ann",
        owner: "ann@example.com",
        scopes: ["write"],
        isReadOnly: false,
        expiresTime: START_TIME + 12 * HOUR_MS,
      },
    ]);
    expect(headers["set-cookie"]).toMatch(
      /^switchyard_80=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const { keyHash } = (await store.sessions.find(
      keyDigest(/=([\w-]+)/.exec(String(headers["set-cookie"]))?.[1] ?? "").toString("hex"),
    )) ?? { keyHash: "" };
    expect(keyHash).toBe(keyDigest(key).toString("hex"));
  });

  it("names the port of the service, and asks for HTTPS behind a proxy that has it", async () => {
    const key = service.keys.console;
    const local = await signIn({ key }, { host: "127.0.0.1:8099" });
    expect(local.headers["set-cookie"]).toMatch(/^switchyard_8099=/);
    expect(local.headers["set-cookie"]).not.toContain("Secure");
    const headers = { host: "127.0.0.1:8099", "x-forwarded-proto": "https" };
    const proxied = await signIn({ key }, { ...headers, "x-forwarded-host": "flags.example.com" });
    expect(proxied.headers["set-cookie"]).toMatch(/^switchyard=.*; SameSite=Strict; Secure$/);
  });

  it("ends no later than the key", async () => {
    const { key } = await newKey({ expiresTime: START_TIME + HOUR_MS });
    const { headers, json } = await signIn({ key });
    expect(json.data).toMatchObject({ expiresTime: START_TIME + HOUR_MS });
    expect(headers["set-cookie"]).toContain("Max-Age=3600;");
  });

  it("refuses what is not a console key, in words for people", async () => {
    const { revoked, server } = service.keys;
    const expired = await newKey({ expiresTime: START_TIME });
    const refusal = async (body: object) => {
      const { status, headers, json } = await signIn(body);
      expect(headers).not.toHaveProperty("set-cookie");
      return [status, json.message];
    };
    expect(await refusal({ key: "console-of-somebody-else" })).toEqual([
      401,
      expect.stringContaining("This key is unknown. Copy the whole key"),
    ]);
    expect(await refusal({ key: revoked })).toEqual([401, expect.stringContaining("was revoked")]);
    expect(await refusal({ key: expired.key })).toEqual([401, expect.stringContaining("expired")]);
    expect(await refusal({ key: server })).toEqual([
      401,
      "This key does not open the console. Sign in with a key that begins with console-.",
    ]);
    for (const body of [{}, { key: "a", ticket: "b" }])
      expect((await signIn(body)).status).toBe(400);
  });

  it("limits the attempts, also with tickets", async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 61; count += 1) {
      const body = count % 2 === 0 ? { key: "console-guess" } : { ticket: "guess" };
      statuses.push((await signIn(body)).status);
    }
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401));
    const refused = await signIn({ key: service.keys.console });
    expect([statuses[60], refused.status, refused.headers["retry-after"]]).toEqual([429, 429, "1"]);
    now += 1_000;
    expect((await signIn({ key: service.keys.console })).status).toBe(200);
  });
});

describe("a session", () => {
  it("acts as its key, which is the writer of its changes", async () => {
    const { key } = await newKey({ name: "Ann" });
    const cookie = await cookieOf({ key });
    const made = await withCookie(cookie, {
      method: "POST",
      path: gates,
      body: { name: "by_ann" },
      headers: fromPage,
    });
    expect(made).toMatchObject({ status: 201, json: { data: { creatorName: "Ann" } } });
    const who = await withCookie(cookie, { path });
    expect(who.json.data).toMatchObject({ name: "Ann", expiresTime: START_TIME + 12 * HOUR_MS });
  });

  it("opens only the console API", async () => {
    const cookie = await cookieOf({ key: service.keys.console });
    const headers = fromPage;
    const check = { method: "POST", path: "/v1/check_gate", headers, body: {} } as const;
    expect((await withCookie(cookie, check)).status).toBe(401);
    const event = { method: "POST", path: "/v1/webhooks/event_webhook", headers } as const;
    expect((await withCookie(cookie, { ...event, body: { event: "e" } })).status).toBe(401);
  });

  it("does not help a request whose key is wrong", async () => {
    const cookie = await cookieOf({ key: service.keys.console });
    const { status, json } = await service.call({ path: gates, key: "wrong", headers: { cookie } });
    expect([status, json.message]).toEqual([401, expect.stringContaining("is unknown")]);
  });

  it("of a read-only key reads, and neither writes nor creates keys; it can sign out", async () => {
    const cookie = await cookieOf({ key: service.keys.readOnly });
    expect((await withCookie(cookie, { path })).json.data).toMatchObject({ isReadOnly: true });
    expect((await withCookie(cookie, { path: gates })).status).toBe(200);
    const write = {
      method: "POST",
      path: gates,
      body: { name: "abc" },
      headers: fromPage,
    } as const;
    const { status, json } = await withCookie(cookie, write);
    expect([status, json.message]).toEqual([403, expect.stringContaining("is read-only")]);
    const signOut = { method: "DELETE", path, headers: fromPage } as const;
    expect((await withCookie(cookie, signOut)).status).toBe(200);
  });

  it("ends with its key at once", async () => {
    const { key, id } = await newKey();
    const cookie = await cookieOf({ key });
    expect((await withCookie(cookie, { path: gates })).status).toBe(200);
    await store.keys.revoke(id, now);
    const { status, json } = await withCookie(cookie, { path: gates });
    expect([status, json.message]).toEqual([401, expect.stringContaining("was revoked at")]);
  });

  it("ends after 12 hours", async () => {
    const cookie = await cookieOf({ key: service.keys.console });
    now += 12 * HOUR_MS - 1;
    expect((await withCookie(cookie, { path: gates })).status).toBe(200);
    now += 1;
    const { status, json } = await withCookie(cookie, { path: gates });
    expect([status, json.message]).toEqual([
      401,
      "You are signed out: the session has ended or expired. Sign in again.",
    ]);
  });

  it("ends when its holder signs out, and the cookie is removed", async () => {
    const cookie = await cookieOf({ key: service.keys.console });
    const other = await cookieOf({ key: service.keys.console });
    const signOut = { method: "DELETE", path, headers: fromPage } as const;
    const { status, headers } = await withCookie(cookie, signOut);
    expect([status, headers["set-cookie"]]).toEqual([
      200,
      "switchyard_80=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
    ]);
    expect((await withCookie(cookie, { path: gates })).status).toBe(401);
    expect((await withCookie(other, { path: gates })).status).toBe(200);
    expect(await service.call({ method: "DELETE", path })).toMatchObject({ status: 400 });
  });

  it("is not that of a service on another port", async () => {
    const cookie = await cookieOf({ key: service.keys.console }, { host: "127.0.0.1:8001" });
    const call = (host: string) => withCookie(cookie, { path: gates, headers: { host } });
    expect((await call("127.0.0.1:8001")).status).toBe(200);
    const { status, json } = await call("127.0.0.1:8002");
    expect([status, json.message]).toEqual([401, expect.stringContaining("A key is missing")]);
  });

  it("outlives a restart of the service", async () => {
    const cookie = await cookieOf({ key: service.keys.console });
    const second = createService({ logger: createLogger("fatal"), currentTime: () => now });
    second.open(store);
    const { statusCode } = await second.http.inject({ url: gates, headers: { cookie } });
    await second.http.close();
    expect(statusCode).toBe(200);
  });

  it("is not in the log", async () => {
    const cookie = await cookieOf({ key: service.keys.console });
    await withCookie(cookie, { path: gates });
    const token = cookie.split("=")[1] ?? "";
    expect(token).toHaveLength(43);
    expect(service.log.join("\n")).not.toContain(token.slice(0, 8));
  });
});

describe("another page", () => {
  const write = { method: "POST", path: gates, body: { name: "forged" } } as const;

  it("cannot write with the cookie", async () => {
    const cookie = await cookieOf({ key: service.keys.console });
    const refusal = async (headers: TestCall["headers"] = {}) =>
      (await withCookie(cookie, { ...write, headers })).json;
    expect(await refusal()).toMatchObject({
      status: 403,
      message: expect.stringContaining("needs the header x-switchyard-page: 1"),
    });
    for (const site of ["cross-site", "same-site", "none"]) {
      const message = `The request comes from another page (${site}): open the console itself.`;
      const given = { ...fromPage, "sec-fetch-site": site };
      expect(await refusal(given)).toMatchObject({ status: 403, message });
    }
    const own = { ...write, headers: { ...fromPage, "sec-fetch-site": "same-origin" } };
    expect((await withCookie(cookie, own)).status).toBe(201);
  });

  it("is not allowed the header that a write needs", async () => {
    const { status, headers } = await service.call({
      method: "OPTIONS",
      path: gates,
      key: null,
      headers: {
        origin: "https://evil.example",
        "access-control-request-headers": "x-switchyard-page",
      },
    });
    expect(status).toBe(204);
    expect(headers).not.toHaveProperty("access-control-allow-origin");
    expect(headers).not.toHaveProperty("access-control-allow-headers");
  });

  it("cannot sign its visitors in", async () => {
    const body = { key: service.keys.console };
    const { status, headers } = await signIn(body, { "sec-fetch-site": "cross-site" });
    expect([status, headers["set-cookie"]]).toEqual([403, undefined]);
  });

  it("does not matter to a request with a key", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await service.call({ ...write, headers })).status).toBe(201);
  });
});

describe("a ticket", () => {
  const ticketOf = (keyHash?: string) => (service.app as Service).newSignInTicket(keyHash);

  it("signs in once, with a new key that can be listed and revoked", async () => {
    const ticket = ticketOf();
    const { json, headers } = await signIn({ ticket });
    const expiresTime = START_TIME + 12 * HOUR_MS;
    expect(json.data).toMatchObject({ name: "Sign-in link", scopes: ["write"], expiresTime });
    expect(headers["set-cookie"]).toContain("switchyard_80=");
    const listed = (await store.keys.list()).find(({ id }) => id === json.data.keyID);
    expect(listed).toMatchObject({ kind: "console", name: "Sign-in link", expiresTime });
    const again = await signIn({ ticket });
    expect([again.status, again.json.message]).toEqual([
      401,
      expect.stringContaining("This link cannot sign you in"),
    ]);
  });

  it("is refused after 15 minutes", async () => {
    const [late, soon] = [ticketOf(), ticketOf()];
    now += HOUR_MS / 4 - 1;
    expect((await signIn({ ticket: soon })).status).toBe(200);
    now += 1;
    expect((await signIn({ ticket: late })).status).toBe(401);
  });

  it("of a key signs in with it, also where the key is not stored", async () => {
    const key = newKeyText("console");
    const record = keyRecord(key, { kind: "console", createdTime: now, name: "Passing" });
    const keys: KeyStore = {
      find: async (hash) => (hash === record.hash ? record : store.keys.find(hash)),
      list: () => store.keys.list(),
      insert: (one) => store.keys.insert(one),
      noteUse: (one, time) => store.keys.noteUse(one, time),
      revoke: (id, time) => store.keys.revoke(id, time),
    };
    const before = await store.keys.list();
    const app = createService({ logger: createLogger("fatal"), currentTime: () => now });
    app.open({ ...store, keys });
    const payload = { ticket: app.newSignInTicket(record.hash) };
    const signed = await app.http.inject({ method: "POST", url: path, payload });
    expect(signed.json()).toMatchObject({ data: { keyID: record.id, name: "Passing" } });
    const cookie = String(signed.headers["set-cookie"]).split(";", 1)[0] ?? "";
    expect((await app.http.inject({ url: gates, headers: { cookie } })).statusCode).toBe(200);
    await app.http.close();
    expect(await store.keys.list()).toEqual(before);
    // The key ends with its process.
    expect((await withCookie(cookie, { path: gates })).status).toBe(401);
  });
});
