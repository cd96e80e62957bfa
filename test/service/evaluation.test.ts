import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyRecord, newKeyText } from "../../src/http/key-text.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

function ask(path: string, body: unknown, options: object = {}) {
  return service.call({ method: "POST", path, key: service.keys.client, body, ...options });
}

async function createGate(name: string, rules: readonly object[], rest: object = {}) {
  const body = { name, rules, ...rest };
  const { status } = await service.call({ method: "POST", path: "/console/v1/gates", body });
  expect(status).toBe(201);
}

const everyone = { name: "all", passPercentage: 100, conditions: [{ type: "public" }] };
const staff = {
  name: "staff",
  id: "staff",
  passPercentage: 100,
  conditions: [{ type: "email", operator: "str_ends_with_any", targetValue: ["@corp.com"] }],
};

describe("POST /v1/check_gate", () => {
  it("answers with the rule that decided, and with a reason", async () => {
    await createGate("beta", [staff]);
    const { status, json } = await ask("/v1/check_gate", {
      gateName: "beta",
      user: { userID: 7, email: "ann@corp.com" },
    });
    expect([status, json]).toEqual([
      200,
      {
        name: "beta",
        value: true,
        rule_id: "staff",
        ruleID: "staff",
        group_name: "staff",
        reason: "TARGETING_MATCH",
      },
    ]);
  });

  it("answers a map for several gates, and false for one that does not exist", async () => {
    await createGate("open", [everyone]);
    const { json } = await ask("/v1/check_gate", {
      gateNames: ["open", "absent"],
      user: { userID: "u" },
    });
    expect(json).toMatchObject({
      open: { value: true, reason: "STATIC" },
      absent: { value: false, rule_id: "", reason: "UNKNOWN" },
    });
  });

  it("sees every change at once, also of what a gate refers to", async () => {
    await createGate("inner", [everyone]);
    await createGate("outer", [
      { ...everyone, conditions: [{ type: "passes_gate", targetValue: "inner" }] },
    ]);
    const value = async () =>
      (await ask("/v1/check_gate", { gateName: "outer", user: { userID: "u" } })).json;
    expect(await value()).toMatchObject({ value: true });
    await service.call({ method: "PUT", path: "/console/v1/gates/inner/disable" });
    expect(await value()).toMatchObject({ value: false, reason: "DEFAULT" });
  });

  it("names a condition that SDKs do not support", async () => {
    const unsupported = { type: "email", operator: "is_null" };
    await createGate("odd", [{ ...everyone, conditions: [unsupported] }]);
    const { json } = await ask("/v1/check_gate", { gateName: "odd", user: { userID: "u" } });
    expect(json).toMatchObject({ value: false, rule_id: "", reason: "ERROR" });
  });

  it("refuses a body without a gate or a user", async () => {
    expect(await ask("/v1/check_gate", { user: {} })).toMatchObject({ status: 400 });
    expect(await ask("/v1/check_gate", { gateName: "beta" })).toMatchObject({ status: 400 });
  });

  it("stores what users got, once a minute, without private attributes", async () => {
    await createGate("beta", [staff]);
    const user = { userID: "u", privateAttributes: { email: "ann@corp.com" } };
    for (let time = 0; time < 3; time += 1) await ask("/v1/check_gate", { gateName: "beta", user });
    await service.app.http.close();
    const { items } = await service.store.events.list({
      day: undefined,
      event: undefined,
      cursor: undefined,
      limit: 10,
    });
    expect(items.map(({ body }) => JSON.parse(body))).toEqual([
      {
        event: "statsig::gate_exposure",
        user: { userID: "u" },
        timestamp: expect.any(Number),
        metadata: { gate: "beta", gateValue: "true", ruleID: "staff" },
      },
    ]);
  });
});

describe("POST /v1/get_config", () => {
  it("answers with the value of a rule, and {} for an unknown config", async () => {
    const rule = { ...everyone, returnValue: { color: "red" } };
    const body = { name: "colors", rules: [rule], defaultValue: { color: "grey" } };
    await service.call({ method: "POST", path: "/console/v1/dynamic_configs", body });
    const user = { userID: "u" };
    expect((await ask("/v1/get_config", { configName: "colors", user })).json).toMatchObject({
      name: "colors",
      value: { color: "red" },
      group_name: "all",
      reason: "STATIC",
    });
    expect((await ask("/v1/get_config", { configName: "absent", user })).json).toEqual({
      name: "absent",
      value: {},
      group: "",
      rule_id: null,
      ruleID: "",
      group_name: null,
      reason: "UNKNOWN",
    });
  });
});

describe("POST /v1/get_layer", () => {
  it("answers 404 for an unknown layer", async () => {
    const { status, json } = await ask("/v1/get_layer", { layerName: "absent", user: {} });
    expect([status, json.message]).toEqual([404, "Layer absent not found"]);
  });

  it("answers with the group of the experiment that has the user", async () => {
    const path = "/console/v1/experiments";
    const groups = [{ name: "Test", size: 100, parameterValues: { color: "red" } }];
    const body = { name: "colors", layerID: "page", groups };
    expect((await service.call({ method: "POST", path, body })).status).toBe(201);
    await service.call({ method: "PUT", path: `${path}/colors/start` });
    const { json } = await ask("/v1/get_layer", { layerName: "page", user: { userID: "u" } });
    expect(json).toMatchObject({
      value: { color: "red" },
      group_name: "Test",
      allocatedExperimentName: "colors",
    });
  });
});

