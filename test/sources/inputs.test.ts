import { linkSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.js";
import { listInputs as list } from "../../src/sources/inputs.js";
import { useScratchDirectory } from "../readers/scratch.js";

const scratch = useScratchDirectory();
const { signal } = new AbortController();
const listInputs = (inputs: readonly string[], cwd: string) => list(inputs, cwd, { signal });

async function names(...inputs: string[]): Promise<string[]> {
  return (await listInputs(inputs, scratch.directory)).map(({ name }) => name);
}

async function refusal(...inputs: string[]): Promise<UsageError> {
  const error = await listInputs(inputs, scratch.directory).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}

describe("files", () => {
  it("are taken as they were named, hidden or not", async () => {
    scratch.write("a.json", "");
    scratch.write("_b.json", "");
    scratch.write(".c/d.json", "");
    expect(await names("a.json", "_b.json", ".c/d.json")).toEqual([
      ".c/d.json",
      "_b.json",
      "a.json",
    ]);
  });

  it("keep a relative name and get an absolute path", async () => {
    const path = scratch.write("x/a.json", "");
    const real = realpathSync(path);
    expect(await listInputs(["x/a.json"], scratch.directory)).toEqual([
      { name: "x/a.json", path, real },
    ]);
    expect(await listInputs([path], "/")).toEqual([{ name: path, path, real }]);
  });

  it("may have names that look like patterns", async () => {
    for (const name of ["a[1].json", "b *.json", "c#1?.json", "{d,e}.json", "!f.json"]) {
      scratch.write(name, "");
      expect(await names(name)).toEqual([name]);
    }
    scratch.write("a1.json", "");
    expect(await names("a[1].json")).toEqual(["a[1].json"]);
  });

  it("are listed once, however often and under whatever name they were given", async () => {
    scratch.write("data/a.json", "");
    symlinkSync("data", scratch.path("link"));
    symlinkSync("data/a.json", scratch.path("alias.json"));
    expect(await names("data/a.json", "data", "./data", "data/*", "link", "alias.json")).toEqual([
      "data/a.json",
    ]);
  });

  it("are two when a hard link is two files", async () => {
    linkSync(scratch.write("a.json", ""), scratch.path("b.json"));
    expect(await names("a.json", "b.json")).toEqual(["a.json", "b.json"]);
  });
});

describe("directories", () => {
  it("give everything below but hidden names, in the order of their names", async () => {
    for (const name of ["b/2.json", "b/10.json", "B.json", "a b#1.json", "ä.json", "b.json"]) {
      scratch.write(`in/${name}`, "");
    }
    for (const name of ["_x.json", ".x.json", "_d/1.json", ".d/1.json", "b/_SUCCESS"]) {
      scratch.write(`in/${name}`, "");
    }
    const expected = ["B.json", "a b#1.json", "b.json", "b/10.json", "b/2.json", "ä.json"];
    expect(await names("in")).toEqual(expected.map((name) => `in/${name}`));
    expect(await names("in/")).toEqual(expected.map((name) => `in/${name}`));
    expect(await listInputs(["."], scratch.path("in"))).toHaveLength(expected.length);
    expect((await listInputs(["."], scratch.path("in")))[0]?.name).toBe("B.json");
  });

  it("may be hidden themselves when they are named", async () => {
    scratch.write("_out/a.json", "");
    expect(await names("_out")).toEqual(["_out/a.json"]);
  });

  it("are entered once if links form a circle", async () => {
    scratch.write("in/z/a.json", "");
    symlinkSync("..", scratch.path("in/z/up"));
    symlinkSync("z", scratch.path("in/a-link"));
    symlinkSync("self", scratch.path("in/self"));
    mkdirSync(scratch.path("elsewhere"));
    scratch.write("elsewhere/e.json", "");
    symlinkSync("../elsewhere", scratch.path("in/out"));
    expect(await names("in")).toEqual(["in/out/e.json", "in/self", "in/z/a.json"]);
  });

  it("pass on a link that leads nowhere, so that its absence is noticed", async () => {
    scratch.write("in/a.json", "");
    symlinkSync("nowhere.json", scratch.path("in/b.json"));
    expect(await names("in")).toEqual(["in/a.json", "in/b.json"]);
  });
});

describe("patterns", () => {
  it("give the files and directories that fit", async () => {
    for (const name of ["in/a.json", "in/b.csv", "in/sub/c.json", "in/sub/deep/d.json", "e.json"]) {
      scratch.write(name, "");
    }
    expect(await names("in/*.json")).toEqual(["in/a.json"]);
    expect(await names("in/**/*.json")).toEqual([
      "in/a.json",
      "in/sub/c.json",
      "in/sub/deep/d.json",
    ]);
    expect(await names("in/s*")).toEqual(["in/sub/c.json", "in/sub/deep/d.json"]);
    expect(await names("{in/a,e}.json")).toEqual(["e.json", "in/a.json"]);
    expect(await names(`${scratch.directory}/in/*.csv`)).toEqual([scratch.path("in/b.csv")]);
    expect((await listInputs(["../e*.json"], scratch.path("in"))).map(({ name }) => name)).toEqual([
      "../e.json",
    ]);
  });

  it("leave hidden names out unless they name them", async () => {
    for (const name of ["_a.json", ".a.json", "a.json", "_d/a.json", "b/_c.json"]) {
      scratch.write(name, "");
    }
    expect(await names("*")).toEqual(["a.json"].concat([]));
    expect(await names("**/*.json")).toEqual(["a.json"]);
    expect(await names("_*")).toEqual(["_a.json", "_d/a.json"]);
    expect(await names("_d/*.json")).toEqual(["_d/a.json"]);
    expect(await names("b/_*.json")).toEqual(["b/_c.json"]);
    expect(await names(".a*")).toEqual([".a.json"]);
  });

  it("end if links form a circle", async () => {
    scratch.write("in/a.json", "");
    symlinkSync(".", scratch.path("in/loop"));
    expect(await names("in/**/*.json")).toEqual(["in/a.json"]);
  });
});

describe("an input without a file", () => {
  it("is standard input or a device, which cannot be read more than once", async () => {
    expect((await refusal("-")).message).toContain("write its output to a file");
    expect((await refusal("/dev/null")).message).toContain("write its output to a file");
  });

  it("is a usage error that names the searched paths", async () => {
    const error = await refusal("typo.json");
    expect(error.code).toBe("input_not_found");
    expect(error.message).toContain(`${scratch.path("typo.json")} does not exist`);
    expect((await refusal("*.json")).message).toContain(
      `nothing in ${scratch.directory} matches the pattern *.json`,
    );
    expect((await refusal()).message).toContain("no input was given");
  });

  it("says what was skipped, and how much more", async () => {
    for (let index = 0; index < 8; index += 1) scratch.write(`in/_${index}.json`, "");
    const { message } = await refusal("in");
    expect(message).toContain(`no file in directory ${scratch.path("in")}`);
    expect(message).toContain(
      "in/_0.json, in/_1.json, in/_2.json, in/_3.json, in/_4.json and 3 more",
    );
  });

  it("is an error even if other inputs have files, so that a typo is noticed", async () => {
    scratch.write("a.json", "");
    const { message } = await refusal("a.json", "b.json", "c.json");
    expect(message).toContain("b.json");
    expect(message).toContain("c.json");
    expect(message).not.toContain("a.json");
  });
});
