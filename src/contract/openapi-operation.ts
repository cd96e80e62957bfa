import { entityOf, inlineSchema } from "./openapi-schemas.js";
import type {
  JsonSchema,
  Operation,
  Parameter,
  Reference,
  ResponseObject,
} from "./openapi-types.js";
import type { Route } from "./route.js";

/** The schemas and the example of a route; undefined if it has none. */
interface OperationParts {
  readonly request: JsonSchema | undefined;
  readonly response: JsonSchema | undefined;
  readonly example: unknown;
  /** Tags beside the one of the resource. */
  readonly moreTags: readonly string[];
}

/** Names of the security schemes, by the access of a route. */
export const securitySchemeNames = { console: "consoleKey", server: "serverSecret" } as const;

/** Returns the OpenAPI operation of a route. `name` is its key in the route table. */
export function operationOf(name: string, route: Route, parts: OperationParts): Operation {
  const body = requestBody(route, parts);
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.group, ...parts.moreTags],
    "x-origin": route.origin,
    security: route.access === "public" ? [] : [{ [securitySchemeNames[route.access]]: [] }],
    parameters: parametersOf(route),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      [route.status]: success(route, parts),
      ...Object.fromEntries(
        errorStatuses(route).map((status) => [
          status,
          { $ref: `#/components/responses/Error${status}` },
        ]),
      ),
    },
  };
}

function requestBody(
  { body }: Route,
  { request, example }: OperationParts,
): Operation["requestBody"] {
  if (request === undefined) return undefined;
  return {
    required: !body.safeParse(undefined).success,
    content: {
      "application/json": { schema: request, ...(example === undefined ? {} : { example }) },
    },
  };
}

function success(route: Route, { response }: OperationParts): ResponseObject {
  return {
    description: route.message === "" ? route.summary : route.message,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(hasVersion(route) ? { ETag: { $ref: "#/components/headers/ETag" } } : {}),
    },
    ...(response === undefined ? {} : { content: { "application/json": { schema: response } } }),
  };
}

function hasVersion({ response }: Route): boolean {
  return entityOf(response)?.shape["version"] !== undefined;
}

function parametersOf(route: Route): readonly (Parameter | Reference)[] {
  return [
    ...parametersIn("path", route),
    ...parametersIn("query", route),
    ...(takesIfMatch(route) ? [{ $ref: "#/components/parameters/IfMatch" }] : []),
    ...(takesIdempotencyKey(route) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
}

function parametersIn(place: "path" | "query", route: Route): readonly Parameter[] {
  const schema = place === "path" ? route.params : route.query;
  const { properties = {}, required = [] } = inlineSchema(schema);
  const defaults = schema.safeParse({}).data ?? {};
  return Object.entries(properties).map(([name, property]) => {
    const { description = "", ...rest } = property as JsonSchema;
    const fallback = defaults[name];
    return {
      name,
      in: place,
      description,
      required: required.includes(name),
      schema: textSchema(fallback === undefined ? rest : { ...rest, default: fallback }),
    };
  });
}

/** Removes the text form of numbers: in a URL every value is text. */
function textSchema(schema: JsonSchema): JsonSchema {
  const { type, pattern: _, multipleOf, ...bounds } = schema;
  if (!Array.isArray(type) || !type.includes("number")) return schema;
  return { type: multipleOf === 1 ? "integer" : "number", ...bounds };
}

/** True for writes to one entity: they accept a condition on its version. */
function takesIfMatch({ method, access, path }: Route): boolean {
  return access === "console" && method !== "GET" && path.includes("{");
}

function takesIdempotencyKey({ method, access }: Route): boolean {
  return access === "server" && method === "POST";
}

/** Every method except GET parses a body, also on routes that use none: hence 413 and 415. */
function errorStatuses(route: Route): readonly number[] {
  return [
    400,
    ...(route.access === "public" ? [] : [401, 403]),
    ...(route.path.includes("{") ? [404] : []),
    ...(takesIfMatch(route) ? [409, 412] : []),
    ...(route.method === "GET" ? [] : [413, 415]),
    500,
    503,
  ];
}