describe("the key of an SDK", () => {
  const body = { gateName: "beta", user: { userID: "u" } };

  it.each([
    ["statsig-api-key", (key: string) => ({ headers: { "statsig-api-key": key } })],
    ["X-API-Key", (key: string) => ({ headers: { "x-api-key": key } })],
    ["a bearer", (key: string) => ({ headers: { authorization: `Bearer ${key}` } })],
    ["the query", (key: string) => ({ path: `/v1/check_gate?k=${key}&st=js&sv=3` })],
  ])("may be in %s", async (_place, put) => {
    for (const key of [service.keys.client, service.keys.server]) {
      const { status } = await ask("/v1/check_gate", body, { key: null, ...put(key) });
      expect(status).toBe(200);
    }
    const wrong = put(service.keys.console);
    expect((await ask("/v1/check_gate", body, { key: null, ...wrong })).status).toBe(401);
  });

  it("is neither logged nor echoed", async () => {
    const { server, client } = service.keys;
    await service.call({ path: `/v1/download_config_specs/${server}.json`, key: null });
    await service.call({ path: `/v9/download_config_specs/${server}.json`, key: null });
    await service.call({ path: `/v1/download_config_specs/${client}.json`, key: null });
    await ask(`/v1/initialize?k=${client}`, "{", { key: null });
    expect(service.log.length).toBeGreaterThan(3);
    for (const key of [server, client]) expect(service.log.join("\n")).not.toContain(key.slice(8));
  });

  it("of a client opens nothing else", async () => {
    const { client } = service.keys;
    const event = { event: "a" };
    const path = "/v1/webhooks/event_webhook";
    expect((await service.call({ method: "POST", path, key: client, body: event })).status).toBe(
      401,
    );
    expect((await service.call({ path: "/console/v1/gates", key: client })).status).toBe(401);
    const specs = `/v1/download_config_specs/${client}.json`;
    expect((await service.call({ path: specs, key: null })).status).toBe(401);
  });
});

describe("the key of an app", () => {
  it("sees the entities that name it, and what these need to be evaluated", async () => {
    await createGate("inner", [everyone]);
    const passesInner = { type: "passes_gate", targetValue: "inner" };
    await createGate("web_gate", [{ ...everyone, conditions: [passesInner] }], {
      targetApps: ["web"],
    });
    await createGate("ios_gate", [everyone], { targetApps: ["ios"] });
    const keyOf = async (kind: "client" | "server") => {
      const key = newKeyText(kind);
      const facts = { kind, targetApp: "web", createdTime: 0 };
      await service.store.keys.insert(keyRecord(key, facts));
      return key;
    };
    const key = await keyOf("client");
    const user = { userID: "u" };
    const gateNames = ["inner", "web_gate", "ios_gate"];
    expect((await ask("/v1/check_gate", { gateNames, user }, { key })).json).toMatchObject({
      inner: { value: false, reason: "UNKNOWN" },
      web_gate: { value: true },
      ios_gate: { value: false, reason: "UNKNOWN" },
    });
    const { json } = await ask("/v1/initialize", { user, hash: "none" }, { key });
    const { feature_gates } = json as unknown as { readonly feature_gates: object };
    expect(Object.keys(feature_gates)).toEqual(["web_gate"]);
    const secret = await keyOf("server");
    const path = `/v1/download_config_specs/${secret}.json`;
    expect((await service.call({ path, key: null })).json).toMatchObject({
      app_id: "web",
      feature_gates: [{ name: "inner" }, { name: "web_gate" }],
    });
    expect((await ask("/v1/check_gate", { gateNames, user })).json).toMatchObject({
      inner: { value: true },
      ios_gate: { value: true },
    });
  });
});

describe("a body of an SDK in a browser", () => {
  const reversed = (text: string) =>
    Buffer.from(text, "latin1").toString("base64").split("").reverse().join("");
  const text = JSON.stringify({ user: { userID: "ü" }, gateName: "beta" });

  it.each([
    ["plain", "", text],
    ["in reversed base64", "?se=1", reversed(text)],
    ["in gzip", "?gz=1", gzipSync(text)],
    ["in both", "?se=1&gz=1", gzipSync(reversed(text))],
  ])("is read %s, as text/plain", async (_form, query, body) => {
    await createGate("beta", [
      { ...everyone, conditions: [{ type: "user_id", operator: "any", targetValue: ["ü"] }] },
    ]);
    const headers = { "content-type": "text/plain;charset=UTF-8" };
    const { status, json } = await ask(`/v1/check_gate${query}`, body, { headers });
    expect([status, json]).toMatchObject([200, { value: true }]);
  });

  it("is read in reversed base64 that a header names, as earlier SDKs do", async () => {
    const headers = { "content-type": "text/plain;charset=UTF-8", "statsig-encoded": "1" };
    const answer = await ask("/v1/initialize", reversed(text), { headers });
    expect([answer.status, answer.json]).toMatchObject([200, { user: { userID: "ü" } }]);
  });
});

