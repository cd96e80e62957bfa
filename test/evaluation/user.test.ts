import { describe, expect, it } from "vitest";
import { EvaluationUser } from "../../src/evaluation/user.js";

const mac =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36";
const phone =
  "Mozilla/5.0 (Linux; Android 13; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/116.0.0.0 Mobile Safari/537.36";

describe("a user", () => {
  it("has fields of its own, then custom, then private ones, in any case", () => {
    const user = new EvaluationUser({
      email: "a@b.c",
      custom: { plan: "pro", email: "other", level: 3 },
      privateAttributes: { secret: "s", plan: "hidden" },
    });
    const fields = ["email", "plan", "secret", "Level", "none", "toString"];
    expect(fields.map((name) => user.field(name))).toEqual([
      "a@b.c",
      "pro",
      "s",
      3,
      undefined,
      undefined,
    ]);
  });

  it("has ids of any type, as texts, in any case", () => {
    const user = new EvaluationUser({ userID: 7, customIDs: { companyID: "c", stableID: null } });
    const types = ["userID", "UserID", "companyid", "stableID", "other"];
    expect(types.map((type) => user.unitID(type))).toEqual(["7", "7", "c", undefined, undefined]);
    const anybody = new EvaluationUser({ customIDs: { companyID: "c" } }, "key");
    expect(types.map((type) => anybody.unitID(type))).toEqual(["key", "key", "c", "key", "key"]);
  });

  it("has the browser and the system of its user agent, unless it names them", () => {
    const desktop = new EvaluationUser({ userAgent: mac });
    const mobile = new EvaluationUser({ userAgent: phone, custom: { os_version: "own" } });
    const names = ["os_name", "os_version", "browser_name", "browser_version", "device_model"];
    expect(names.map((name) => desktop.agentField(name))).toEqual([
      "Mac OS X",
      "10.15.7",
      "Chrome",
      "120.0.0.0",
      undefined,
    ]);
    expect(names.map((name) => mobile.agentField(name))).toEqual([
      "Android",
      "own",
      "Chrome Mobile",
      "116.0.0.0",
      undefined,
    ]);
    const long = new EvaluationUser({ userAgent: mac.padEnd(1_001) });
    expect(long.agentField("os_name")).toBeUndefined();
  });

  it("has the country of its address, unless it names one", () => {
    expect(new EvaluationUser({ ip: "8.8.8.8" }).country()).toBe("US");
    expect(new EvaluationUser({ ip: "8.8.8.8", country: "DE" }).country()).toBe("DE");
    expect(new EvaluationUser({ ip: "127.0.0.1" }).country()).toBeUndefined();
    expect(new EvaluationUser({ ip: "::1" }).country()).toBeUndefined();
    expect(new EvaluationUser({}).country()).toBeUndefined();
  });
});
