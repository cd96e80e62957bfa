import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { refusal } from "../support/refusal.js";
import { startTestService, type TestService } from "../support/service.js";

const path = "/v1/events";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const events = [
    { eventName: "a", user: { userID: "u1" } },
    { eventName: "a", user: { userID: "u2", customIDs: { stableID: "d1" } } },
    { eventName: "b", user: { userID: "u3" } },
  ];
  const key = service.keys.server;
  await service.call({ method: "POST", path: "/v1/log_event", key, body: { events } });
});
afterEach(() => service.close());

const remove = (query: string, key = service.keys.console) =>
  service.call({ method: "DELETE", path: `${path}${query}`, key });
const listed = async () => (await service.call<readonly unknown[]>({ path })).json.data.length;

describe("DELETE /v1/events", () => {
  it("deletes the events of a person and answers how many", async () => {
    const { status, json } = await remove("?userID=u1&stableID=d1");
    expect([status, json]).toEqual([
      200,
      { message: "Events deleted successfully.", data: { events: 2 } },
    ]);
    expect(await listed()).toBe(1);
    expect((await remove("?userID=u1&stableID=d1")).json.data).toEqual({ events: 0 });
  });

  it("deletes the events that a list of the person shows, whatever the form of the ids", async () => {
    const events = [
      { eventName: "n", user: { userID: 4711 } },
      { eventName: "n", user: { userID: "u9", customIDs: { stableID: 815 } } },
    ];
    const key = service.keys.server;
    await service.call({ method: "POST", path: "/v1/log_event", key, body: { events } });
    const body = { gateName: "g", user: { userID: 4711, customIDs: { stableID: "815" } } };
    await service.call({ method: "POST", path: "/v1/check_gate", key, body });
    const count = async (query: string) =>
      (await service.call<readonly unknown[]>({ path: `${path}${query}` })).json.data.length;
    await vi.waitFor(async () => expect(await count("?userID=4711")).toBe(2), 5_000);
    expect(await count("?stableID=815")).toBe(2);
    expect(await count("?stableID=d1")).toBe(1);
    expect((await remove("?userID=4711&stableID=815")).json.data).toEqual({ events: 3 });
  });

  it("only counts them with dryRun", async () => {
    expect((await remove("?userID=u1&dryRun=true")).json.data).toEqual({ events: 1 });
    expect(await listed()).toBe(3);
  });

  it("refuses a call without an id, and keys that cannot write", async () => {
    expect(await remove("")).toMatchObject(refusal("userID", "Required, or `stableID`"));
    expect((await remove("?userID=")).status).toBe(400);
    expect((await remove("?userID=u1", service.keys.readOnly)).status).toBe(403);
    expect((await remove("?userID=u1", service.keys.server)).status).toBe(401);
    expect(await listed()).toBe(3);
  });
});

describe("GET /metrics", () => {
  it("shows the sizes of the store", async () => {
    await service.call({ method: "POST", path: "/console/v1/gates", body: { name: "A Gate" } });
    const { json } = await service.call({ path: "/metrics", key: null });
    const lines = String(json).split("\n");
    expect(lines).toContain("switchyard_events 3");
    expect(lines).toContain('switchyard_entities{kind="gate"} 1');
    expect(lines).toContain('switchyard_keys{kind="console"} 2');
    expect(lines).toContain('switchyard_database_free_bytes{database="events"} 0');
    const bytes = lines.find((line) => line.startsWith('switchyard_database_bytes{database="con'));
    expect(Number(bytes?.split(" ")[1])).toBeGreaterThan(4_096);
  });
});
