import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry, PropertyChange } from "../../src/contract/audit-log.js";
import type { Key, NewKey } from "../../src/contract/key.js";
import { keyRecord, newKeyText } from "../../src/http/key-text.js";
import { START_TIME, startTestService, type TestService } from "../support/service.js";

const path = "/console/v1/keys";
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ currentTime: () => START_TIME });
});
afterAll(() => service.close());

async function keyWith(...scopes: readonly string[]): Promise<string> {
  const key = newKeyText("console");
  const facts = { kind: "console", createdTime: START_TIME, scopes } as const;
  await service.store.keys.insert(keyRecord(key, facts));
  return key;
}

const create = (body: Partial<NewKey>, key = service.keys.console) =>
  service.call<Key & { readonly key: unknown }>({ method: "POST", path, body, key });

describe("a new key", () => {
  it("is shown once, opens what it says, and is listed without itself", async () => {
    const facts = {
      kind: "console",
      name: "CI",
      owner: "ops@example.com",
      scopes: ["gates:write"],
      expiresTime: START_TIME + 1_000,
      requestsPerMinuteMax: 60,
    } as const;
    const { status, json } = await create({ ...facts, scopes: ["gates:write"] });
    expect(status).toBe(201);
    const { key, ...shown } = json.data;
    expect(key).toMatch(/^console-[\w-]{43}$/);
    expect(shown).toEqual({
      ...facts,
      id: expect.stringMatching(/^key_/),
      prefix: "console-",
      type: "CONSOLE",
      description: "CI",
      targetApp: null,
      status: "active",
      createdTime: START_TIME,
      lastUsedTime: null,
      revokedTime: null,
    });
    const gates = await service.call({ path: "/console/v1/gates", key: String(key) });
    expect(gates.status).toBe(200);
    expect((await service.call({ path: "/console/v1/tags", key: String(key) })).status).toBe(403);
    const listed = await service.call<readonly Key[]>({ path });
    const found = listed.json.data.find(({ id }) => id === shown.id);
    // The use may be written a moment later.
    expect({ ...found, lastUsedTime: null }).toEqual({ ...shown, key: null });
  });

  it("has the widest rights by default, as on the command line", async () => {
    expect((await create({ kind: "console" })).json.data).toMatchObject({
      name: "CONSOLE API",
      scopes: ["write"],
      expiresTime: null,
    });
    const server = await create({ kind: "client", targetApp: "web" });
    expect(server.json.data).toMatchObject({ kind: "client", scopes: [], targetApp: "web" });
  });

  it.each<[Partial<NewKey>, string, string]>([
    [{}, "kind", "Required"],
    [{ kind: "console", name: " CI" }, "name", "Must be one line"],
    [{ kind: "console", name: "CI\u202Etixe" }, "name", "Must be one line"],
    [{ kind: "console", owner: "" }, "owner", "at least 1"],
    [{ kind: "console", scopes: [] }, "scopes", "at least 1"],
    [{ kind: "console", scopes: ["gate:write"] }, "scopes[0]", "did you mean gates:write?"],
    [{ kind: "server", scopes: ["read"] }, "scopes", "which a server secret does not open"],
    [{ kind: "console", targetApp: "web" }, "targetApp", "every app"],
    [{ kind: "console", expiresTime: START_TIME }, "expiresTime", "is in the past"],
    [{ kind: "console", requestsPerMinuteMax: 0 }, "requestsPerMinuteMax", "at least 1"],
  ])("is refused for %j", async (body, property, message) => {
    const { status, json } = await create(body);
    expect(status).toBe(400);
    expect(json.errors).toEqual([{ property, errorMessage: expect.stringContaining(message) }]);
  });

  it.each([
    [0, "Must be at least 1"],
    [1_000_001, "Must be at most 1000000"],
    [1.5, "Expected integer, received float"],
    ["many", "Expected number, received string"],
  ])("says what is wrong with a limit of %j requests", async (limit, errorMessage) => {
    const body = { kind: "console", requestsPerMinuteMax: limit } as Partial<NewKey>;
    const { json } = await create(body);
    expect(json.errors).toEqual([{ property: "requestsPerMinuteMax", errorMessage }]);
  });

  it("is not stored by a rehearsal, nor is a key revoked by one", async () => {
    const path = "/console/v1/keys";
    const keys = async () => (await service.call<readonly Key[]>({ path })).json.data;
    const before = await keys();
    const body = { kind: "console", name: "CI" };
    const rehearsal = { method: "POST", path: `${path}?dryRun=true`, body } as const;
    const { status, json } = await service.call<Key>(rehearsal);
    expect([status, json.data]).toMatchObject([201, { name: "CI", key: null, prefix: "console-" }]);
    const [own] = before;
    const revocation = { method: "DELETE", path: `${path}/${own?.id}?dryRun=true` } as const;
    const revoked = await service.call<Key>(revocation);
    expect([revoked.status, revoked.json.data]).toMatchObject([200, { status: "deactivated" }]);
    expect(await keys()).toEqual(before);
    const none = { method: "DELETE", path: `${path}/none?dryRun=true` } as const;
    expect((await service.call(none)).status).toBe(404);
  });
});

describe("the list of keys", () => {
  it("calls a key that has expired deactivated", async () => {
    const facts = { kind: "console", createdTime: START_TIME - 2, name: "Old" } as const;
    const record = keyRecord(newKeyText("console"), { ...facts, expiresTime: START_TIME - 1 });
    await service.store.keys.insert(record);
    const { json } = await service.call<readonly Key[]>({ path });
    const found = json.data.find(({ id }) => id === record.id);
    expect(found).toMatchObject({ status: "deactivated", revokedTime: null });
  });
});

