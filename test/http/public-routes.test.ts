import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "../../src/base/package-files.js";
import { pageSecurityPolicy } from "../../src/http/public-routes.js";
import { createLogger } from "../../src/http/request-log.js";
import { openApiDocument } from "../../src/openapi/openapi.js";
import type { JsonSchema } from "../../src/openapi/openapi-schemas.js";
import { createService } from "../../src/service/create-service.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ keyHeader: "X-Key" });
});

afterAll(() => service.close());

test("GET /openapi.json is the document, without a key", async () => {
  const { status, headers, json } = await service.call({ path: "/openapi.json", key: null });
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(json).toEqual(
    JSON.parse(JSON.stringify(openApiDocument({ version, keyHeader: "X-Key" }))),
  );
});

test("GET /openapi/20240601.json has parameters that the official tool server can read", async () => {
  const { body } = await service.app.http.inject("/openapi/20240601.json");
  const { paths } = JSON.parse(body) as ReturnType<typeof openApiDocument>;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const schemas = operations
    .flatMap(({ tags, parameters }) => (tags.includes("MCP") ? parameters : []))
    .flatMap((parameter) => ("schema" in parameter ? [parameter.schema] : []));
  expect(schemas.flatMap(unreadable)).toEqual([]);
  expect(schemas.length).toBeGreaterThan(operations.length);
  expect(body).not.toContain('"anyOf":');
});

/** The schemas in a parameter for which the server throws and exits. */
function unreadable(schema: JsonSchema): JsonSchema[] {
  const forms = (schema.oneOf ?? []) as JsonSchema[];
  const items = schema.type === "array" ? [schema.items as JsonSchema] : [];
  const isRead =
    schema.$ref === undefined &&
    (typeof schema.type === "string"
      ? !["object", "null"].includes(schema.type) && !items.includes(undefined as never)
      : schema.type === undefined && forms.length > 1);
  return [...(isRead ? [] : [schema]), ...[...forms, ...items].flatMap(unreadable)];
}

test("GET /docs is the page, without a key, and uses no other hosts", async () => {
  const { status, headers, json } = await service.call({ path: "/docs", key: null });
  expect(status).toBe(200);
  expect(String(json)).toMatch(/^<!doctype html>.*<script src="\/docs\/renderer.js">/s);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": pageSecurityPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
});

test("GET /docs/renderer.js is compressed for clients that accept it", async () => {
  const get = (encoding: string) =>
    service.app.http.inject({
      url: "/docs/renderer.js",
      headers: { "accept-encoding": encoding },
    });
  const [plain, compressed] = [await get("identity"), await get("br, gzip")];
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(compressed.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
  expect(plain.rawPayload.includes("createApiReference")).toBe(true);
});

test.each(["/docs", "/docs/start.js", "/docs/renderer.js", "/openapi.json"])(
  "%s is only read",
  async (path) => {
    const { status, headers } = await service.call({ method: "POST", path, key: null });
    expect(status).toBe(405);
    expect(headers["allow"]).toBe("GET, HEAD, OPTIONS");
  },
);

test("both are available before the store is open", async () => {
  const app = createService({ logger: createLogger("fatal", { write: () => undefined }) });
  expect((await app.http.inject("/docs")).statusCode).toBe(200);
  expect((await app.http.inject("/openapi.json")).statusCode).toBe(200);
  expect((await app.http.inject("/readyz")).statusCode).toBe(503);
  await app.http.close();
});
