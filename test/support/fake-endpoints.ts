import { z } from "zod";
import { noBody, noParams, noQuery, type Route } from "../../src/contract/route.js";
import type { Endpoints } from "../../src/http/app.js";
import type { Handler, HandlerAnswer, HandlerCall } from "../../src/http/handler.js";

/** A made-up route; members that a test leaves out have defaults. */
function fakeRoute(route: Partial<Route> = {}): Route {
  return {
    method: "POST",
    path: "/fake",
    access: "console",
    summary: "Do something",
    group: "Fakes",
    origin: "extension",
    params: noParams,
    query: noQuery,
    body: noBody,
    status: 200,
    message: "Done.",
    response: z.unknown(),
    ...route,
  };
}

export interface FakeOperation {
  readonly route?: Partial<Route>;
  readonly handler: Handler<Route>;
}

/** Endpoints of made-up operations, by their names. */
export function fakeEndpoints(operations: Readonly<Record<string, FakeOperation>>): Endpoints {
  const names = Object.entries(operations);
  return {
    routes: Object.fromEntries(names.map(([name, { route }]) => [name, fakeRoute(route)])),
    createHandlers: () => Object.fromEntries(names.map(([name, { handler }]) => [name, handler])),
  };
}

/** Echoes the request. */
export async function echo({
  params,
  query,
  body,
  ...facts
}: HandlerCall<Route>): Promise<HandlerAnswer> {
  return { content: { data: { params, query, body, facts } } };
}
