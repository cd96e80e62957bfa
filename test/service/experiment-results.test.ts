import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Experiment } from "../../src/contract/experiment.js";
import type { CumulativeExposures, PulseResults } from "../../src/contract/experiment-results.js";
import { refusal } from "../support/refusal.js";
import { START_TIME, startTestService, type TestService } from "../support/service.js";

const DAY = 86_400_000;
const path = "/console/v1/experiments";

let service: TestService;
let start: number;
/** A time that is after all that the tests log. */
let time: number;

beforeEach(async () => {
  time = START_TIME;
  service = await startTestService({ now: () => time });
  const groups = [
    { id: "control", name: "Control", size: 50 },
    { id: "test", name: "Test", size: "50" },
  ];
  await service.call({ method: "POST", path, body: { name: "Colour", groups } });
});
afterEach(() => service.close());

async function begin(): Promise<void> {
  const { json } = await service.call<Experiment>({ method: "PUT", path: `${path}/colour/start` });
  start = json.data.startTime as number;
  time = start + 10 * DAY;
}

type Logged = readonly [userID: string, group: string, day: number];

async function log(exposures: readonly Logged[], purchases: readonly string[]): Promise<void> {
  const events = [
    ...exposures.map(([userID, ruleID, day]) => ({
      eventName: "statsig::config_exposure",
      time: start + day * DAY,
      user: { userID },
      metadata: { config: "colour", ruleID, rulePassed: "true" },
    })),
    ...purchases.map((userID) => ({
      eventName: "purchase",
      time: start + 3 * DAY,
      user: { userID },
    })),
  ];
  const key = service.keys.server;
  await service.call({ method: "POST", path: "/v1/log_event", key, body: { events } });
}

const users = (prefix: string, count: number, group: string, day = 0): Logged[] =>
  Array.from({ length: count }, (_, n) => [`${prefix}${n}`, group, day]);

const pulse = (query = "") =>
  service.call<PulseResults>({ path: `${path}/colour/pulse_results${query}` });
const cumulative = () =>
  service.call<CumulativeExposures>({ path: `${path}/colour/cumulative_exposures` });

