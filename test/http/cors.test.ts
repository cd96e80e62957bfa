import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestService, type TestService } from "../support/service.js";

const origin = "https://app.example.com";
let service: TestService;

beforeEach(async () => {
  service = await startTestService({ origins: [origin] });
});

afterEach(() => service.close());

const allowed = "access-control-allow-origin";

it("lets the pages of an origin ask, also for refusals", async () => {
  const ask = (from: string, key: string | null) =>
    service.call({
      method: "POST",
      path: "/v1/check_gate",
      key,
      body: { gateName: "beta", user: {} },
      headers: { origin: from },
    });
  const { headers, status } = await ask(origin, service.keys.client);
  expect([status, headers[allowed], headers["vary"]]).toEqual([200, origin, "origin"]);
  expect((await ask(origin, null)).headers[allowed]).toBe(origin);
  expect((await ask("https://other.example.com", null)).headers[allowed]).toBeUndefined();
});

it("answers a preflight, for the routes of client keys only", async () => {
  const asked = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type,x-api-key",
  };
  const preflight = (path: string) =>
    service.call({ method: "OPTIONS", path, key: null, headers: asked });
  for (const path of ["/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/a", "/v1/initialize"]) {
    expect(await preflight(path)).toMatchObject({
      status: 204,
      headers: {
        [allowed]: origin,
        "access-control-allow-headers": "content-type,x-api-key",
        "access-control-allow-methods": "GET, POST",
      },
    });
  }
  expect((await preflight("/console/v1/gates")).headers[allowed]).toBeUndefined();
});
