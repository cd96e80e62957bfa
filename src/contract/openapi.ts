import { exampleRequests } from "./openapi-examples.js";
import { operationOf, securitySchemeNames } from "./openapi-operation.js";
import { documentSchemas, type RouteTable } from "./openapi-schemas.js";
import type { OpenApiDocument, PathItem, ResponseObject, SecurityScheme } from "./openapi-types.js";
import { routes as allRoutes } from "./routes.js";

export interface OpenApiOptions {
  /** Version of the software that answers. */
  readonly version: string;
  /** Header that carries the key. */
  readonly keyHeader: string;
  readonly routes?: RouteTable;
  /** Bodies that fit, by operation. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** The whole API as an OpenAPI 3.1 document, made of the route table alone. */
export function openApiDocument({
  version,
  keyHeader,
  routes = allRoutes,
  examples = exampleRequests,
}: OpenApiOptions): OpenApiDocument {
  const schemas = documentSchemas(routes);
  const paths: Record<string, PathItem> = {};
  for (const [name, route] of Object.entries(routes)) {
    const operation = operationOf(name, route, {
      request: schemas.requests[name],
      response: schemas.responses[name],
      example: examples[name],
    });
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  const groups = new Set(Object.values(routes).map(({ group }) => group));
  return {
    openapi: "3.1.1",
    info: { title: "Switchyard", version, description: introduction(keyHeader) },
    servers: [{ url: "/", description: "The service that serves this document." }],
    tags: [...groups].map((name) => ({ name })),
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

/** What the document says about each error status; the body is always the same. */
const errorDescriptions: Readonly<Record<number, string>> = {
  400: "The request breaks the contract, or a name or id is in use. `errors` lists every fault at once.",
  401: "The key is missing, unknown, revoked, or of the wrong kind.",
  403: "The key does not have the right to do this.",
  404: "There is no such entity.",
  409: "Other writers keep changing the entity: read it and try again.",
  412: "The entity has another version than `If-Match` names.",
  413: "The body is larger than the service takes.",
  415: "The body is not `application/json`.",
  429: "Too many requests: try again after `Retry-After`.",
  500: "A defect of the service. Its log says more, under the request's id.",
  503: "The service is starting or stopping: try again after `Retry-After`.",
};

const statusesWithRetryAfter: readonly string[] = ["429", "503"];

/** By name: `Error404`. */
export const errorResponses: Readonly<Record<string, ResponseObject>> = Object.fromEntries(
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
    description: "Version of the entity, in quotes: send it as `If-Match` with the next write.",
    schema: { type: "string", pattern: '^"\\d+"$' },
  },
  RequestId: {
    description: "Id of the request: the one that was sent, or a new one. The log has it too.",
    schema: { type: "string" },
  },
  RetryAfter: {
    description: "Seconds after which it is worth another try.",
    schema: { type: "integer", minimum: 1 },
  },
};

export const parameters: OpenApiDocument["components"]["parameters"] = {
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: 'Write only if the entity has this version: `"3"`, several with commas, or `*`.',
    required: false,
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A request that is sent again with the same key is answered alike and stored once.",
    required: false,
    schema: { type: "string", minLength: 1 },
  },
};

/** CommonMark, as OpenAPI has it: paragraphs and `code`. */
export function introduction(keyHeader: string): string {
  return `
Feature gates, dynamic configs, experiments, segments, prompts and qualifying events, and the route that takes analytics events.

Every call carries a key in the header \`${keyHeader}\`: console keys (\`console-…\`) open the console API, server secrets (\`secret-…\`) the event route.

Bodies are JSON. An answer with one entity is \`{"message", "data"}\`, a list adds \`pagination\` and takes \`page\` and \`limit\`. Times are milliseconds since the Unix epoch. Fields that are unknown or read-only are ignored in requests, so an entity can be sent back as it was read; numbers may be written as strings and are echoed as they came.

Every accepted write makes a new \`version\`, which is also the \`ETag\` of the entity. A write with \`If-Match\` is refused with 412 when somebody else was faster.

Every status of 400 and above has the body \`{"status", "message", "errors"}\`; \`errors\` names each property that is at fault, by its path: \`rules[0].conditions[1].type\`.
`.trim();
}
