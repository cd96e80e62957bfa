import { afterEach, expect, it } from "vitest";
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
  expect(list.headers).not.toHaveProperty("etag");
});

it("tells all faults of query and body at once", async () => {
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

it("answers a path that it does not know with 404 in the documented form", async () => {
  service = await startTestService();
  const answer = await service.call({ path: "/console/v1/nothing", key: null });
  expect(answer.status).toBe(404);
  expect(answer.json).toEqual({
    status: 404,
    message: "There is no route GET /console/v1/nothing",
    errors: [],
  });
});
