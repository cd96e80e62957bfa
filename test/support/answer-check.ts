import { expect } from "vitest";
import { errorBody } from "../../src/contract/common.js";
import type { RouteTable } from "../../src/contract/route.js";
import { routes as allRoutes } from "../../src/contract/routes.js";
import { isOfrepError, type ResponseChecker, responseChecker } from "./openapi-responses.js";
import type { TestAnswer, TestCall } from "./service.js";

/** Routes about the service itself, which are not in the OpenAPI document. */
const undocumentedPaths: readonly string[] = [
  "/",
  "/docs",
  "/openapi.json",
  "/healthz",
  "/readyz",
  "/metrics",
];

const checkers = new WeakMap<RouteTable, ResponseChecker>();

/** Checks what holds for every answer of the service, in any test. */
export function checkAnswer(
  call: TestCall,
  answer: TestAnswer,
  routes: RouteTable = allRoutes,
): void {
  const { method = "GET", path } = call;
  const where = `${method} ${path}`;
  expect(answer.headers, where).toHaveProperty("x-request-id");
  if (method === "HEAD") return;
  if (answer.status >= 400 && !isOfrepError(path, answer.status)) {
    expect(errorBody.strict().parse(answer.json), where).toMatchObject({ status: answer.status });
  }
  if (undocumentedPaths.includes(path.split("?", 1)[0] ?? "")) return;
  checkerOf(routes)({ method, path, status: answer.status, body: answer.json });
}

function checkerOf(routes: RouteTable): ResponseChecker {
  const checker = checkers.get(routes) ?? responseChecker(routes);
  checkers.set(routes, checker);
  return checker;
}
