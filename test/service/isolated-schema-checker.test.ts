import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import type { SchemaCheckLimits } from "../../src/http/service-limits.js";
import { IsolatedSchemaChecker } from "../../src/service/isolated-schema-checker.js";
import { longTest } from "../support/long-test.js";
import { processScript } from "../support/process-scripts.js";
import { someOf } from "../support/property-runs.js";
import { bomb, bombNames } from "./schema-bombs.js";

const harmless = { schema: '{"required": ["a"]}', values: [{ a: 1 }, {}] };
const harmlessFaults = [{ value: 1, reason: "must have required property 'a'" }];
const never = 1_000_000;
const busy = { status: 503, retryAfterSeconds: 1 };

const open: IsolatedSchemaChecker[] = [];
/** Waits for a process as long as it takes, on a busy machine too, where nothing else is said. */
function checkerWith(limits: Partial<SchemaCheckLimits> = {}): IsolatedSchemaChecker {
  const checker = new IsolatedSchemaChecker({ waitTimeoutMs: never, ...limits });
  open.push(checker);
  return checker;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((checker) => checker.close()));
});

/** The promise, and whether it has been settled. */
function watched<Result>(promise: Promise<Result>) {
  const watch = { isSettled: false, promise };
  const settle = () => {
    watch.isSettled = true;
  };
  promise.then(settle, settle);
  return watch;
}

describe("a schema that takes too long", () => {
  test.each(someOf(bombNames, 2))("by its %s is a fault of the schema", async (name) => {
    const checker = checkerWith({ checkTimeoutMs: 300 });
    expect(await checker.check(bomb(name))).toEqual([
      { value: undefined, reason: "takes too long to check: more than 300 ms" },
    ]);
  });

  test("leaves a process for others meanwhile", async () => {
    const checker = checkerWith({ checkTimeoutMs: never });
    const stuck = watched(checker.check(bomb("pattern")));
    const refused = expect(stuck.promise).rejects.toMatchObject(busy);
    for (let count = 0; count < 3; count += 1) {
      expect(await checker.check(harmless)).toEqual(harmlessFaults);
    }
    expect(stuck.isSettled).toBe(false);
    await checker.close();
    await refused;
  });

  longTest("is stopped, and a new process answers the waiting checks", async () => {
    // Room enough that it is time that runs out, however fast the machine.
    const checker = checkerWith({ processes: 1, checkTimeoutMs: 1_500, heapMib: 1_024 });
    const answers = [bomb("pattern"), harmless, bomb("branching"), harmless].map((question) =>
      checker.check(question),
    );
    const tooLong = [{ value: undefined, reason: expect.stringContaining("takes too long") }];
    expect(await Promise.all(answers)).toEqual([tooLong, harmlessFaults, tooLong, harmlessFaults]);
  });

  longTest("or too much memory is a fault of the schema", async () => {
    const checker = checkerWith({ checkTimeoutMs: never, heapMib: 24 });
    expect(await checker.check(bomb("branching"))).toEqual([
      { value: undefined, reason: "takes too much memory to check: more than 24 MiB" },
    ]);
    expect(await checker.check(harmless)).toEqual(harmlessFaults);
  });
});

describe("checks that wait", () => {
  test("are limited in number", async () => {
    const checker = checkerWith({ processes: 1, checkTimeoutMs: never, waitingMax: 1 });
    const stuck = checker.check(bomb("pattern"));
    const waiting = checker.check(harmless);
    const ends = [stuck, waiting].map((check) => expect(check).rejects.toMatchObject(busy));
    await expect(checker.check(harmless)).rejects.toMatchObject(busy);
    await checker.close();
    await Promise.all(ends);
  });

  test("are refused when they have waited too long", async () => {
    const checker = checkerWith({ processes: 1, checkTimeoutMs: never, waitTimeoutMs: 50 });
    const stuck = checker.check(bomb("pattern"));
    const end = expect(stuck).rejects.toMatchObject(busy);
    await expect(checker.check(harmless)).rejects.toMatchObject(busy);
    await checker.close();
    await end;
  });

  test("are all answered if they are harmless", async () => {
    const checker = checkerWith({ checkTimeoutMs: never });
    const answers = await Promise.all(Array.from({ length: 200 }, () => checker.check(harmless)));
    expect(answers).toEqual(answers.map(() => harmlessFaults));
  });
});

test("a checker that is closed refuses, and may be closed again", async () => {
  const checker = checkerWith();
  expect(await checker.check(harmless)).toEqual(harmlessFaults);
  await checker.close();
  await checker.close();
  await expect(checker.check(harmless)).rejects.toMatchObject(busy);
});

test("processes that are idle do not keep the service alive", async () => {
  const child = spawn(process.execPath, [processScript("check-once"), JSON.stringify(harmless)]);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(JSON.parse(output)).toEqual(harmlessFaults);
});
