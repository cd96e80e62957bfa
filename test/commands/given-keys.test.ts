import { expect, test } from "vitest";
import { UsageError } from "../../src/base/errors.js";
import { readGivenKeys } from "../../src/commands/service/service-keys.js";

const consoleKey = "console-0123456789abcdef";
const serverSecret = "secret-0123456789abcdef";

test("keys are taken from the environment, each of its kind", () => {
  const environment = {
    SWITCHYARD_CONSOLE_KEY: consoleKey,
    SWITCHYARD_SERVER_SECRET: serverSecret,
  };
  expect(readGivenKeys(environment)).toEqual([
    { kind: "console", key: consoleKey, variable: "SWITCHYARD_CONSOLE_KEY" },
    { kind: "server", key: serverSecret, variable: "SWITCHYARD_SERVER_SECRET" },
  ]);
});

test("an empty variable counts as not given", () => {
  expect(readGivenKeys({ SWITCHYARD_CONSOLE_KEY: "" })).toEqual([]);
});

test.each([
  ["of the other kind", serverSecret],
  ["too short", "console-0123456789abcde"],
  ["too long", `console-${"x".repeat(257)}`],
  ["with a space", "console-0123456789 abcdef"],
  ["with a line end", `${consoleKey}\n`],
  ["without a prefix", "0123456789abcdef0123456789abcdef"],
])("a key %s is refused, and not repeated", (_, key) => {
  const read = () => readGivenKeys({ SWITCHYARD_CONSOLE_KEY: key });
  expect(read).toThrow(UsageError);
  expect(read).toThrow(/^SWITCHYARD_CONSOLE_KEY must be console- and 16 to 256/);
  expect(read).not.toThrow(/0123456789|xxxx/);
});

test("all malformed keys are reported, and none is repeated", () => {
  const read = () =>
    readGivenKeys({ SWITCHYARD_CONSOLE_KEY: serverSecret, SWITCHYARD_SERVER_SECRET: consoleKey });
  expect(read).toThrow(/^SWITCHYARD_CONSOLE_KEY must .*\nSWITCHYARD_SERVER_SECRET must /);
  expect(read).not.toThrow(/0123456789/);
});
