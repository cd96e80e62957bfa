import { expect, test } from "vitest";
import { programName } from "../../src/cli/program-name.js";

test.each([
  ["installed for all", "/usr/bin/switchyard", "/data", {}, "switchyard"],
  ["by npx", "/p/node_modules/.bin/switchyard", "/p", { npm_command: "exec" }, "npx switchyard"],
  ["in a clone", "/clone/dist/switchyard.js", "/clone", {}, "npx switchyard"],
  [
    "of a clone elsewhere",
    "/clone/dist/switchyard.js",
    "/data",
    {},
    "node ../clone/dist/switchyard.js",
  ],
  ["in a project", "/p/node_modules/switchyard/dist/switchyard.js", "/p/sub", {}, "npx switchyard"],
  ["by a Windows shim", "/g/node_modules/switchyard/dist/switchyard.js", "/p", {}, "switchyard"],
] as const)(
  "a program %s is named as a user can type it",
  (_, script, currentDirectory, env, name) => {
    expect(programName({ script, currentDirectory, environment: env })).toBe(name);
  },
);
