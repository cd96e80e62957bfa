import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StaleGate } from "../../src/contract/stale-gates.js";
import { refusal } from "../support/refusal.js";
import { START_TIME, startTestService, type TestService } from "../support/service.js";

const DAY = 86_400_000;
const path = "/console/v1/stale_gates";

let service: TestService;
let time: number;

beforeEach(async () => {
  time = START_TIME;
  service = await startTestService({ now: () => time });
});
afterEach(() => service.close());

async function create(name: string, body: object = {}): Promise<void> {
  time += 1;
  const { status } = await service.call({
    method: "POST",
    path: "/console/v1/gates",
    body: { name, id: name, ...body },
  });
  expect(status).toBe(201);
}

async function ask(answers: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const events = Object.entries(answers).flatMap(([gate, values]) =>
    values.map((gateValue) => ({
      eventName: "statsig::gate_exposure",
      time,
      user: { userID: "u" },
      metadata: { gate, gateValue, ruleID: "r" },
    })),
  );
  const key = service.keys.server;
  await service.call({ method: "POST", path: "/v1/log_event", key, body: { events } });
}

interface Page {
  readonly data: readonly StaleGate[];
  readonly nextCursor: string | null;
}

const stale = async (query = "") =>
  (await service.call({ path: `${path}${query}` })).json as unknown as Page;

const reasons = async (query = "") =>
  (await stale(query)).data.map(({ id, typeReason }) => `${id} ${typeReason}`);

describe("GET /console/v1/stale_gates", () => {
  it("lists gates with one answer, and those that nobody asked for, with the evidence", async () => {
    for (const name of ["all_true", "all_false", "both", "not_asked"]) await create(name);
    const created = time;
    time += 31 * DAY;
    await ask({ all_true: ["true", "true"], all_false: ["false"], both: ["true", "false"] });
    const { data, nextCursor } = await stale();
    expect(nextCursor).toBeNull();
    expect(data).toEqual([
      {
        id: "not_asked",
        name: "not_asked",
        typeReason: "STALE_PROBABLY_DEAD_CHECK",
        trueExposures: 0,
        falseExposures: 0,
        lastExposureTime: null,
        lastModifiedTime: created,
        createdTime: created,
        referrers: 0,
      },
      expect.objectContaining({
        id: "all_false",
        typeReason: "STALE_ALL_FALSE",
        falseExposures: 1,
      }),
      expect.objectContaining({
        id: "all_true",
        typeReason: "STALE_ALL_TRUE",
        trueExposures: 2,
        lastExposureTime: time,
      }),
    ]);
  });

  it("looks at the asked days alone", async () => {
    await create("a_gate");
    time += 20 * DAY;
    await ask({ a_gate: ["false"] });
    time += 20 * DAY;
    await ask({ a_gate: ["true"] });
    expect(await reasons()).toEqual([]);
    expect(await reasons("?days=10")).toEqual(["a_gate STALE_ALL_TRUE"]);
    time += 15 * DAY;
    expect(await reasons("?days=10")).toEqual(["a_gate STALE_PROBABLY_DEAD_CHECK"]);
  });

  it("leaves out new, changed, permanent and archived gates, and those that others ask for", async () => {
    for (const name of ["changed", "archived", "nested", "plain"]) await create(name);
    await create("permanent", { type: "PERMANENT" });
    const conditions = [{ type: "passes_gate", targetValue: "nested" }];
    const rules = [{ name: "all", passPercentage: 100, conditions }];
    await create("outer", { rules });
    await service.call({ method: "PUT", path: "/console/v1/gates/archived/archive", body: {} });
    time += 40 * DAY;
    await service.call({
      method: "PATCH",
      path: "/console/v1/gates/changed",
      body: { description: "d" },
    });
    await create("new_gate");
    const dead = "STALE_PROBABLY_DEAD_CHECK";
    expect(await reasons()).toEqual([`outer ${dead}`, `plain ${dead}`]);
    await ask({ nested: ["true"] });
    expect((await stale()).data.find(({ id }) => id === "nested")).toMatchObject({
      typeReason: "STALE_ALL_TRUE",
      referrers: 1,
    });
  });

  it("pages through them", async () => {
    for (let n = 0; n < 5; n += 1) await create(`gate_${n}`);
    time += 31 * DAY;
    await ask({ gate_3: ["true", "false"] });
    const found: string[] = [];
    let cursor: string | null = "0";
    let pages = 0;
    for (; cursor !== null; pages += 1) {
      const page: Page = await stale(`?limit=2&cursor=${cursor}`);
      expect(page.data.length).toBeLessThanOrEqual(2);
      found.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect([found, pages]).toEqual([["gate_4", "gate_2", "gate_1", "gate_0"], 2]);
    expect(await service.call({ path: `${path}?cursor=x` })).toMatchObject(refusal("cursor", /./));
  });
});
