import { omitUndefined } from "../base/omit-undefined.js";
import { hasOfrepError, ofrepError } from "../contract/ofrep.js";
import type { Access, Route, RouteTable } from "../contract/route.js";
import { routes as allRoutes } from "../contract/routes.js";
import { exampleRequests } from "./openapi-examples.js";
import { documentSchemas, entityOf, inlineSchema, type JsonSchema } from "./openapi-schemas.js";

interface Reference {
  readonly $ref: string;
}

/** A header, or a parameter of the path, the query or a header. */
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly "x-origin": "specification" | "extension";
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly "application/json": MediaType };
  };
  /** By status; those of errors are references. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

interface OpenApiOptions {
  /** Version of the service. */
  readonly version: string;
  /** Name of the header with the key. */
  readonly keyHeader: string;
  readonly routes?: RouteTable;
  /** Tags of every operation, beside the one of its resource. */
  readonly moreTags?: readonly string[];
  /** Valid bodies, by operation. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** Returns the OpenAPI 3.1 document of a route table. */
export function openApiDocument({
  version,
  keyHeader,
  routes = allRoutes,
  moreTags = [],
  examples = exampleRequests,
}: OpenApiOptions) {
  const schemas = documentSchemas(routes);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const operation = operationOf(name, route, {
      request: schemas.requests[name],
      response: schemas.responses[name],
      example: examples[name],
      moreTags,
    });
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  const groups = new Set(Object.values(routes).map(({ group }) => group));
  return {
    openapi: "3.1.1",
    info: { title: "Switchyard", version, description: introduction(keyHeader) },
    servers: [{ url: "/", description: "The service that serves this document." }],
    tags: [...groups, ...moreTags].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.components,
      parameters,
      headers,
      responses: errorResponses,
      securitySchemes: securitySchemes(keyHeader),
    },
  };
}

function securitySchemes(name: string) {
  const scheme = (description: string) => ({ type: "apiKey", in: "header", name, description });
  return {
    [securitySchemeNames.console]: scheme("Console key, `console-…`."),
    [securitySchemeNames.server]: scheme("Server secret, `secret-…`."),
    [securitySchemeNames.client]: scheme(
      "Client key, `client-…`: not secret, so browsers may have it.",
    ),
  };
}

/** Descriptions of the error statuses. Their body is always the same. */
const errorDescriptions: Readonly<Record<number, string>> = {
  400: "The request breaks the contract, or a name or id is in use. `errors` lists every fault at once.",
  401: "The key is missing, unknown, revoked, expired, or of the wrong kind.",
  403: "The key has no scope for this, or another page than the console sent its cookie.",
  404: "The entity does not exist.",
  409: "Other writers keep changing the entity. Read it and retry.",
  412: "The version of the entity is not in `If-Match`.",
  413: "The body is too large.",
  416: "The answer ends before the range.",
  415: "The body is not `application/json`, or has an unknown `Content-Encoding`.",
  429: "The key, or signing in, has used its requests per minute. Retry after `Retry-After`.",
  500: "A defect of the service. Its log has the details, under the id of the request.",
  503: "The service is starting or stopping. Retry after `Retry-After`.",
};

const statusesWithRetryAfter: readonly string[] = ["429", "503"];

/** By name: `Error404`. */
const errorResponses: Readonly<Record<string, ResponseObject>> = Object.fromEntries(
  Object.entries(errorDescriptions).map(([status, description]) => [
    `Error${status}`,
    {
      description,
      headers: {
        "X-Request-Id": { $ref: "#/components/headers/RequestId" },
        ...(statusesWithRetryAfter.includes(status)
          ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
          : {}),
      },
      content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } },
    },
  ]),
);

const headers = {
  ETag: {
    description: "Version of the entity, in quotes. Send it as `If-Match` with the next write.",
    schema: { type: "string", pattern: '^"\\d+"$' },
  },
  RequestId: {
    description: "Id of the request: the one that was sent, or a new one. The log also has it.",
    schema: { type: "string" },
  },
  RetryAfter: {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 1 },
  },
};

const parameters: Readonly<Record<string, Parameter>> = {
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      'Write only if the entity has this version: `"3"`, several with commas, or `*` for any.',
    required: false,
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "A repeated request with the same key gets the same answer and is stored once.",
    required: false,
    schema: { type: "string", minLength: 1 },
  },
};

