import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { environmentNameOf, optionNames } from "../../src/options/option-names.js";
import { fakeContext } from "../support/fake-context.js";

async function print(form: string): Promise<string> {
  const { context, stdout } = fakeContext();
  expect(await runCommandLine(["completion", form], context)).toBe(0);
  return stdout.join("");
}

describe("completion in bash", () => {
  test.each([
    ["", "qualify"],
    ["export --form", "--format"],
    ["export --format parquet.z", "parquet.zstd"],
    ["keys ", "revoke"],
    ["completion f", "fish"],
  ])("offers what can follow %j", async (line, word) => {
    const words = ["switchyard", ...line.split(" ")];
    const list = words.map((one) => `'${one}'`).join(" ");
    const ask = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _switchyard`;
    const script = `${await print("bash")}${ask}; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout.split("\n")).toContain(word);
  });
});

test("completion in zsh and fish has each command, its flags and their values", async () => {
  for (const form of ["zsh", "fish"]) {
    const text = await print(form);
    for (const word of [
      "qualify",
      "csv-dialect",
      "parquet.snappy parquet.none parquet.gzip parquet.zstd csv.safe",
      "create list revoke",
    ]) {
      expect(text).toContain(word);
    }
  }
});

test("the manual page has every variable of the option table", async () => {
  const page = await print("man");
  expect(page).toMatch(/^\.TH SWITCHYARD 1 /);
  expect(optionNames.filter((name) => !page.includes(environmentNameOf(name)))).toEqual([]);
});