describe("GET /v1/download_config_specs/{key}", () => {
  it("answers once with a document, then that nothing is new until something changes", async () => {
    await createGate("beta", [staff]);
    const path = `/v1/download_config_specs/${service.keys.server}.json`;
    const poll = async (query = "") =>
      (await service.call({ path: `${path}${query}`, key: null })).json as unknown as {
        readonly has_updates: boolean;
        readonly time: number;
        readonly feature_gates: readonly { readonly name: string; readonly rules: unknown[] }[];
      };
    const first = await poll();
    expect(first).toMatchObject({ has_updates: true, feature_gates: [{ name: "beta" }] });
    expect(await poll(`?sinceTime=${first.time}`)).toEqual({ has_updates: false });
    await service.call({ method: "PUT", path: "/console/v1/gates/beta/disable" });
    const second = await poll(`?sinceTime=${first.time}`);
    expect(second.time).toBeGreaterThan(first.time);
    // An SDK that ignores `enabled` finds no rule.
    expect(second.feature_gates).toMatchObject([{ name: "beta", enabled: false, rules: [] }]);
    await service.call({ method: "DELETE", path: "/console/v1/gates/beta" });
    const third = await poll(`?sinceTime=${second.time}`);
    expect(third.time).toBeGreaterThan(second.time);
    expect(third.feature_gates).toEqual([]);
  });

  it("answers the same to earlier SDKs, which POST with the key in a header", async () => {
    await createGate("beta", [staff]);
    const { server, client } = service.keys;
    const path = "/v1/download_config_specs";
    const key = { key: null, headers: { "statsig-api-key": server } };
    const answer = await ask(path, { statsigMetadata: {} }, key);
    const { json } = await service.call({ path: `${path}/${server}.json`, key: null });
    expect(answer.json).toEqual(json);
    const { time: sinceTime } = json as unknown as { readonly time: number };
    expect((await ask(path, { sinceTime }, key)).json).toEqual({ has_updates: false });
    const wrong = { key: null, headers: { "statsig-api-key": client } };
    expect((await ask(path, {}, wrong)).status).toBe(401);
  });

  it("answers 304 to the ETag of the document", async () => {
    const path = `/v2/download_config_specs/${service.keys.server}.json`;
    const { headers } = await service.call({ path, key: null });
    const known = { "if-none-match": String(headers["etag"]) };
    expect(await service.call({ path, key: null, headers: known })).toMatchObject({ status: 304 });
  });
});

describe("POST /v1/get_id_lists", () => {
  it("answers addresses that the client can reach, with what is in the files", async () => {
    const path = "/console/v1/segments";
    await service.call({ method: "POST", path, body: { name: "staff", type: "id_list" } });
    const ids = { ids: ["u1", "u2"] };
    await service.call({ method: "PATCH", path: `${path}/staff/id_list`, body: ids });
    const lists = async (headers: Record<string, string>) => {
      const { json } = await service.call({
        method: "POST",
        path: "/v1/get_id_lists",
        key: service.keys.server,
        headers,
      });
      return (json as unknown as { readonly staff: { readonly url: string } }).staff;
    };
    const list = await lists({});
    expect(list).toMatchObject({ name: "staff", size: 20, fileID: expect.any(String) });
    expect(list.url).toMatch(/^http:\/\/localhost(:80)?\/v1\/id_lists\//);
    const forwarded = {
      "x-forwarded-proto": "https",
      "x-forwarded-host": "flags.example.com",
    };
    expect((await lists(forwarded)).url).toMatch(/^https:\/\/flags\.example\.com\/v1\/id_lists\//);
    const file = new URL(list.url).pathname;
    const read = async (range?: string) => {
      const headers = range === undefined ? {} : { range };
      return service.app.http.inject({ url: file, headers });
    };
    const whole = await read();
    expect([whole.statusCode, whole.payload.length]).toEqual([200, 20]);
    const end = await read("bytes=10-");
    expect([end.statusCode, end.headers["content-range"]]).toEqual([206, "bytes 10-19/20"]);
    expect(end.payload).toBe(whole.payload.slice(10));
    expect((await read("bytes=20-")).statusCode).toBe(416);
  });
});

describe("POST /v1/initialize", () => {
  it("answers everything for a user by hashed names, without private attributes", async () => {
    await createGate("beta", [staff]);
    const user = { userID: "u", privateAttributes: { email: "ann@corp.com" } };
    const { json } = await ask("/v1/initialize", { user, hash: "djb2" });
    expect(json).toMatchObject({
      has_updates: true,
      hash_used: "djb2",
      user: { userID: "u" },
      evaluated_keys: { userID: "u" },
      feature_gates: { "3020272": { name: "3020272", value: true, rule_id: "staff" } },
    });
    expect(JSON.stringify(json)).not.toContain("ann@corp.com");
  });
});
