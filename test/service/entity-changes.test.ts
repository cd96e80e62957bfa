import { afterEach, beforeEach, expect, it } from "vitest";
import type { Gate } from "../../src/contract/gate.js";
import { startTestService, type TestService } from "../support/service.js";

const path = "/console/v1/gates/busy_gate";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await create("Busy gate");
});

afterEach(() => service.close());

async function create(name: string): Promise<void> {
  const { status } = await service.call({
    method: "POST",
    path: "/console/v1/gates",
    body: { name },
  });
  expect(status).toBe(201);
}

const patch = (body: unknown) => service.call<Gate>({ method: "PATCH", path, body });

const read = async () => (await service.call<Gate>({ path })).json.data;

/** A hundred bodies over six fields; of each field the last one has to hold in the end. */
const fields: readonly ((count: number) => Partial<Gate>)[] = [
  (count) => ({ description: `d${count}` }),
  (count) => ({ tags: [`t${count}`] }),
  (count) => ({ team: `team ${count}` }),
  (count) => ({ measureMetricLifts: count % 2 === 0 }),
  (count) => ({ targetApps: [`app ${count}`] }),
  (count) => ({ name: `Busy gate ${count}` }),
];
const bodies = Array.from({ length: 100 }, (_, count) => fields[count % fields.length]?.(count));

it("a hundred parallel patches give a hundred versions and lose no field", async () => {
  const answers = await Promise.all(bodies.map(patch));
  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  const versions = answers.map(({ json }) => json.data.version);
  expect(versions).toEqual(bodies.map((_, index) => index + 2));
  expect(await read()).toMatchObject(Object.assign({}, ...bodies));
  const { json } = await service.call<Gate[]>({ path: `${path}/versions?limit=1000` });
  expect(json.data.map(({ version }) => version)).toEqual(
    Array.from({ length: 101 }, (_, index) => 101 - index),
  );
});

it("each version has the one before it and one more change", async () => {
  await Promise.all(bodies.map(patch));
  const { json } = await service.call<Gate[]>({ path: `${path}/versions?limit=1000` });
  const states = json.data.reverse();
  for (const [index, body] of bodies.entries()) {
    const { version: _, lastModifiedTime: __, ...before } = states[index] as Gate;
    expect(states[index + 1]).toMatchObject({ ...before, ...body });
  }
});

it("patches after a refused one apply to the stored entity", async () => {
  await create("Taken");
  const withRefused = bodies.flatMap((body, index) =>
    index % 10 === 5 ? [{ name: "Taken" }, body] : [body],
  );
  const answers = await Promise.all(withRefused.map(patch));
  const refused = answers.filter(({ status }) => status === 400);
  expect(refused).toHaveLength(10);
  expect(refused.map(({ json }) => json.message)).toEqual(
    refused.map(() => "Name is already in use"),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  const { json } = await service.call<Gate[]>({ path: `${path}/versions?limit=1000` });
  expect(json.pagination.totalItems).toBe(101);
});

it("after a delete among patches, later ones find nothing", async () => {
  const [deleted, ...patched] = await Promise.all([
    service.call({ method: "DELETE", path }),
    ...bodies.map(patch),
  ]);
  expect(deleted.status).toBe(200);
  const statuses = patched.map(({ status }) => status);
  const firstMissing = statuses.indexOf(404);
  expect(statuses).toEqual(statuses.map((_, index) => (index < firstMissing ? 200 : 404)));
  expect((await service.call({ path })).status).toBe(404);
});
