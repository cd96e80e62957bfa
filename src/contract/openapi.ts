import { exampleRequests } from "./openapi-examples.js";
import { operationOf, securitySchemeNames } from "./openapi-operation.js";
import { documentSchemas, type RouteTable } from "./openapi-schemas.js";
import { errorResponses, headers, introduction, parameters } from "./openapi-shared.js";
import type { OpenApiDocument, PathItem, SecurityScheme } from "./openapi-types.js";
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
