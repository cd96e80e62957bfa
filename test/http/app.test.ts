import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import type { Gate } from "../../src/contract/gate.js";
import { echo, fakeEndpoints } from "../support/fake-endpoints.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
afterEach(() => service.close());

it("creates, reads and lists through the whole app", async () => {
  service = await startTestService();
  const created = await service.call({
    method: "POST",
    path: "/console/v1/gates",
    body: { name: "A Gate" },
  });
  expect(created).toMatchObject({
    status: 201,
    headers: { etag: '"1"', "content-type": "application/json; charset=utf-8" },
    json: { message: "Gate created successfully.", data: { id: "a_gate", version: 1 } },
  });
  const read = await service.call({ path: "/console/v1/gates/a_gate" });
  expect(read.json).toEqual({ message: "Gate read successfully.", data: created.json.data });
  const list = await service.call({ path: "/console/v1/gates?limit=10" });
  expect(list.json).toMatchObject({ data: [{ id: "a_gate" }], pagination: { totalItems: 1 } });
  expect(list.headers).toHaveProperty("etag", 'W/"1"');
});

it("reports all faults of query and body at once", async () => {
  service = await startTestService();
  const bad = await service.call({
    method: "POST",
    path: "/console/v1/gates",
    body: { name: "x", isEnabled: 1 },
  });
  expect(bad.status).toBe(400);
  expect(bad.json).toEqual({
    status: 400,
    message: "Bad Request Exception",
    errors: [
      { property: "name", errorMessage: "Must be at least 3 characters" },
      { property: "isEnabled", errorMessage: "Expected boolean, received number" },
    ],
  });
});

it("answers an unknown path with 404 in the documented form", async () => {
  service = await startTestService();
  const answer = await service.call({ path: "/console/v1/nothing", key: null });
  expect(answer.status).toBe(404);
  expect(answer.json).toEqual({
    status: 404,
    message: "There is no route GET /console/v1/nothing",
    errors: [],
  });
});

it("answers 412 to a write for another version", async () => {
  service = await startTestService();
  const path = "/console/v1/gates/a_gate";
  await service.call({ method: "POST", path: "/console/v1/gates", body: { name: "A Gate" } });
  const patch = (ifMatch: string) =>
    service.call({
      method: "PATCH",
      path,
      body: { description: ifMatch },
      headers: { "if-match": ifMatch },
    });
  expect(await patch('"2"')).toMatchObject({ status: 412 });
  expect(await patch('W/"1"')).toMatchObject({ status: 412 });
  expect(await patch("1")).toMatchObject({ status: 400 });
  expect(await patch('"1"')).toMatchObject({ status: 200, headers: { etag: '"2"' } });
  expect(await patch("*")).toMatchObject({ status: 200, headers: { etag: '"3"' } });
});

it("makes a hundred versions for a hundred concurrent changes, and loses no field", async () => {
  service = await startTestService();
  const path = "/console/v1/gates/a_gate";
  await service.call({ method: "POST", path: "/console/v1/gates", body: { name: "A Gate" } });
  const bodies = Array.from({ length: 100 }, (_, index) =>
    index % 2 === 0 ? { description: `change ${index}` } : { tags: [`tag ${index}`] },
  );
  const answers = await Promise.all(
    bodies.map((body) => service.call<Gate>({ method: "PATCH", path, body })),
  );
  const versions = answers.map(({ json }) => json.data.version).sort((one, other) => one - other);
  expect(versions).toEqual(Array.from({ length: 100 }, (_, index) => index + 2));
  const { json } = await service.call<Gate>({ path });
  expect(json.data).toMatchObject({ description: "change 98", tags: ["tag 99"], version: 101 });
});

it("reports faults of the query with those of the body", async () => {
  const query = z.object({ limit: z.string().regex(/^\d+$/) });
  const endpoints = fakeEndpoints({
    both: {
      route: {
        path: "/both/{id}",
        query,
        params: z.object({ id: z.string().max(3) }),
        body: z.object({ name: z.string() }),
      },
      handler: echo,
    },
  });
  service = await startTestService({ endpoints });
  const ask = async (path: string, body?: unknown) =>
    (await service.call({ method: "POST", path, body })).json;
  expect((await ask("/both/long?limit=1&limit=2", { name: 1 })).errors).toEqual([
    { property: "id", errorMessage: "Must be at most 3 characters" },
    { property: "limit", errorMessage: "Expected string, received array" },
    { property: "name", errorMessage: "Expected string, received number" },
  ]);
  expect((await ask("/both/abc")).errors).toEqual([
    { property: "limit", errorMessage: "Required" },
    { property: "", errorMessage: "Required" },
  ]);
});

it("passes the facts of a request to its handler", async () => {
  const endpoints = fakeEndpoints({
    thing: {
      route: {
        path: "/things/{id}",
        params: z.object({ id: z.string() }),
        query: z.object({ x: z.string(), y: z.string() }),
      },
      handler: echo,
    },
  });
  service = await startTestService({ endpoints });
  const { json } = await service.call({
    method: "POST",
    path: "/things/a%2Fb?x=%201&y",
    body: "[1.50]",
    headers: {
      "if-match": '"7"',
      "if-none-match": '"6"',
      "idempotency-key": "k-1",
      "x-request-id": "request-1",
    },
  });
  expect(json.data).toEqual({
    params: { id: "a/b" },
    query: { x: " 1", y: "" },
    body: [1.5],
    facts: {
      caller: expect.objectContaining({ kind: "console", scopes: ["write"], revokedTime: null }),
      requestID: "request-1",
      ifMatch: ["7"],
      ifNoneMatch: '"6"',
      origin: "http://localhost:80",
      idempotencyKey: "k-1",
      path: "/things/a%2Fb",
      queryText: "x=%201&y",
      bodyText: "[1.50]",
      stopSignal: {},
    },
  });
});
