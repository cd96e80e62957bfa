import { describe, expect, test } from "vitest";
import { responseChecker } from "../support/openapi-responses.js";

const check = responseChecker();
const path = "/console/v1/gates/a_gate";
const gate = {
  id: "a_gate",
  name: "A Gate",
  description: "",
  idType: "userID",
  isEnabled: true,
  status: "In Progress",
  type: "TEMPORARY",
  typeReason: "NONE",
  rules: [],
  checksPerHour: 0,
  tags: [],
  targetApps: [],
  holdoutIDs: [],
  team: null,
  teamID: null,
  creatorID: "key_1",
  creatorName: "CONSOLE API",
  creatorEmail: null,
  createdTime: 1,
  lastModifierID: "key_1",
  lastModifierName: "CONSOLE API",
  lastModifierEmail: null,
  lastModifiedTime: 1,
  reviewSettings: {},
  measureMetricLifts: false,
  version: 1,
  store0100Exposures: false,
  monitoringMetrics: [],
  owner: {},
  isTemplate: false,
  releasePipelineID: null,
};
const read = { method: "GET", path, status: 200, body: { message: "Read.", data: gate } };
const error = { status: 404, message: "Gate not found.", errors: [] };

describe("the checker of answers", () => {
  test("accepts an answer as documented", () => {
    expect(() => check(read)).not.toThrow();
    expect(() => check({ ...read, path: `${path}?x=/y` })).not.toThrow();
    expect(() => check({ ...read, status: 404, body: error })).not.toThrow();
  });

  test.each([
    ["a field too many", { ...gate, secret: 1 }, "additional properties"],
    ["a field of the wrong type", { ...gate, version: "1" }, "/data/version must be integer"],
    ["a missing field", { ...gate, status: undefined }, "must have required property 'status'"],
  ])("refuses an entity with %s", (_, data, words) => {
    const body = JSON.parse(JSON.stringify({ message: "Read.", data }));
    expect(() => check({ ...read, body })).toThrow(words);
  });

  test("refuses an undocumented status", () => {
    expect(() => check({ ...read, status: 409, body: { ...error, status: 409 } })).toThrow(
      "not a documented status of readGate",
    );
  });

  test("refuses an error without its list, and one with another status", () => {
    const body = { status: 404, message: "Gate not found." };
    expect(() => check({ ...read, status: 404, body })).toThrow("'errors'");
    expect(() => check({ ...read, status: 400, body: error })).toThrow("the body says 404");
  });

  test("refuses an undocumented operation, and accepts its 404 and 405", () => {
    const unknown = { ...read, path: "/nowhere", body: error };
    expect(() => check({ ...unknown, status: 200 })).toThrow("no such operation");
    expect(() => check({ ...unknown, status: 404 })).not.toThrow();
    const wrongMethod = { ...read, method: "PURGE", status: 405, body: { ...error, status: 405 } };
    expect(() => check(wrongMethod)).not.toThrow();
    expect(() => check({ ...wrongMethod, body: {} })).toThrow("not as documented");
  });

  test("distinguishes a literal path from one with a parameter", () => {
    const versions = { ...read, path: `${path}/versions` };
    expect(() => check(versions)).toThrow("pagination");
  });
});
