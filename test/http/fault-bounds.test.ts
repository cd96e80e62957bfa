import { afterEach, beforeEach, expect, it } from "vitest";
import { FAULTS_MAX } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const repeated = (text: string, count: number) => Array(count).fill(text).join(",");
const rule = '"name":"r","passPercentage":1';
const gates = "/console/v1/gates";
const experiments = "/console/v1/experiments";

it.each([
  ["rules of the wrong type", gates, `"rules":[${repeated("0", 500_000)}]`],
  ["empty rules", gates, `"rules":[${repeated("{}", 300_000)}]`],
  ["conditions", gates, `"rules":[{${rule},"conditions":[${repeated("{}", 300_000)}]}]`],
  ["tags", gates, `"tags":[${repeated("1", 500_000)}]`],
  ["rules of one name", gates, `"rules":[${repeated(`{${rule},"conditions":[]}`, 20_000)}]`],
  ["buckets", experiments, `"userBuckets":[${repeated("-1", 300_000)}]`],
  ["groups of one name", experiments, `"groups":[${repeated('{"name":"g","size":0}', 45_000)}]`],
])("answers a body full of faulty %s with the first of them", async (_what, path, fields) => {
  const { status, json } = await service.call({
    method: "POST",
    path,
    body: `{"name":"faulty",${fields}}`,
  });
  expect(status).toBe(400);
  expect(json.errors).toHaveLength(FAULTS_MAX + 1);
  expect(json.errors.at(-1)).toEqual({
    property: "",
    errorMessage: "Further faults are not listed",
  });
});

it("refuses parameter values that JSON cannot represent and would return as null", async () => {
  const { status, json } = await service.call({
    method: "POST",
    path: experiments,
    body: '{"name":"large","groups":[{"name":"g","size":1,"parameterValues":{"a":[1e400]}}]}',
  });
  expect(status).toBe(400);
  expect(json.errors).toEqual([
    {
      property: "groups[0].parameterValues",
      errorMessage: "Contains Infinity, which is not a JSON number",
    },
  ]);
});
