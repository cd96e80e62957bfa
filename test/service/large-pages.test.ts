import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const path = "/console/v1/gates";

it("refuses a limit that exceeds the size of an answer, and accepts a smaller one", async () => {
  const tags = ["x".repeat(1_000_000)];
  for (let count = 0; count < 34; count += 1) {
    await service.call({ method: "POST", path, body: { name: `Large ${count}`, tags } });
  }
  const { status, json } = await service.call({ path });
  expect(status).toBe(400);
  expect(json.errors).toEqual([
    {
      property: "limit",
      errorMessage: expect.stringMatching(
        /^These 34 results have 340\d{5} bytes together, and an answer holds at most 33554432: ask for fewer$/,
      ),
    },
  ]);
  const smaller = await service.call({ path: `${path}?limit=33&page=2` });
  expect(smaller.status).toBe(200);
  expect(smaller.json.pagination.totalItems).toBe(34);
});
