import type { FastifyInstance } from "fastify";
import type { ServiceMetrics } from "./metrics.js";
import { refuseOtherMethods } from "./route-registrar.js";
import type { ServiceState } from "./service-state.js";

/** Paths for those who run the service; none takes a key. */
export function registerOperations(
  http: FastifyInstance,
  state: Pick<ServiceState<unknown>, "requireReady">,
  { registry }: ServiceMetrics,
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
  for (const url of ["/healthz", "/readyz", "/metrics"]) {
    refuseOtherMethods(http, url, ["GET", "HEAD"]);
  }
}
