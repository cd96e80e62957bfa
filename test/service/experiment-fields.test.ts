import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Experiment,
  experiment,
  experimentCreate,
  experimentPatch,
  experimentReplace,
} from "../../src/contract/experiment.js";
import { fullExperiment } from "../support/experiment-bodies.js";
import { fieldRows } from "../support/experiment-field-rows.js";
import { someOf } from "../support/property-runs.js";
import { startTestService, type TestAnswer, type TestService } from "../support/service.js";

const path = "/console/v1/experiments";
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let count = 0;
/** A path of an experiment that no other test knows. */
async function newExperiment(): Promise<string> {
  count += 1;
  const id = `experiment-${count}`;
  await service.call({ method: "POST", path, body: { name: id } });
  return `${path}/${id}`;
}

function expectEcho({ status, json }: TestAnswer<Experiment>, field: string, value: unknown) {
  expect(status).toBeLessThan(300);
  expect(experiment.strict().parse(json.data)).toEqual(json.data);
  // Groups come back with their identifiers.
  if (field === "groups") expect(json.data).toMatchObject({ groups: withoutEmptyIds(value) });
  else expect(json.data).toHaveProperty(field, value);
}

function withoutEmptyIds(groups: unknown) {
  return (groups as readonly { id: string }[]).map(({ id, ...group }) =>
    id === "" ? group : { id, ...group },
  );
}

it("every writable field has a row, and no other has one", () => {
  const fields = [...fieldRows.map(({ field }) => field), "status"].sort();
  expect(Object.keys(experimentPatch.shape).sort()).toEqual(fields);
  expect(Object.keys(experimentReplace.shape).sort()).toEqual(fields);
  expect(Object.keys(experimentCreate.shape).sort()).toEqual([...fields, "id", "layerID"].sort());
});

describe.each(fieldRows)("$field: $row", ({ field, valid, invalid }) => {
  it.each(someOf(valid, 2).map((value) => [value]))(
    "accepts %j and echoes it unchanged",
    async (value) => {
      const patched = await service.call<Experiment>({
        method: "PATCH",
        path: await newExperiment(),
        body: { [field]: value },
      });
      expectEcho(patched, field, value);
      const replaced = await service.call<Experiment>({
        method: "POST",
        path: await newExperiment(),
        body: { ...fullExperiment, ...(field === "name" ? {} : { [field]: value }) },
      });
      expectEcho(replaced, field, field === "name" ? replaced.json.data.name : value);
    },
  );

  it.each(someOf(invalid, 3))("refuses %j at %s: %s", async (value, property, errorMessage) => {
    const refusal = {
      status: 400,
      json: {
        status: 400,
        message: "Bad Request Exception",
        errors: [{ property, errorMessage }],
      },
    };
    const id = await newExperiment();
    const body = { [field]: value };
    const created = { method: "POST", path, body: { name: "Refused", ...body } } as const;
    expect(await service.call(created)).toMatchObject(refusal);
    const replaced = { method: "POST", path: id, body: { ...fullExperiment, ...body } } as const;
    expect(await service.call(replaced)).toMatchObject(refusal);
    expect(await service.call({ method: "PATCH", path: id, body })).toMatchObject(refusal);
    expect(await service.call({ path: id })).toMatchObject({ json: { data: { version: 1 } } });
  });
});
