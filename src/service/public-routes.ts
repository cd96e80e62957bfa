import type { FastifyInstance } from "fastify";
import { version } from "../base/package-files.js";
import { openApiDocument } from "../contract/openapi.js";
import { registerApiPage } from "./api-page.js";
import type { ServiceMetrics } from "./metrics.js";
import { type RouteTable, refuseOtherMethods } from "./route-registration.js";
import type { ServiceState } from "./service-state.js";

/** Paths of the OpenAPI document, and the tags that it adds there: tool servers select by them. */
const documentTags = { "/openapi.json": [], "/openapi/20240601.json": ["MCP"] };

interface PublicRoutesOptions {
  readonly state: Pick<ServiceState<unknown>, "requireReady">;
  readonly metrics: ServiceMetrics;
  /** Routes that the description of the API shows. */
  readonly routes: RouteTable;
  /** Header that carries the key. */
  readonly keyHeader: string;
}

/**
 * Registers the routes that take no key: for operators, and the description of the API, for programs at
 * /openapi.json and for people at /docs, where `/` leads.
 */
export function registerPublicRoutes(
  http: FastifyInstance,
  { state, metrics: { registry }, routes, keyHeader }: PublicRoutesOptions,
): void {
  const config = { frequent: true };
  http.get("/healthz", { config }, async () => ({ status: "ok" }));
  http.get("/readyz", { config }, async () => {
    state.requireReady();
    return { status: "ready" };
  });
  http.get("/metrics", { config }, async (_request, reply) => {
    reply.type(registry.contentType);
    return registry.metrics();
  });

  for (const [url, moreTags] of Object.entries(documentTags)) {
    let document: string | undefined;
    http.get(url, async (_, reply) => {
      document ??= `${JSON.stringify(openApiDocument({ version, routes, keyHeader, moreTags }))}\n`;
      reply.header("cache-control", "no-cache").type("application/json; charset=utf-8");
      return reply.send(document);
    });
  }
  for (const url of ["/healthz", "/readyz", "/metrics", ...Object.keys(documentTags)]) {
    refuseOtherMethods(http, url, ["GET", "HEAD"]);
  }
  registerApiPage(http);
}