describe("GET /console/v1/experiments/{id}/pulse_results", () => {
  it("refuses an experiment without a start, an unknown one, a wrong control and a window alone", async () => {
    const { status, json } = await pulse();
    expect([status, json.message]).toEqual([
      400,
      "Experiment colour has no start: it has results after it was started.",
    ]);
    expect((await service.call({ path: `${path}/none/pulse_results` })).status).toBe(404);
    await begin();
    expect(await pulse("?control=none")).toMatchObject(refusal("control", /control, test$/));
    expect(await pulse("?windowDays=3")).toMatchObject(refusal("windowDays", "Needs `event`"));
  });

  it("counts what this service evaluated and what SDKs logged", async () => {
    await begin();
    time = start + DAY;
    const asked = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const { server: key } = service.keys;
    for (const userID of asked) {
      const body = { configName: "colour", user: { userID } };
      await service.call({ method: "POST", path: "/v1/get_config", key, body });
    }
    await log(users("s", 3, "test"), []);
    await service.app.http.close();
    const counted = await service.store.events.countExperiment({
      experimentID: "colour",
      loggedNames: [],
      groupIDs: ["control", "test"],
      idType: "userID",
      startTime: start,
      endTime: time + 1,
      event: undefined,
      windowMs: undefined,
    });
    expect(counted.groups.reduce((sum, { units }) => sum + units, 0)).toBe(asked.length + 3);
  });

  it("compares the conversions of each group with the control", async () => {
    await begin();
    // Newcombe's example: 56 of 70 and 48 of 80.
    const purchases = [
      ...Array.from({ length: 56 }, (_, n) => `t${n}`),
      ...Array.from({ length: 48 }, (_, n) => `c${n}`),
      "x",
    ];
    await log(
      [
        ...users("t", 70, "test"),
        ...users("c", 80, "control", 1),
        ["x", "test", 0],
        ["x", "control", 1],
      ],
      purchases,
    );
    const { data } = (await pulse("?event=purchase")).json;
    expect(data).toMatchObject({
      experimentID: "colour",
      idType: "userID",
      startTime: start,
      controlGroupID: "control",
      event: "purchase",
      windowDays: null,
      crossoverUnits: 1,
      exposuresWithoutUnitID: 0,
      reasons: [],
    });
    const [control, test] = data.groups;
    expect(control).toMatchObject({
      groupName: "Control",
      size: 50,
      units: 80,
      firstExposures: [{ date: "2026-01-16", units: 80 }],
      conversion: { units: 48, rate: 0.6 },
      comparison: null,
    });
    expect(test).toMatchObject({ size: 50, units: 70, conversion: { units: 56, rate: 0.8 } });
    expect(test?.comparison?.absoluteChange).toBeCloseTo(0.2, 12);
    expect(test?.comparison?.percentChange).toBeCloseTo(100 / 3, 10);
    expect(test?.comparison?.confidenceInterval?.lower).toBeCloseTo(0.0524, 4);
    expect(test?.comparison?.confidenceInterval?.upper).toBeCloseTo(0.3339, 4);
    // z = 0.2 / √(104/150 · 46/150 · (1/70 + 1/80)) = 2.6502.
    expect(test?.comparison?.pValue).toBeCloseTo(0.00804, 4);
    expect(data.sampleRatio).toMatchObject({
      degreesOfFreedom: 1,
      isMismatch: false,
      groups: [
        { groupID: "control", units: 80, expectedUnits: 75 },
        { groupID: "test", units: 70, expectedUnits: 75 },
      ],
    });
    const swapped = (await pulse("?event=purchase&control=test&windowDays=2")).json.data;
    expect(swapped).toMatchObject({ controlGroupID: "test", windowDays: 2 });
    // Three days after the exposure is too late, two days are not in the window either.
    expect(swapped.groups.map(({ conversion }) => conversion?.units)).toEqual([0, 0]);
  });

  it("flags groups whose units do not fit their sizes", async () => {
    await begin();
    await log([...users("c", 100, "control"), ...users("t", 160, "test")], []);
    const { data } = (await pulse()).json;
    expect(data.sampleRatio).toMatchObject({ isMismatch: true });
    expect(data.groups.map(({ conversion, comparison }) => [conversion, comparison])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it("names the reason of every value that cannot be computed", async () => {
    await begin();
    const reasons = async () => (await pulse("?event=purchase")).json.data.reasons;
    expect(await reasons()).toEqual([
      { property: "groups[0].conversion.rate", message: "The group has no units" },
      { property: "groups[0].conversion.confidenceInterval", message: "The group has no units" },
      { property: "groups[1].conversion.rate", message: "The group has no units" },
      { property: "groups[1].conversion.confidenceInterval", message: "The group has no units" },
      ...["absoluteChange", "confidenceInterval", "percentChange", "pValue"].map((name) => ({
        property: `groups[1].comparison.${name}`,
        message: "The group has no units",
      })),
      {
        property: "sampleRatio",
        message: "A group is expected to have fewer than 5 units: too few for the test",
      },
    ]);
    await log([...users("c", 20, "control"), ...users("t", 20, "test")], []);
    expect(await reasons()).toEqual([
      {
        property: "groups[1].comparison.percentChange",
        message: "The control has no conversion",
      },
      {
        property: "groups[1].comparison.pValue",
        message: "No unit of both groups converted",
      },
    ]);
  });
});

describe("GET /console/v1/experiments/{id}/cumulative_exposures", () => {
  it("adds up the first exposures of each group, every day from the first to the last one", async () => {
    await begin();
    expect((await cumulative()).json.data.map(({ results }) => results)).toEqual([[], []]);
    await log(
      [...users("c", 2, "control"), ...users("c", 3, "control", 2), ...users("t", 4, "test", 3)],
      [],
    );
    expect((await cumulative()).json.data).toEqual([
      {
        groupID: "control",
        groupName: "Control",
        results: [
          { date: "2026-01-15", exposures: 2 },
          { date: "2026-01-16", exposures: 2 },
          { date: "2026-01-17", exposures: 3 },
          { date: "2026-01-18", exposures: 3 },
        ],
      },
      {
        groupID: "test",
        groupName: "Test",
        results: [
          { date: "2026-01-15", exposures: 0 },
          { date: "2026-01-16", exposures: 0 },
          { date: "2026-01-17", exposures: 0 },
          { date: "2026-01-18", exposures: 4 },
        ],
      },
    ]);
  });
});
