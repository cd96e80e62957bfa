import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Access, Route } from "../../src/contract/route.js";
import { routes } from "../../src/contract/routes.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const table = Object.entries(routes as Readonly<Record<string, Route>>);
const kindNames: Readonly<Record<Access, string>> = {
  console: "console key",
  server: "server secret",
  client: "client key or server secret",
  public: "",
};

/** A body that no route takes: who gets past the check of the key is told of it. */
const notJson = "{";

function pathOf({ path }: Route): string {
  return path.replace(/\{\w+\}/g, "some_id");
}

describe.each(table.filter(([, { access }]) => access !== "public"))("%s", (_name, route) => {
  const path = pathOf(route);
  const isRead = route.method === "GET";
  const isOpenToReaders = isRead || route.right !== undefined;
  /** Statuses that only a request with a good key gets. */
  const passed = route.query.safeParse({}).success ? [200, 404] : [400];
  const refusal = async (key: string | null) => {
    const body = isRead ? undefined : notJson;
    const { status, headers, json } = await service.call({ ...route, path, key, body });
    const { errorDetails = json.message } = json as { readonly errorDetails?: string };
    return { ...json, message: errorDetails, status, challenge: headers["www-authenticate"] };
  };
  const unauthorized = (message: unknown) => ({
    status: 401,
    challenge: 'ApiKey header="SERVICE-API-KEY"',
    message,
    errors: [],
  });

  // A secret in the path is there in any case.
  if (!route.path.endsWith("{secret}")) {
    it("needs a key", async () => {
      const wanted = kindNames[route.access];
      expect(await refusal(null)).toEqual(
        unauthorized(`A key is missing: send a ${wanted} in the header SERVICE-API-KEY.`),
      );
    });
  }

  it("refuses an unknown key", async () => {
    expect(await refusal("console-of-somebody-else")).toEqual(
      unauthorized(
        `The key that begins with console- is unknown: send a ${kindNames[route.access]}.`,
      ),
    );
  });

  it("refuses a key of the wrong kind", async () => {
    const { keys } = service;
    const wrong = route.access === "console" ? keys.server : keys.console;
    expect(await refusal(wrong)).toEqual(
      unauthorized(expect.stringContaining(`Expected a ${kindNames[route.access]}, but the key`)),
    );
  });

  it("refuses a revoked key", async () => {
    expect(await refusal(service.keys.revoked)).toEqual(
      unauthorized("The key that begins with console- was revoked at 2026-01-15T12:00:00.000Z."),
    );
  });

  // A stream has no end: test/service/live-streams.test.ts.
  if (route.mediaType === "text/event-stream") return;

  it(`${isOpenToReaders ? "takes" : "refuses"} a key that may only read`, async () => {
    const { status, message } = await refusal(service.keys.readOnly);
    if (route.access !== "console") expect(status).toBe(401);
    else if (isRead) expect(passed).toContain(status);
    else if (isOpenToReaders) expect(status).toBe(400);
    else
      expect({ status, message }).toEqual({
        status: 403,
        message: expect.stringMatching(/is read-only/),
      });
  });

  it("takes the right key", async () => {
    const { status, message } = await refusal(
      route.access === "console" ? service.keys.console : service.keys.server,
    );
    if (isRead) expect(passed).toContain(status);
    else
      expect({ status, message }).toEqual({
        status: 400,
        message: expect.stringMatching(/not valid JSON/),
      });
  });
});

it("accepts HEAD like GET, and only with a key", async () => {
  const path = "/console/v1/gates";
  const head = await service.call({ method: "HEAD", path, key: service.keys.readOnly });
  expect(head).toMatchObject({ status: 200, json: undefined });
  expect(head.headers["content-length"]).toBeDefined();
  expect(await service.call({ method: "HEAD", path, key: null })).toMatchObject({ status: 401 });
});

it("refuses an empty key like a missing one", async () => {
  const { status, json } = await service.call({ path: "/console/v1/gates", key: "" });
  expect(status).toBe(401);
  expect(json.message).toMatch(/^A key is missing/);
});

it("never returns a whole key, not even a short one", async () => {
  const { json } = await service.call({ path: "/console/v1/gates", key: "opensesame" });
  expect(json.message).toContain("opens ");
  expect(JSON.stringify(json)).not.toContain("opensesame");
});

it("refuses a revoked key at once", async () => {
  const own = await startTestService();
  const path = "/console/v1/gates";
  expect(await own.call({ path })).toMatchObject({ status: 200 });
  for (const { id } of await own.store.keys.list()) await own.store.keys.revoke(id, 0);
  expect(await own.call({ path })).toMatchObject({ status: 401 });
  await own.close();
});

it("accepts the key in a configured header", async () => {
  const own = await startTestService({ keyHeader: "X-Other-Key" });
  const path = "/console/v1/gates";
  expect(await own.call({ path })).toMatchObject({ status: 200 });
  const usual = { "service-api-key": own.keys.console };
  const refused = await own.call({ path, key: null, headers: usual });
  expect(refused).toMatchObject({
    status: 401,
    json: { message: expect.stringContaining("in the header X-Other-Key") },
  });
  await own.close();
});
