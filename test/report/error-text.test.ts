import { expect, test } from "vitest";
import { SourceError, SwitchyardError, UsageError } from "../../src/base/errors.js";
import { describeError, factsOf } from "../../src/report/error-text.js";

test("describes an error for the user by its message and code, without a stack", () => {
  const error = new SourceError("gzip_truncated", { source: "a\u001b.gz" }, "ends too early");
  expect(describeError(error, false)).toBe("error: a\\u001b.gz: ends too early [gzip_truncated]");
});

test("keeps the lines of a message", () => {
  expect(describeError(new UsageError("x", "one\n  two"), false)).toBe("error: one\n  two [x]");
});

test("explains that no more files can be opened, whatever tried it", () => {
  for (const error of [
    Object.assign(new Error("EMFILE: too many open files, open 'a.js'"), { code: "EMFILE" }),
    Object.assign(new Error("Worker initialization failure: EMFILE"), {
      code: "ERR_WORKER_INIT_FAILED",
    }),
    Object.assign(new Error("connect ENFILE 10.0.0.1:443"), { code: "ENFILE" }),
  ])
    expect(describeError(error, false)).toMatch(/ulimit -n.*\[open_files_exhausted\]$/);
});

test("calls any other error a defect, and says what to do", () => {
  const text = describeError(new TypeError("x is undefined"), false);
  expect(text).toMatch(/^error: x is undefined \[defect\]\nThis is a defect of Switchyard\./);
  expect(text).toContain("SWITCHYARD_DEBUG=1");
  expect(text).not.toContain("error-text.test");
  expect(describeError(new TypeError("x is undefined"), true)).toContain("error-text.test");
  const ofWorker = new SwitchyardError("defect", "x is undefined\n  at worker.js:1");
  expect(describeError(ofWorker, false)).toMatch(/^error: x is undefined \[defect\]\nThis is a/);
  expect(describeError(ofWorker, true)).toContain("worker.js:1");
  expect(factsOf("thrown text")).toEqual({ code: "defect", message: "thrown text" });
});
