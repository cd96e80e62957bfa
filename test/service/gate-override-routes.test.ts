import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

const gate = "/console/v1/gates/a_gate";
const overrides = `${gate}/overrides`;
const none = {
  passingUserIDs: [],
  failingUserIDs: [],
  passingCustomIDs: [],
  failingCustomIDs: [],
  environmentOverrides: [],
};

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await createGate();
});

afterEach(() => service.close());

const createGate = () => call("POST", "/console/v1/gates", { name: "A Gate" });

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await service.call<AnyObject>({
    method: method as "GET",
    path,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { ...answer.json, status: answer.status, etag: answer.headers["etag"] };
}

describe("the overrides of a gate", () => {
  it("are empty before the first write, as version 0", async () => {
    expect(await call("GET", overrides)).toMatchObject({
      status: 200,
      message: "Gate Overrides read successfully.",
      etag: '"0"',
      data: { id: "a_gate", ...none, version: 0 },
    });
  });

  it("are replaced by POST: lists that are left out become empty", async () => {
    const first = { passingUserIDs: ["u1"], failingCustomIDs: ["c1"] };
    expect(await call("POST", overrides, first)).toMatchObject({
      status: 200,
      message: "Gate Overrides updated successfully.",
      data: { ...none, ...first, version: 1, lastModifierName: "CONSOLE API" },
    });
    const second = { failingUserIDs: ["u1", "u1", "u2"] };
    const { data } = await call("POST", overrides, second);
    expect(data).toMatchObject({ ...none, failingUserIDs: ["u1", "u2"], version: 2 });
    expect((await call("GET", overrides)).data).toEqual(data);
  });

  it("are added to by PATCH, and removed from by DELETE", async () => {
    const development = { environment: "development", unitID: "stableID" };
    await call("POST", overrides, {
      passingUserIDs: ["u1"],
      environmentOverrides: [{ ...development, passingIDs: ["d1"], failingIDs: [] }],
    });
    const added = await call("PATCH", overrides, {
      passingUserIDs: ["u2", "u1"],
      environmentOverrides: [
        { ...development, passingIDs: ["d2"], failingIDs: ["d3"] },
        { unitID: null, passingIDs: ["u9"], failingIDs: [] },
      ],
    });
    expect(added.data).toMatchObject({
      passingUserIDs: ["u1", "u2"],
      environmentOverrides: [
        { ...development, passingIDs: ["d1", "d2"], failingIDs: ["d3"] },
        { environment: null, unitID: "userID", passingIDs: ["u9"], failingIDs: [] },
      ],
    });
    const removed = await call("DELETE", overrides, {
      passingUserIDs: ["u1", "nobody"],
      environmentOverrides: [
        { environment: null, unitID: "userID", passingIDs: ["u9"], failingIDs: [] },
        { ...development, passingIDs: ["d1"], failingIDs: [] },
      ],
    });
    expect(removed.data).toMatchObject({
      passingUserIDs: ["u2"],
      environmentOverrides: [{ ...development, passingIDs: ["d2"], failingIDs: ["d3"] }],
      version: 3,
    });
  });

  it.each([
    [{ passingUserIDs: ["u1", "u2"], failingUserIDs: ["u2"] }, "failingUserIDs", "u2"],
    [{ passingCustomIDs: ["c"], failingCustomIDs: ["c"] }, "failingCustomIDs", "c"],
    [
      {
        environmentOverrides: [
          { unitID: "userID", passingIDs: ["u1"], failingIDs: [] },
          { unitID: null, passingIDs: [], failingIDs: ["u1"] },
        ],
      },
      "environmentOverrides[0].failingIDs",
      "u1",
    ],
  ])("%j: an id that passes and fails is a 400", async (body, property, id) => {
    const { status, errors } = await call("POST", overrides, body);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property }] });
    expect(errors[0]?.errorMessage).toMatch(new RegExp(`^${id} is in passing\\w*IDs too`));
    expect((await call("GET", overrides)).data).toMatchObject({ version: 0 });
  });

  it("an id that passes is not added to those that fail", async () => {
    await call("POST", overrides, { passingUserIDs: ["u1"] });
    expect(await call("PATCH", overrides, { failingUserIDs: ["u1"] })).toMatchObject({
      status: 400,
      errors: [{ property: "failingUserIDs" }],
    });
  });

  it("hold at most 10,000 ids in a list", async () => {
    const ids = Array.from({ length: 10_000 }, (_, count) => `u${count}`);
    expect(await call("POST", overrides, { passingUserIDs: ids })).toMatchObject({ status: 200 });
    const { status, errors } = await call("PATCH", overrides, { passingUserIDs: ["more"] });
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ property: "passingUserIDs" }],
    });
  });

  it.each([
    [{ passingUserIDs: "u1" }, "passingUserIDs"],
    [{ passingUserIDs: [""] }, "passingUserIDs[0]"],
    [{ environmentOverrides: [{ unitID: "userID" }] }, "environmentOverrides[0].passingIDs"],
  ])("refuse %j", async (body, property) => {
    const { status, errors } = await call("POST", overrides, body);
    expect(status).toBe(400);
    expect(errors.map((fault) => fault.property)).toContain(property);
  });

  it("are written only to the version that If-Match names, from version 0 on", async () => {
    const body = { passingUserIDs: ["u1"] };
    expect(await call("POST", overrides, body, { "if-match": '"1"' })).toMatchObject({
      status: 412,
    });
    expect(await call("POST", overrides, body, { "if-match": '"0"' })).toMatchObject({
      status: 200,
      etag: '"1"',
    });
    expect(await call("DELETE", overrides, body, { "if-match": '"0"' })).toMatchObject({
      status: 412,
    });
  });

  it("are not stored by a dry run", async () => {
    const dry = await call("POST", `${overrides}?dryRun=true`, { passingUserIDs: ["u1"] });
    expect(dry.data).toMatchObject({ passingUserIDs: ["u1"], version: 1 });
    expect((await call("GET", overrides)).data).toMatchObject({ version: 0 });
  });

  it.each(["GET", "POST", "PATCH", "DELETE"])(
    "%s: without the gate it is a 404",
    async (method) => {
      const body = method === "GET" ? undefined : {};
      expect(await call(method, "/console/v1/gates/nothing/overrides", body)).toMatchObject({
        status: 404,
        message: "Gate not found.",
      });
    },
  );

  it("leave the gate as it is", async () => {
    const before = await call("GET", gate);
    await call("POST", overrides, { passingUserIDs: ["u1"] });
    expect(await call("GET", gate)).toEqual(before);
  });

  it("go with their gate: a new one of its name has none", async () => {
    await call("POST", overrides, { passingUserIDs: ["u1"] });
    await call("DELETE", `${gate}?dryRun=true`);
    await call("DELETE", gate, undefined, { "if-match": '"7"' });
    expect((await call("GET", overrides)).data).toMatchObject({ version: 1 });
    await call("DELETE", gate);
    await createGate();
    expect((await call("GET", overrides)).data).toMatchObject({ ...none, version: 0 });
  });

  it("are never left without their gate when both are written at once", async () => {
    for (let count = 0; count < 20; count += 1) {
      await createGate();
      await Promise.all([
        call("POST", overrides, { passingUserIDs: ["u1"] }),
        call("DELETE", gate),
        call("PATCH", overrides, { passingUserIDs: ["u2"] }),
      ]);
      expect(await service.store.entities.get({ kind: "gate_override", id: "a_gate" })).toBe(
        undefined,
      );
    }
  });
});
