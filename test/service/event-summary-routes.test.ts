import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EVENT_COUNTS_MAX } from "../../src/http/service-limits.js";
import { startTestService, type TestService } from "../support/service.js";
import { openTestStore } from "../support/test-store.js";

const day = "2024-01-01";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

const post = (body: unknown) =>
  service.call({
    method: "POST",
    path: "/v1/webhooks/event_webhook",
    key: service.keys.server,
    body,
  });

const summary = (query = "") =>
  service.call<unknown>({ path: `/v1/events/summary${query}` }).then(({ json }) => json.data);

describe("GET /v1/events/summary?from&to", () => {
  beforeEach(async () => {
    const on = (date: number, event: string) => ({ event, timestamp: Date.UTC(2024, 0, date) });
    await post([on(2, "b"), on(1, "b"), on(3, "a"), on(2, "a"), on(2, "b")]);
  });

  it("counts by day, then event name", async () => {
    const { status, json } = await service.call({ path: "/v1/events/summary" });
    expect(status).toBe(200);
    expect(json).toEqual({
      message: "Events summarized successfully.",
      data: [
        { day: "2024-01-01", event: "b", count: 1 },
        { day: "2024-01-02", event: "a", count: 1 },
        { day: "2024-01-02", event: "b", count: 2 },
        { day: "2024-01-03", event: "a", count: 1 },
      ],
    });
  });

  it("includes the first day and excludes the last one", async () => {
    const days = async (query: string) =>
      ((await summary(query)) as { day: string }[]).map(({ day }) => day);
    expect(await days("?from=2024-01-02")).toEqual(["2024-01-02", "2024-01-02", "2024-01-03"]);
    expect(await days("?to=2024-01-02")).toEqual(["2024-01-01"]);
    expect(await days("?from=2024-01-02&to=2024-01-03")).toEqual(["2024-01-02", "2024-01-02"]);
    expect(await days("?from=2025-01-01&to=2026-01-01")).toEqual([]);
  });

  it("refuses invalid days and an empty range", async () => {
    const { status, json } = await service.call({ path: "/v1/events/summary?from=2024-02-30" });
    expect([status, json.errors[0]?.property]).toEqual([400, "from"]);
    const empty = await service.call({ path: "/v1/events/summary?from=2024-01-02&to=2024-01-02" });
    expect([empty.status, empty.json.errors[0]?.property]).toEqual([400, "to"]);
  });

  it("asks for fewer days if the answer would be huge", async () => {
    const many = Array.from({ length: EVENT_COUNTS_MAX + 1 }, (_, n) => ({
      day,
      event: `${n}`,
      count: 1,
    }));
    const opened = await openTestStore();
    const store = { ...opened, events: { ...opened.events, counts: async () => many } };
    const busy = await startTestService({ store });
    const { status, json } = await busy.call({ path: "/v1/events/summary" });
    expect([status, json.errors[0]?.errorMessage]).toEqual([
      400,
      "This range has more than 100000 counts: ask for fewer days",
    ]);
    await busy.close();
  });
});

describe("GET /v1/events/summary/days and /names", () => {
  const path = "/v1/events/summary";
  beforeEach(async () => {
    const on = (date: number, event: string) => ({ event, timestamp: Date.UTC(2024, 0, date) });
    await post([on(2, "b"), on(1, "b"), on(3, "a"), on(2, "a"), on(2, "b"), on(3, "Cart")]);
  });

  it("counts by day, of all names or of one", async () => {
    const { status, json } = await service.call({ path: `${path}/days` });
    expect(status).toBe(200);
    expect(json).toEqual({
      message: "Events summarized successfully.",
      data: [
        { day: "2024-01-01", count: 1 },
        { day: "2024-01-02", count: 3 },
        { day: "2024-01-03", count: 2 },
      ],
    });
    expect(await summary("/days?event=b")).toEqual([
      { day: "2024-01-01", count: 1 },
      { day: "2024-01-02", count: 2 },
    ]);
    expect(await summary("/days?event=a&from=2024-01-03")).toEqual([
      { day: "2024-01-03", count: 1 },
    ]);
    expect(await summary("/days?event=no")).toEqual([]);
  });

  it("counts by name, most frequent first, and sums up the names after the limit", async () => {
    const { status, json } = await service.call({ path: `${path}/names?limit=1` });
    expect(status).toBe(200);
    expect(json).toEqual({
      message: "Events summarized successfully.",
      data: [{ event: "b", count: 3 }],
      others: { names: 2, count: 3 },
    });
    expect(await summary("/names?from=2024-01-02&to=2024-01-03")).toEqual([
      { event: "b", count: 2 },
      { event: "a", count: 1 },
    ]);
    expect(await summary("/names?search=A")).toEqual([
      { event: "a", count: 2 },
      { event: "Cart", count: 1 },
    ]);
  });

  it.each([
    ["/days?from=x", "from"],
    ["/days?from=2024-01-02&to=2024-01-02", "to"],
    ["/names?from=2024-01-02&to=2024-01-01", "to"],
    ["/names?limit=0", "limit"],
    ["/names?limit=1001", "limit"],
    ["/days?limit=1", "limit"],
    ["/names?event=a", "event"],
  ])("refuses %s", async (query, property) => {
    const { status, json } = await service.call({ path: `${path}${query}` });
    expect([status, json.errors[0]?.property]).toEqual([400, property]);
  });

  it("asks for fewer days if the answer would be huge", async () => {
    const many = Array.from({ length: EVENT_COUNTS_MAX + 1 }, () => ({ day, count: 1 }));
    const opened = await openTestStore();
    const store = { ...opened, events: { ...opened.events, countDays: async () => many } };
    const busy = await startTestService({ store });
    const { status, json } = await busy.call({ path: `${path}/days` });
    expect([status, json.errors[0]?.property]).toEqual([400, "from"]);
    await busy.close();
  });
});
