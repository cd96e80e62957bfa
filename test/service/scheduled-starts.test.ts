import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { EntityOperations } from "../../src/service/entity-operations.js";
import { ScheduledStarts } from "../../src/service/scheduled-starts.js";
import { startTestService, type TestService } from "../support/service.js";

const root = "/console/v1/experiments";
const schedule = `${root}/one/schedule_start`;
const NOW = Date.UTC(2026, 0, 15, 12);
const LATER = NOW + 60_000;

let service: TestService;
let now: number;
let failed: unknown[];
let starts: ScheduledStarts;

beforeEach(async () => {
  now = NOW;
  failed = [];
  // Its own timer never finds a start that is due.
  service = await startTestService({ now: () => NOW });
  const { entities, keys } = service.store;
  starts = new ScheduledStarts({
    entities,
    keys,
    operations: new EntityOperations(entities, () => now),
    now: () => now,
    onFailed: (error) => failed.push(error),
  });
  await call("POST", root, { name: "one" });
});

afterEach(() => service.close());

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await service.call<AnyObject>({
    method: method as "GET",
    path,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { ...answer.json, status: answer.status };
}

const experiment = async () => (await call("GET", `${root}/one`)).data;

describe("POST /console/v1/experiments/{id}/schedule_start", () => {
  it("stores the time, which is read and cancelled under the same path", async () => {
    expect((await call("GET", schedule)).data).toMatchObject({ scheduledTime: null, version: 0 });
    expect(await call("POST", schedule, { scheduledTime: LATER })).toMatchObject({
      status: 200,
      message: "Successfully scheduled experiment start",
      data: { id: "one", scheduledTime: LATER, version: 1 },
    });
    expect((await call("GET", schedule)).data).toMatchObject({ scheduledTime: LATER });
    expect((await call("DELETE", schedule)).data).toMatchObject({ scheduledTime: null });
    now = LATER;
    await starts.check();
    expect(await experiment()).toMatchObject({ status: "setup", version: 1 });
  });

  it.each([NOW, -1, 1.5, "soon", undefined])("refuses the time %j", async (scheduledTime) => {
    const { status, errors } = await call("POST", schedule, { scheduledTime });
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ property: "scheduledTime" }],
    });
  });

  it("refuses an experiment that is not in setup, or does not exist", async () => {
    expect(
      await call("POST", `${root}/two/schedule_start`, { scheduledTime: LATER }),
    ).toMatchObject({ status: 404, message: "Experiment not found." });
    await call("PUT", `${root}/one/start`);
    const { status, errors } = await call("POST", schedule, { scheduledTime: LATER });
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ errorMessage: expect.stringContaining("this one is active") }],
    });
  });
});

describe("a scheduled start", () => {
  beforeEach(() => call("POST", schedule, { scheduledTime: LATER }));

  it("is made at its time, not before, once, by the key that scheduled it", async () => {
    now = LATER - 1;
    await starts.check();
    expect(await experiment()).toMatchObject({ status: "setup" });
    now = LATER;
    await starts.check();
    const started = await experiment();
    expect(started).toMatchObject({ status: "active", startTime: LATER, version: 2 });
    expect(started["lastModifierID"]).toBe(started["creatorID"]);
    expect((await call("GET", schedule)).data).toMatchObject({ scheduledTime: null });
    await call("PUT", `${root}/one/reset`);
    await starts.check();
    expect(await experiment()).toMatchObject({ status: "setup", version: 3 });
    expect(failed).toEqual([]);
  });

  it("that was made but not ended before a crash is only ended", async () => {
    await call("PUT", `${root}/one/start`);
    now = LATER;
    await starts.check();
    expect(await experiment()).toMatchObject({ status: "active", startTime: NOW, version: 2 });
    expect((await call("GET", schedule)).data).toMatchObject({ scheduledTime: null });
  });

  it("that is refused is reported once", async () => {
    await call("PUT", `${root}/one/start`);
    await call("PUT", `${root}/one/abandon`);
    now = LATER;
    await starts.check();
    await starts.check();
    expect(failed).toHaveLength(1);
    expect(await experiment()).toMatchObject({ status: "abandoned" });
  });

  it("goes with its experiment", async () => {
    await call("DELETE", `${root}/one`);
    await call("POST", root, { name: "one" });
    now = LATER;
    await starts.check();
    expect(await experiment()).toMatchObject({ status: "setup", version: 1 });
    expect(failed).toEqual([]);
  });

  it("is tried again after an error of the store", async () => {
    const { entities } = service.store;
    const list = entities.list.bind(entities);
    entities.list = () => Promise.reject(new Error("disk full"));
    now = LATER;
    await expect(starts.check()).rejects.toThrow("disk full");
    entities.list = list;
    await starts.check();
    expect(await experiment()).toMatchObject({ status: "active" });
  });
});
