import type { FastifyInstance } from "fastify";
import { version } from "../base/package-files.js";
import { openApiDocument } from "../contract/openapi.js";
import type { RouteTable } from "../contract/openapi-schemas.js";
import { apiPage } from "./api-page.js";
import { pageSecurityPolicy } from "./api-page-style.js";
import { refuseOtherMethods } from "./route-registrar.js";

export interface DocumentFacts {
  readonly routes: RouteTable;
  /** Header that carries the key. */
  readonly keyHeader: string;
}

/**
 * The description of the API, for programs at /openapi.json and for people at /docs; `/` leads to the
 * latter. Both are made when they are first asked for, and need neither a key nor the store.
 */
export function registerDocuments(http: FastifyInstance, facts: DocumentFacts): void {
  const document = once(() => openApiDocument({ version, ...facts }));
  const text = once(() => `${JSON.stringify(document())}\n`);
  const page = once(() => apiPage(document()));

  http.get("/openapi.json", async (_, reply) =>
    reply.header("cache-control", "no-cache").type("application/json; charset=utf-8").send(text()),
  );
  http.get("/docs", async (_, reply) =>
    reply
      .headers({
        "cache-control": "no-cache",
        "content-security-policy": pageSecurityPolicy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      })
      .type("text/html; charset=utf-8")
      .send(page()),
  );
  http.get("/", async (_, reply) => reply.redirect("/docs"));
  for (const url of ["/", "/docs", "/openapi.json"]) {
    refuseOtherMethods(http, url, ["GET", "HEAD"]);
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
