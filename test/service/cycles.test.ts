import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

async function call(method: string, path: string, body?: unknown) {
  const answer = await service.call({
    method: method as "GET",
    path: `/console/v1/${path}`,
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, errors: answer.json.errors };
}

const asks = (type: string, targetValue: string | string[]) => ({
  rules: [{ name: "one", passPercentage: 100, conditions: [{ type, targetValue }] }],
});
const create = (path: string, name: string, body: AnyObject = {}) =>
  call("POST", path, { name, ...(path === "segments" && { type: "rule_based" }), ...body });
const patch = (path: string, body: AnyObject) => call("PATCH", path, body);
const refusal = (property: string, cycle: string) => ({
  status: 400,
  errors: [{ property, errorMessage: expect.stringContaining(` ${cycle}: `) }],
});

describe("cycles", () => {
  it.each(["passes_gate", "fails_gate"])(
    "of gates are refused with their names: %s",
    async (type) => {
      await create("gates", "aaa", asks(type, "bbb"));
      expect(await create("gates", "bbb", asks(type, ["aaa"]))).toEqual(
        refusal("rules", "bbb → aaa → bbb"),
      );
      await create("gates", "bbb", asks(type, "ccc"));
      await create("gates", "ccc");
      expect(await patch("gates/ccc", asks(type, "aaa"))).toEqual(
        refusal("rules", "ccc → aaa → bbb → ccc"),
      );
      const rule = asks(type, "aaa").rules[0];
      expect(await call("POST", "gates/ccc/rule", rule)).toMatchObject({ status: 400 });
      expect(await patch("gates/ccc?dryRun=true", asks(type, "aaa"))).toMatchObject({
        status: 400,
      });
      expect(await patch("gates/ccc", asks(type, "ddd"))).toMatchObject({ status: 200 });
    },
  );

  it("of one gate or segment are refused", async () => {
    expect(await create("gates", "aaa", asks("passes_gate", "aaa"))).toEqual(
      refusal("rules", "aaa → aaa"),
    );
    expect(await create("segments", "aaa", asks("fails_segment", "aaa"))).toEqual(
      refusal("rules", "aaa → aaa"),
    );
  });

  it("of segments are refused, but not a gate and a segment of one name", async () => {
    await create("segments", "aaa", asks("passes_segment", "bbb"));
    expect(await create("segments", "bbb", asks("passes_segment", "aaa"))).toEqual(
      refusal("rules", "bbb → aaa → bbb"),
    );
    expect(await create("gates", "aaa", asks("passes_segment", "aaa"))).toMatchObject({
      status: 201,
    });
  });

  it("through holdouts are refused, from each of their ends", async () => {
    await create("holdouts", "hhh", { targetingGateID: "aaa", gateIDs: ["bbb"] });
    await create("gates", "bbb");
    expect(await create("gates", "aaa", asks("passes_gate", "bbb"))).toEqual(
      refusal("rules", "aaa → bbb → holdout hhh → aaa"),
    );
    expect(await create("gates", "aaa", { holdoutIDs: ["hhh"] })).toEqual(
      refusal("holdoutIDs", "aaa → holdout hhh → aaa"),
    );
    expect(await create("gates", "ccc", { holdoutIDs: ["hhh"] })).toMatchObject({ status: 201 });
    expect(await patch("holdouts/hhh", { targetingGateID: "ccc" })).toEqual(
      refusal("targetingGateID", "holdout hhh → ccc → holdout hhh"),
    );
    expect(await patch("holdouts/hhh", { gateIDs: ["aaa"] })).toEqual(
      refusal("targetingGateID", "holdout hhh → aaa → holdout hhh"),
    );
    expect(await patch("holdouts/hhh", { gateIDs: [] })).toMatchObject({ status: 200 });
    expect(await create("gates", "aaa", asks("passes_gate", "bbb"))).toMatchObject({ status: 201 });
  });

  it("are not made by writes at the same time: one of them is refused", async () => {
    await create("gates", "aaa");
    await create("gates", "bbb");
    const answers = await Promise.all([
      patch("gates/aaa", asks("passes_gate", "bbb")),
      patch("gates/bbb", asks("passes_gate", "aaa")),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it("of an older store do not block other changes of their gates", async () => {
    await create("gates", "aaa", asks("passes_gate", "bbb"));
    await create("gates", "bbb");
    await storeCycle();
    expect(await patch("gates/bbb", { description: "two" })).toMatchObject({ status: 200 });
    expect(await call("PUT", "gates/bbb/disable")).toMatchObject({ status: 200 });
    const more = [...asks("passes_gate", "aaa").rules, { ...asks("fails_gate", "ccc").rules[0] }];
    const rules = more.map((rule, index) => ({ ...rule, name: `${index}` }));
    expect(await patch("gates/bbb", { rules })).toMatchObject({ status: 400 });
    expect(await patch("gates/bbb", { rules: [] })).toMatchObject({ status: 200 });
  });

  it("are not seen in gates that ask one gate in two ways", async () => {
    await create("gates", "ccc");
    await create("gates", "bbb", asks("passes_gate", "ccc"));
    const { rules } = asks("passes_gate", "bbb");
    const conditions = ["bbb", "ccc", "bbb"].map((targetValue) => ({
      type: "passes_gate",
      targetValue,
    }));
    const diamond = { rules: [{ ...rules[0], conditions }] };
    expect(await create("gates", "aaa", diamond)).toMatchObject({ status: 201 });
  });
});

/** Stores what an older version accepted: gate bbb asks aaa. */
async function storeCycle(): Promise<void> {
  const { entities } = service.store;
  await entities.write({ kind: "gate", id: "bbb" }, (record) => {
    if (record === undefined) throw new Error("there is no gate bbb");
    const [rule] = asks("passes_gate", "aaa").rules;
    const body = { ...record.body, rules: [{ ...rule, id: "r", baseID: "r" }] };
    return { ...record, version: 2, body: { ...body, version: 2 } };
  });
}