/** Returns the introduction of the document, in CommonMark. */
function introduction(keyHeader: string): string {
  return `
Feature gates, dynamic configs, experiments, segments, prompts and qualifying events, and the route that stores analytics events.

Every call carries a key in the header \`${keyHeader}\`: console keys (\`console-…\`) open the console API, server secrets (\`secret-…\`) events and evaluation, client keys (\`client-…\`) the part of these that browsers need.

Bodies are JSON. An answer with one entity is \`{"message", "data"}\`, a list adds \`pagination\` and takes \`page\` and \`limit\`. Times are milliseconds since the Unix epoch. Requests may have unknown and read-only fields, which are ignored: an entity can be sent back as it was read. Numbers may be written as strings and are echoed unchanged.

Every accepted write makes a new \`version\`, which is also the \`ETag\` of the entity. A write with \`If-Match\` is refused with 412 if the entity has another version.

Every answer with a status of 400 or above has the body \`{"status", "message", "errors"}\`. \`errors\` lists the path of each faulty property: \`rules[0].conditions[1].type\`.
`.trim();
}

/** The schemas and the example of a route; undefined if it has none. */
interface OperationParts {
  readonly request: JsonSchema | undefined;
  readonly response: JsonSchema | undefined;
  readonly example: unknown;
  /** Tags beside the one of the resource. */
  readonly moreTags: readonly string[];
}

/** Names of the security schemes, by the access of a route. */
export const securitySchemeNames = {
  console: "consoleKey",
  server: "serverSecret",
  client: "clientKey",
} as const;

/** The kinds of keys that open a route. */
const openingSchemes: Readonly<Record<Access, readonly (keyof typeof securitySchemeNames)[]>> = {
  console: ["console"],
  server: ["server"],
  client: ["client", "server"],
  public: [],
};

function errorResponse({ ofrep }: Route, status: number): ResponseObject | Reference {
  if (status === 206) return { description: "The part of the answer that `Range` names." };
  if (status === 304) return notModified;
  if (ofrep !== true || !hasOfrepError(status))
    return { $ref: `#/components/responses/Error${status}` };
  const schema = inlineSchema(ofrepError);
  return {
    description: errorDescriptions[status] ?? "",
    content: { "application/json": { schema } },
  };
}

const notModified = { description: "The answer is the one with the ETag in `If-None-Match`." };

/** Returns the OpenAPI operation of a route. `name` is its key in the route table. */
function operationOf(name: string, route: Route, parts: OperationParts): Operation {
  const body = requestBody(route, parts);
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.group, ...parts.moreTags],
    "x-origin": route.origin,
    security: openingSchemes[route.access].map((scheme) => ({ [securitySchemeNames[scheme]]: [] })),
    parameters: parametersOf(route),
    ...omitUndefined({ requestBody: body }),
    responses: {
      [route.status]: success(route, parts),
      ...Object.fromEntries(
        errorStatuses(route).map((status) => [status, errorResponse(route, status)]),
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
      "application/json": omitUndefined({ schema: request, example }),
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
    ...(response === undefined
      ? {}
      : { content: { [route.mediaType ?? "application/json"]: { schema: response } } }),
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

function parametersIn(location: "path" | "query", route: Route): readonly Parameter[] {
  const schema = location === "path" ? route.params : route.query;
  const { properties = {}, required = [] } = inlineSchema(schema);
  const defaults = schema.safeParse({}).data ?? {};
  return Object.entries(properties).map(([name, property]) => {
    const { description = "", ...rest } = property as JsonSchema;
    const fallback = defaults[name];
    return {
      name,
      in: location,
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

/** Returns true for writes to one entity: they accept a condition on its version. */
function takesIfMatch({ method, access, path, single }: Route): boolean {
  return access === "console" && method !== "GET" && (path.includes("{") || single === true);
}

function takesIdempotencyKey({ method, access }: Route): boolean {
  return access === "server" && method === "POST";
}

/** Every method except GET parses a body, even if the route ignores it: hence 413 and 415. */
function errorStatuses(route: Route): readonly number[] {
  return [
    400,
    ...(route.access === "public" && route.method === "GET" ? [] : [401, 403, 429]),
    ...(route.path.includes("{") ? [404] : []),
    ...(route.moreStatuses ?? []),
    ...(takesIfMatch(route) ? [409, 412] : []),
    ...(route.method === "GET" ? [] : [413, 415]),
    500,
    503,
  ];
}
