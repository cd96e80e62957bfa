import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readVendorKey } from "../../src/options/secrets.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("vendor-key");
const fileWith = (name: string, text: string) => {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
};

it.each([
  [{ KEY: "one" }, "one"],
  [{ KEY: " one\n" }, "one"],
  [{ KEY: "", KEY_FILE: fileWith("two", "two\n") }, "two"],
  [{ KEY: "one", KEY_FILE: "/nowhere" }, "one"],
])("a key of a vendor comes from its variable, else from a file: %j", async (environment, key) => {
  expect(await readVendorKey(environment, "KEY")).toBe(key);
});

it.each([
  [{}, /^KEY is not set\. .*KEY_FILE/],
  [{ KEY_FILE: "" }, /^KEY is not set/],
  [{ KEY: "one two" }, /has a character/],
  [{ KEY_FILE: join(scratch, "missing") }, /The file of KEY .*missing cannot be read \(ENOENT\)/],
  [{ KEY_FILE: fileWith("empty", "\n") }, /is empty/],
  [{ KEY_FILE: fileWith("odd", "one\0two") }, /has a character/],
])("a key that is missing or unusable is told without its text: %j", async (environment, words) => {
  const error = await readVendorKey(environment, "KEY").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "vendor_key_missing",
    message: expect.stringMatching(words),
  });
  expect((error as Error).message).not.toMatch(/two/);
});