describe("a key gives only what it has", () => {
  const console = (...scopes: string[]) => ({ kind: "console", scopes }) as const;

  it.each<[readonly string[], Partial<NewKey>, number]>([
    [["write"], { kind: "server" }, 201],
    [["write"], console("read", "tags:write"), 201],
    [["keys:write", "read"], console("read", "gates:read"), 201],
    [["keys:write", "gates:write"], console("gates:write", "gates:read", "keys:write"), 201],
    [["keys:write"], console("write"), 403],
    [["keys:write"], { kind: "console" }, 403],
    [["keys:write", "read"], console("gates:write"), 403],
    [["keys:write", "gates:read"], console("read"), 403],
    [["keys:write", "read"], { kind: "server" }, 403],
    [["keys:write", "read"], { kind: "client" }, 403],
    [["read"], console("read"), 403],
    [["gates:write"], console("gates:read"), 403],
  ])("%j creates %j: %i", async (scopes, body, status) => {
    const before = (await service.store.keys.list()).length;
    const key = await keyWith(...scopes);
    expect((await create(body, key)).status).toBe(status);
    const made = (await service.store.keys.list()).length - before - 1;
    expect(made).toBe(status === 201 ? 1 : 0);
  });

  it("says which scopes are missing", async () => {
    const key = await keyWith("keys:write", "read");
    expect((await create(console("write", "read"), key)).json.message).toBe(
      "Your key has the scopes keys:write, read, and cannot give write: give fewer rights, or use another key.",
    );
  });

  it("also with the cookie of a session", async () => {
    const signIn = { method: "POST", path: "/console/v1/session", key: null } as const;
    const { headers } = await service.call({ ...signIn, body: { key: service.keys.readOnly } });
    const cookie = String(headers["set-cookie"]).split(";", 1)[0] ?? "";
    const stolen = { cookie, "x-switchyard-page": "1", "sec-fetch-site": "same-origin" };
    const body = console("read");
    const call = { method: "POST", path, key: null, body, headers: stolen } as const;
    expect((await service.call(call)).status).toBe(403);
  });
});

describe("revoking", () => {
  it("refuses the key from then on, and can be repeated", async () => {
    const { key, id } = (await create({ kind: "console" })).json.data;
    const revoke = () => service.call<Key>({ method: "DELETE", path: `${path}/${id}` });
    for (const answer of [await revoke(), await revoke()]) {
      expect(answer).toMatchObject({
        status: 200,
        json: { data: { id, status: "deactivated", revokedTime: START_TIME } },
      });
    }
    expect((await service.call({ path, key: String(key) })).status).toBe(401);
    const unknown = await service.call({ method: "DELETE", path: `${path}/key_of_nobody` });
    expect([unknown.status, unknown.json.message]).toEqual([404, "Key not found."]);
  });

  it("and creating are in the audit log, with their changes and without keys", async () => {
    const body = { kind: "console" as const, scopes: ["gates:read"] };
    const { key, id } = (await create(body)).json.data;
    await service.call({ method: "DELETE", path: `${path}/${id}` });
    await service.call({ method: "DELETE", path: `${path}/${id}` });
    const log = `/console/v1/audit_logs?entityType=key&entityID=${id}`;
    const { data } = (await service.call<readonly AuditEntry[]>({ path: log })).json;
    const by = { entityID: id, updatedBy: "CONSOLE API", updatedByKeyID: expect.any(String) };
    expect(data).toMatchObject([
      { ...by, actionType: "update", fromVersion: 1, toVersion: 2 },
      { ...by, actionType: "create", fromVersion: null, toVersion: 1 },
    ]);
    const changed = await Promise.all(
      data.map(async ({ id: entry }) => {
        const { json } = await service.call<{ changes: readonly PropertyChange[] }>({
          path: `/console/v1/audit_logs/${entry}`,
        });
        expect(JSON.stringify(json)).not.toContain(String(key).slice(8));
        return json.data.changes.map(({ property, after }) => [property, after]);
      }),
    );
    expect(changed[0]).toEqual([["revokedTime", START_TIME]]);
    expect(changed[1]).toContainEqual(["scopes", ["gates:read"]]);
  });

  it("and creating change nothing that SDKs read", async () => {
    const specs = async () => {
      const path = `/v1/download_config_specs/${service.keys.server}.json`;
      const { json } = await service.call({ path, key: null });
      return (json as unknown as { readonly time: number }).time;
    };
    const time = await specs();
    const { id } = (await create({ kind: "console" })).json.data;
    await service.call({ method: "DELETE", path: `${path}/${id}` });
    expect(await specs()).toBe(time);
    await service.call({
      method: "POST",
      path: "/console/v1/gates",
      body: { name: `after ${id}` },
    });
    expect(await specs()).toBeGreaterThan(time);
  });

  it("and creating are in the log, with the key that did it and without keys", async () => {
    const { key, id } = (await create({ kind: "console" })).json.data;
    await service.call({ method: "DELETE", path: `${path}/${id}` });
    const lines = service.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const facts = lines.filter(({ msg, keyId }) => /^Key /.test(String(msg)) && keyId === id);
    expect(facts.map(({ msg }) => msg)).toEqual(["Key created", "Key revoked"]);
    expect(facts.every(({ byKeyId }) => /^key_/.test(String(byKeyId)))).toBe(true);
    expect(service.log.join("\n")).not.toContain(String(key).slice(8));
  });
});
