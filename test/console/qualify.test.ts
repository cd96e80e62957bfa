import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConsoleClient } from "../../src/console/client.js";
import { applyPlan, type QualifyConsole, readQualifyingEvents } from "../../src/console/qualify.js";
import {
  planQualify,
  type QualifyOptions,
  type QualifyPlan,
} from "../../src/console/qualify-plan.js";
import type { QualifyingEvent } from "../../src/contract/qualifying-event.js";
import { type Fault, startFaultProxy } from "../support/fault-proxy.js";
import { startTestService, type TestService } from "../support/service.js";

const { signal } = new AbortController();
const path = "/console/v1/experiments/qualifying_events";

const options: QualifyOptions = {
  includeEvents: [],
  excludeEvents: [],
  nameTemplate: "{event}",
  sqlTemplate: "SELECT * FROM {table} WHERE event = {event}",
  table: "events",
  timestampColumn: "timestamp",
  tags: ["migrated"],
  isExact: true,
};

const counted = (event: string) => ({
  event,
  rows: 2,
  firstTimestamp: "2026-01-30T00:00:00.000Z",
  lastTimestamp: "2026-01-31T00:00:00.000Z",
});
const events = ["purchase", "it's ☕/tea?", "50% off"].map(counted);

let service: TestService;
let baseUrl: string;

beforeEach(async () => {
  service = await startTestService();
  baseUrl = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
});

afterEach(() => service.close());

function clientWith(key: string) {
  return createConsoleClient({ baseUrl, key, retriesMax: 0 });
}

async function plan(changes: Partial<QualifyOptions> = {}) {
  const found = await readQualifyingEvents(clientWith(service.keys.console), signal);
  return planQualify(events, found, { ...options, ...changes });
}

async function stored(): Promise<readonly QualifyingEvent[]> {
  return (await service.call<QualifyingEvent[]>({ path })).json.data;
}

describe("a plan that is applied", () => {
  it("creates, changes, and then finds nothing to do", async () => {
    const client = clientWith(service.keys.console);
    const created = await applyPlan(await plan(), client, { dryRun: false, signal });
    expect(created).toEqual({
      done: events.map(({ event }) => event),
      failed: [],
      uncertain: [],
      notTried: [],
    });
    expect((await plan()).map(({ action }) => action)).toEqual(events.map(() => "unchanged"));

    const changes = await plan({ table: "other" });
    expect(changes.map(({ action }) => action)).toEqual(events.map(() => "change"));
    await applyPlan(changes, client, { dryRun: false, signal });
    expect((await plan({ table: "other" })).every(({ action }) => action === "unchanged")).toBe(
      true,
    );
    expect((await stored()).map(({ version }) => version)).toEqual([2, 2, 2]);
    expect((await stored()).map(({ sql }) => sql)).toContain(
      "SELECT * FROM other WHERE event = 'it''s ☕/tea?'",
    );
  });

  it("stores nothing in a dry run", async () => {
    const client = clientWith(service.keys.console);
    const applied = await applyPlan(await plan(), client, { dryRun: true, signal });
    expect(applied.done).toHaveLength(3);
    expect(await stored()).toEqual([]);
  });

  it("does not overwrite a qualifying event that changed since it was read, and applies the others", async () => {
    const client = clientWith(service.keys.console);
    await applyPlan(await plan(), client, { dryRun: false, signal });
    const changes = await plan({ table: "other" });
    const body = { sql: "mine", timestampColumn: "t", idTypeMapping: [] };
    await service.call({ method: "POST", path: `${path}/purchase`, body });
    const applied = await applyPlan(changes, client, { dryRun: false, signal });
    expect(applied.failed).toEqual([
      { name: "purchase", message: expect.stringContaining(" answered 412: ") },
    ]);
    expect(applied.done).toHaveLength(2);
    expect((await stored()).find(({ name }) => name === "purchase")?.sql).toBe("mine");
  });

  it("stops at a key that may not write, and lists what was not done", async () => {
    const many = Array.from({ length: 12 }, (_, index) => counted(`event ${index}`));
    const client = clientWith(service.keys.readOnly);
    const applied = await applyPlan(planQualify(many, [], options), client, {
      dryRun: false,
      signal,
    });
    expect(applied).toMatchObject({ done: [], stopped: { code: "console_unusable" } });
    // The calls that were running when the first answer arrived.
    expect(applied.failed.length).toBeLessThanOrEqual(4);
    expect(applied.failed.length + applied.notTried.length).toBe(12);
    expect(applied.stopped?.message).toMatch(/^The key may not do this: use .* answered 403: /);
    expect(await stored()).toEqual([]);
  });
});

