import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { faultsOf } from "../../src/contract/faults.js";
import { idParams, noBody, noParams, noQuery, type Route } from "../../src/contract/route.js";
import { routes } from "../../src/contract/routes.js";
import { type Operation, openApiDocument } from "../../src/openapi/openapi.js";
import { exampleRequests } from "../../src/openapi/openapi-examples.js";
import type { JsonSchema } from "../../src/openapi/openapi-schemas.js";

const options = { version: "1.2.3", keyHeader: "SERVICE-API-KEY" };
const document = openApiDocument(options);

/** Every operation with where it stands. */
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation: operation as Operation,
  })),
);

function operationCalled(name: string): Operation {
  const found = operations.find(({ operation }) => operation.operationId === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found.operation;
}

/** Paths of the fields that no description explains, neither their own nor their component's. */
function undescribed(schema: JsonSchema, at: string): string[] {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const inner = [
    ...fields.map(([name, field]) => [field, `${at}.${name}`] as const),
    ...[schema.anyOf ?? [], schema.oneOf ?? [], schema.items ?? []]
      .flat()
      .map((form) => [form as JsonSchema, at] as const),
  ];
  const missing = fields
    .filter(([, field]) => !isDescribed(field))
    .map(([name]) => `${at}.${name}`);
  return [...missing, ...inner.flatMap(([form, place]) => undescribed(form, place))];
}

function isDescribed(schema: JsonSchema): boolean {
  if ((schema.description ?? "") !== "") return true;
  const name = schema.$ref?.replace("#/components/schemas/", "");
  if (name !== undefined) return isDescribed(document.components.schemas[name] ?? {});
  if (schema.type === "array") return isDescribed(schema.items as JsonSchema);
  const forms = (schema.anyOf ?? []) as JsonSchema[];
  return forms.some(isDescribed);
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone({ ...document }));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test("has every route of the table once, under its own name", () => {
    const found = operations.map(({ method, path, operation }) => [
      operation.operationId,
      `${method} ${path}`,
    ]);
    const expected = Object.entries(routes).map(([name, { method, path }]) => [
      name,
      `${method} ${path}`,
    ]);
    expect(found.sort()).toEqual(expected.sort());
  });

  test("says which operations go beyond the specification", () => {
    expect(operationCalled("createGate")["x-origin"]).toBe("specification");
    expect(operationCalled("launchGate")["x-origin"]).toBe("extension");
  });

  test("describes every field of every schema", () => {
    const { schemas } = document.components;
    expect(Object.entries(schemas).flatMap(([name, schema]) => undescribed(schema, name))).toEqual(
      [],
    );
  });

  test("describes every parameter", () => {
    const parameters = operations.flatMap(({ operation }) => operation.parameters);
    const bare = parameters.filter((one) => "name" in one && one.description === "");
    expect(bare).toEqual([]);
  });

  test("has no dangling reference", () => {
    const text = JSON.stringify(document);
    const pointers = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]);
    const missing = [...pointers].filter(([, kind = "", name = ""]) => {
      const components = document.components as Readonly<Record<string, object>>;
      return !Object.hasOwn(components[kind] ?? {}, name);
    });
    expect(missing.map(([pointer]) => pointer)).toEqual([]);
    expect(pointers.size).toBe([...text.matchAll(/"\$ref"/g)].length);
  });

  test("has separate schemas for requests and responses of a resource", () => {
    const { schemas } = document.components;
    expect(schemas["CreateGateRequest"]?.properties).not.toHaveProperty("version");
    expect(schemas["Gate"]?.properties).toHaveProperty("version");
    expect(schemas["CreateGateRequest"]?.required).toEqual(["name"]);
  });

  test("names the key's header as configured, in the security schemes and in the text", () => {
    const other = openApiDocument({ ...options, keyHeader: "X-Key" });
    const { consoleKey, serverSecret } = other.components.securitySchemes;
    expect([consoleKey?.name, serverSecret?.name]).toEqual(["X-Key", "X-Key"]);
    expect(other.info.description).toContain("`X-Key`");
    expect(JSON.stringify(other)).not.toContain("SERVICE-API-KEY");
  });

  test("requires a key like the route", () => {
    for (const { operation } of operations) {
      const { access } = (routes as Readonly<Record<string, Route>>)[
        operation.operationId
      ] as Route;
      const schemes = operation.security.flatMap(Object.keys);
      const expected = {
        console: ["consoleKey"],
        server: ["serverSecret"],
        client: ["clientKey", "serverSecret"],
        public: [],
      };
      expect(schemes).toEqual(expected[access]);
    }
  });

  test("gives lists their page, limit and offset with bounds and defaults", () => {
    expect(operationCalled("listGateVersions").parameters.slice(1)).toEqual([
      {
        name: "limit",
        in: "query",
        required: false,
        description: "Results per page.",
        schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
      },
      {
        name: "page",
        in: "query",
        required: false,
        description: "Page number, from 1.",
        schema: { type: "integer", minimum: 1, default: 1 },
      },
      {
        name: "offset",
        in: "query",
        required: false,
        description: expect.stringContaining("Results before the page"),
        schema: { type: "integer", minimum: 0 },
      },
    ]);
  });

  test("offers If-Match on writes of one entity, and returns its version", () => {
    const ifMatch = { $ref: "#/components/parameters/IfMatch" };
    expect(operationCalled("patchGate").parameters).toContainEqual(ifMatch);
    expect(operationCalled("deleteGate").parameters).toContainEqual(ifMatch);
    expect(operationCalled("createGate").parameters).not.toContainEqual(ifMatch);
    expect(operationCalled("readGate").parameters).not.toContainEqual(ifMatch);
    expect(operationCalled("readGate").responses["200"]).toHaveProperty("headers.ETag");
    expect(operationCalled("listGates").responses["200"]).not.toHaveProperty("headers.ETag");
    expect(Object.keys(operationCalled("patchGate").responses)).toContain("412");
  });

  test("marks a body as optional if the route does", () => {
    expect(operationCalled("createGate").requestBody?.required).toBe(true);
    expect(operationCalled("archiveGate").requestBody?.required).toBe(false);
    expect(operationCalled("disableGate").requestBody).toBeUndefined();
  });

  test("gives a route on a server secret its Idempotency-Key", () => {
    const send: Route = {
      method: "POST",
      path: "/v1/send",
      access: "server",
      summary: "Send",
      group: "Events",
      origin: "specification",
      params: noParams,
      query: noQuery,
      status: 202,
      message: "",
      body: z.object({ event: z.string() }),
      response: z.object({ success: z.boolean() }),
    };
    const { paths } = openApiDocument({ ...options, routes: { send }, examples: {} });
    expect(paths["/v1/send"]?.["post"]).toMatchObject({
      parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }],
      security: [{ serverSecret: [] }],
      responses: { "202": { description: "Send" } },
    });
  });

  test("has no 404 without a parameter, and no 415 for reads", () => {
    expect(Object.keys(operationCalled("listGates").responses)).not.toContain("404");
    expect(Object.keys(operationCalled("listGates").responses)).not.toContain("415");
    expect(Object.keys(operationCalled("patchGate").responses)).toEqual(
      expect.arrayContaining(["404", "413", "415"]),
    );
    expect(Object.keys(operationCalled("disableGate").responses)).toContain("415");
  });
});

describe("the examples", () => {
  const withBody = Object.entries<Route>(routes).filter(([, { body }]) => body !== noBody);

  test.each(withBody)("%s has one, and it fits its schema", (name, { body }) => {
    const example = (exampleRequests as Readonly<Record<string, unknown>>)[name];
    expect(example).toBeDefined();
    const { error } = body.safeParse(example, { reportInput: true });
    expect(error === undefined ? [] : faultsOf(error)).toEqual([]);
    expect(operationCalled(name).requestBody?.content["application/json"].example).toBe(example);
  });

  test("are really checked against their schemas", () => {
    expect(routes.createGate.body.safeParse({ name: "" }).success).toBe(false);
    expect(idParams.safeParse({}).success).toBe(false);
  });
});
