import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { builtFile, version } from "../base/package-files.js";
import type { RouteTable } from "../contract/route.js";
import { openApiDocument, securitySchemeNames } from "../openapi/openapi.js";
import type { ServiceMetrics } from "./metrics.js";
import { registerPage } from "./page-routes.js";
import { refuseOtherMethods } from "./route-registration.js";
import type { ServiceState } from "./service-state.js";

/** Paths of the OpenAPI document, and the tags that it adds: tool servers select operations by tag. */
const documentTags = { "/openapi.json": [], "/openapi/20240601.json": ["MCP"] };

/**
 * Returns a document for tool servers: they read alternatives only as `oneOf`. `anyOf` is more exact, because
 * an empty array is both a list of texts and a list of numbers.
 */
function forTools(document: string): string {
  return document.replaceAll('"anyOf":', '"oneOf":');
}

interface PublicRoutesOptions {
  readonly state: Pick<ServiceState, "checkReady">;
  readonly metrics: ServiceMetrics;
  /** Routes that the description of the API shows. */
  readonly routes: RouteTable;
  /** Header that carries the key. */
  readonly keyHeader: string;
}

/**
 * Registers the routes without a key: those for operators, and the description of the API, for programs at
 * /openapi.json and for people at /docs, and the web console.
 */
export function registerPublicRoutes(
  http: FastifyInstance,
  { state, metrics: { registry }, routes, keyHeader }: PublicRoutesOptions,
): void {
  const config = { frequent: true };
  http.get("/healthz", { config }, async () => ({ status: "ok" }));
  http.get("/readyz", { config }, async () => {
    await state.checkReady();
    return { status: "ready" };
  });
  http.get("/metrics", { config }, async (_request, reply) => {
    reply.type(registry.contentType);
    return registry.metrics();
  });

  for (const [url, moreTags] of Object.entries(documentTags)) {
    let document: string | undefined;
    http.get(url, async (_, reply) => {
      if (document === undefined) {
        const text = JSON.stringify(openApiDocument({ version, routes, keyHeader, moreTags }));
        document = `${moreTags.length > 0 ? forTools(text) : text}\n`;
      }
      reply.header("cache-control", "no-cache").type("application/json; charset=utf-8");
      return reply.send(document);
    });
  }
  for (const url of ["/healthz", "/readyz", "/metrics", ...Object.keys(documentTags)]) {
    refuseOtherMethods(http, url, ["GET", "HEAD"]);
  }
  registerApiPage(http);
  registerPage(http);
}

/**
 * Allows only scripts of this service. Styles may be inline, because the renderer creates them while it
 * runs.
 */
export const pageSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchyard API</title>
<link rel="icon" href="data:,">
<style>
.skip { position: fixed; top: -4rem; left: 0.5rem; z-index: 100; padding: 0.5rem 1rem; }
.skip { background: #fff; color: #0b57d0; font: 1rem sans-serif; }
.skip:focus { top: 0.5rem; }
</style>
</head>
<body>
<a class="skip" href="#api">Skip to the content</a>
<div id="api"></div>
<noscript><main>This page needs JavaScript. The description of the API is at <a href="/openapi.json">/openapi.json</a>.</main></noscript>
<script src="/docs/renderer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Settings of the renderer: nothing is loaded from other hosts, and keys are not stored. */
const settings = {
  url: "/openapi.json",
  authentication: { preferredSecurityScheme: securitySchemeNames.console },
  persistAuth: false,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  proxyUrl: "",
  hideClientButton: true,
  showDeveloperTools: "never",
};
// The renderer would send calls to the server "/" of the document with two slashes.
const start = `Scalar.createApiReference("#api", {
  ...${JSON.stringify(settings)},
  servers: [{ url: location.origin }],
});
document.querySelector(".skip").addEventListener("click", (event) => {
  const content = document.querySelector("main");
  // The renderer takes the fragment of the address for an endpoint.
  event.preventDefault();
  content.tabIndex = -1;
  content.focus();
});
`;

const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/**
 * Registers Scalar's API reference, which the build puts into dist/assets/. It shows and searches
 * /openapi.json and can make calls.
 */
function registerApiPage(http: FastifyInstance): void {
  const headers = {
    "cache-control": "no-cache",
    "content-security-policy": pageSecurityPolicy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
  http.get("/docs", async (_, reply) =>
    reply.headers(headers).type("text/html; charset=utf-8").send(page),
  );
  http.get("/docs/start.js", async (_, reply) =>
    reply.headers(headers).type(SCRIPT_TYPE).send(start),
  );
  let compressed: Buffer | undefined;
  http.get("/docs/renderer.js", async (request, reply) => {
    compressed ??= readFileSync(builtFile("assets/api-page.js.gz"));
    reply.headers({ ...headers, "cache-control": "max-age=3600", vary: "accept-encoding" });
    reply.type(SCRIPT_TYPE);
    if (!/\bgzip\b/.test(String(request.headers["accept-encoding"]))) {
      return reply.send(gunzipSync(compressed));
    }
    return reply.header("content-encoding", "gzip").send(compressed);
  });
  for (const url of ["/docs", "/docs/start.js", "/docs/renderer.js"]) {
    refuseOtherMethods(http, url, ["GET", "HEAD"]);
  }
}