describe("a plan whose calls get no answer", () => {
  /** Applies a plan through a proxy that decides about each request. */
  async function applyThrough(
    plan: QualifyPlan,
    faultOf: (path: string, method: string) => Fault | undefined,
  ) {
    const proxy = await startFaultProxy(baseUrl, (_, path, method) => faultOf(path, method));
    const key = service.keys.console;
    const client = createConsoleClient({ baseUrl: proxy.endpoint, key, retriesMax: 1 });
    try {
      return await applyPlan(plan, client, { dryRun: false, signal });
    } finally {
      proxy.close();
    }
  }

  it("is done if the console has what was sent, also where the next attempt is refused", async () => {
    let writes = 0;
    const everySecond = (_: string, method: string) =>
      method !== "GET" && writes++ % 2 === 0 ? ("lost" as const) : undefined;
    const done = events.map(({ event }) => event);
    const clean = { done, failed: [], uncertain: [], notTried: [] };
    expect(await applyThrough(await plan(), everySecond)).toEqual(clean);
    const changes = await plan({ table: "other" });
    // The first attempt of each change is made, and the second one answered with 412.
    const tried = new Set<string>();
    const first = (path: string, method: string) => {
      if (method === "GET" || tried.has(path)) return undefined;
      tried.add(path);
      return "lost" as const;
    };
    expect(await applyThrough(changes, first)).toEqual(clean);
    expect((await stored()).map(({ version }) => version)).toEqual([2, 2, 2]);
  });

  it("lists those as unknown that the console does not have, and applies the others", async () => {
    const lose = (path: string, method: string) =>
      method !== "GET" && path.includes("purchase") ? ("reset" as const) : undefined;
    await applyPlan(await plan(), clientWith(service.keys.console), { dryRun: false, signal });
    const applied = await applyThrough(await plan({ table: "other" }), lose);
    expect(applied).toMatchObject({ failed: [], uncertain: ["purchase"], notTried: [] });
    expect(applied.done).toHaveLength(2);
    expect(applied.stopped).toBeUndefined();
  });

  it("lists them as unknown and stops if the console does not answer reads either", async () => {
    const applied = await applyThrough(planQualify(events.slice(0, 1), [], options), () => "lost");
    expect(applied).toMatchObject({
      done: [],
      failed: [],
      uncertain: ["purchase"],
      stopped: { code: "console_unreachable" },
    });
  });
});

describe("a plan that is interrupted", () => {
  const many = Array.from({ length: 12 }, (_, index) => counted(`event ${index}`));

  it("lets running calls finish and lists the rest, which a new plan applies", async () => {
    const client = clientWith(service.keys.console);
    const interruption = new AbortController();
    let calls = 0;
    const interrupting: QualifyConsole = {
      ...client,
      createQualifyingEvent(input) {
        calls++;
        if (calls === 2) interruption.abort();
        return client.createQualifyingEvent(input);
      },
    };
    const applied = await applyPlan(planQualify(many, [], options), interrupting, {
      dryRun: false,
      signal: interruption.signal,
    });
    expect(applied).toMatchObject({
      done: ["event 0", "event 1"],
      failed: [],
      uncertain: [],
      stopped: { code: "interrupted", exitCode: 130 },
    });
    expect(applied.notTried).toEqual(many.slice(2).map(({ event }) => event));
    expect((await stored()).map(({ name }) => name).sort()).toEqual(applied.done);

    const rest = planQualify(many, await readQualifyingEvents(client, signal), options);
    const end = await applyPlan(rest, client, { dryRun: false, signal });
    expect(end).toMatchObject({ done: applied.notTried, notTried: [] });
    expect(end.stopped).toBeUndefined();
  });

  it("lists calls without an answer as uncertain", async () => {
    const interruption = new AbortController();
    const silent: QualifyConsole = {
      ...clientWith(service.keys.console),
      createQualifyingEvent: (input) =>
        new Promise((_, reject) => {
          const { signal: cut } = input;
          cut?.addEventListener("abort", () => reject(cut.reason), { once: true });
          if (input.body.name === "event 3") interruption.abort();
        }),
    };
    const applied = await applyPlan(planQualify(many, [], options), silent, {
      dryRun: false,
      signal: interruption.signal,
      graceMs: 0,
    });
    expect(applied.uncertain).toEqual(["event 0", "event 1", "event 2", "event 3"]);
    expect(applied.notTried).toHaveLength(8);
    expect(applied).toMatchObject({ done: [], failed: [], stopped: { code: "interrupted" } });
  });

  it("is complete if nothing was left", async () => {
    const client = clientWith(service.keys.console);
    const interruption = new AbortController();
    const last: QualifyConsole = {
      ...client,
      async createQualifyingEvent(input) {
        const answer = await client.createQualifyingEvent(input);
        interruption.abort();
        return answer;
      },
    };
    const one = planQualify(many.slice(0, 1), [], options);
    const applied = await applyPlan(one, last, {
      dryRun: false,
      signal: interruption.signal,
    });
    expect(applied.done).toEqual(["event 0"]);
    expect(applied.stopped).toBeUndefined();
  });
});

describe("reading existing qualifying events", () => {
  it("stops at an unknown key", async () => {
    const reading = readQualifyingEvents(clientWith(service.keys.revoked), signal);
    await expect(reading).rejects.toMatchObject({
      code: "console_unusable",
      message: expect.stringMatching(/check SWITCHYARD_CONSOLE_KEY .* answered 401: /),
    });
    await expect(reading).rejects.not.toMatchObject({
      message: expect.stringContaining(service.keys.revoked),
    });
  });

  it("stops if there is no console", async () => {
    const client = createConsoleClient({
      baseUrl: `${baseUrl}/nowhere`,
      key: service.keys.console,
    });
    await expect(readQualifyingEvents(client, signal)).rejects.toMatchObject({
      message: expect.stringContaining("as --console"),
    });
  });
});
