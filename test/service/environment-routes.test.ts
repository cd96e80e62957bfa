import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

const path = "/console/v1/environments";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

interface Environments {
  readonly environments: readonly AnyObject[];
}

async function call(method: string, body?: unknown, headers = {}, query = "") {
  const answer = await service.call<Environments>({
    method: method as "GET",
    path: `${path}${query}`,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { ...answer.json, status: answer.status, etag: answer.headers["etag"] };
}

const flags = { isProduction: false, requiresReview: false, requiresReleasePipeline: false };

describe("environments", () => {
  it("are development, staging and production at first", async () => {
    expect(await call("GET")).toMatchObject({
      status: 200,
      message: "Environments read successfully.",
      etag: '"0"',
      data: {
        environments: [
          { name: "development", id: "development", ...flags },
          { name: "staging", id: "staging", ...flags },
          { name: "production", id: "production", ...flags, isProduction: true },
        ],
      },
    });
  });

  it("are replaced; those without an id keep the one of their name", async () => {
    const environments = [
      { name: "production", ...flags, isProduction: true },
      { name: "latest", ...flags },
      { name: "staging", id: "0.015", ...flags },
    ];
    const { data, message, ...rest } = await call("POST", { environments });
    expect(message).toBe("Environments updated successfully.");
    expect(rest).not.toHaveProperty("warnings");
    expect(data.environments).toEqual([
      { ...environments[0], id: "production" },
      { ...environments[1], id: expect.stringMatching(/^\w{22}$/) },
      environments[2],
    ]);
    expect(await call("GET")).toMatchObject({ data, etag: '"1"' });
    expect(await call("POST", data)).toMatchObject({ data: { environments: data.environments } });
  });

  it("are stored with reviews and pipelines, with a warning that nothing is held back", async () => {
    const environments = [{ name: "production", ...flags, requiresReview: true }];
    expect(await call("POST", { environments })).toMatchObject({
      status: 200,
      data: { environments: [{ requiresReview: true }] },
      warnings: [{ property: "environments[0].requiresReview" }],
    });
  });

  it.each([
    [{}, "environments"],
    [{ environments: [] }, "environments"],
    [{ environments: [{ isProduction: true }] }, "environments[0].name"],
    [{ environments: [{ name: "a" }] }, "environments[0].isProduction"],
    [
      {
        environments: [
          { name: "a", ...flags },
          { name: "a", ...flags },
        ],
      },
      "environments[1].name",
    ],
    [
      {
        environments: [
          { name: "a", id: "1", ...flags },
          { name: "b", id: "1", ...flags },
        ],
      },
      "environments[1].id",
    ],
  ])("refuse %j", async (body, property) => {
    const { status, errors } = await call("POST", body);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property }] });
  });

  it("are written only to the version that If-Match names, and not by a dry run", async () => {
    const body = { environments: [{ name: "production", ...flags }] };
    expect(await call("POST", body, { "if-match": '"3"' })).toMatchObject({ status: 412 });
    expect(await call("POST", body, {}, "?dryRun=true")).toMatchObject({ etag: '"1"' });
    expect(await call("GET")).toMatchObject({ etag: '"0"' });
  });
});
