import { exampleRequests } from "./openapi-examples.js";
import { operationOf, securitySchemeNames } from "./openapi-operation.js";
import { documentSchemas, type RouteTable } from "./openapi-schemas.js";
import type { OpenApiDocument, PathItem, ResponseObject, SecurityScheme } from "./openapi-types.js";
import { routes as allRoutes } from "./routes.js";

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
}: OpenApiOptions): OpenApiDocument {
  const schemas = documentSchemas(routes);
  const paths: Record<string, PathItem> = {};
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

function securitySchemes(name: string): Readonly<Record<string, SecurityScheme>> {
  const scheme = (description: string): SecurityScheme => ({
    type: "apiKey",
    in: "header",
    name,
    description,
  });
  return {
    [securitySchemeNames.console]: scheme("Console key, `console-…`."),
    [securitySchemeNames.server]: scheme("Server secret, `secret-…`."),
  };
}

/** Descriptions of the error statuses. Their body is always the same. */
const errorDescriptions: Readonly<Record<number, string>> = {
  400: "The request breaks the contract, or a name or id is in use. `errors` lists every fault at once.",
  401: "The key is missing, unknown, revoked, or of the wrong kind.",
  403: "The key may not do this.",
  404: "The entity does not exist.",
  409: "Other writers keep changing the entity. Read it and retry.",
  412: "The version of the entity is not in `If-Match`.",
  413: "The body is too large.",
  415: "The body is not `application/json`, or has an unknown `Content-Encoding`.",
  500: "A defect of the service. Its log has the details, under the id of the request.",
  503: "The service is starting or stopping. Retry after `Retry-After`.",
};

const statusesWithRetryAfter: readonly string[] = ["503"];

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

export const headers: OpenApiDocument["components"]["headers"] = {
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

export const parameters: OpenApiDocument["components"]["parameters"] = {
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

Every call carries a key in the header \`${keyHeader}\`: console keys (\`console-…\`) open the console API, server secrets (\`secret-…\`) the event route.

Bodies are JSON. An answer with one entity is \`{"message", "data"}\`, a list adds \`pagination\` and takes \`page\` and \`limit\`. Times are milliseconds since the Unix epoch. Requests may have unknown and read-only fields, which are ignored: an entity can be sent back as it was read. Numbers may be written as strings and are echoed unchanged.

Every accepted write makes a new \`version\`, which is also the \`ETag\` of the entity. A write with \`If-Match\` is refused with 412 if the entity has another version.

Every answer with a status of 400 or above has the body \`{"status", "message", "errors"}\`. \`errors\` lists the path of each faulty property: \`rules[0].conditions[1].type\`.
`.trim();
}
