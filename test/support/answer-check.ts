import { expect } from "vitest";
import { errorBody } from "../../src/contract/envelope.js";
import type { TestAnswer, TestCall } from "./service.js";

/** What has to hold for every answer of the service, whatever the test that asked for it. */
export function checkAnswer(call: TestCall, answer: TestAnswer): void {
  const where = `${call.method ?? "GET"} ${call.path}`;
  expect(answer.headers, where).toHaveProperty("x-request-id");
  if (answer.status < 400 || call.method === "HEAD") return;
  expect(errorBody.strict().parse(answer.json), where).toMatchObject({ status: answer.status });
}
