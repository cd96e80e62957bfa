import { beforeAll, describe, expect, it } from "vitest";
import { listInputs } from "../../src/sources/inputs.js";
import { hasS3Server, type S3Server, useS3Server } from "../support/s3-server.js";

const { signal } = new AbortController();

const keys = [
  "2026-01/a.json.gz",
  "2026-01/b.csv",
  "2026-02/a.json.gz",
  "2026-02/deep/er/c.json.gz",
  "2026-02/_SUCCESS",
  "2026-02/.crc/x.json",
  "_private/2026-01/z.json",
  "odd/a#b+c%20d=ü &?.json",
  "odd/[x].json",
  "odd/x.json",
  "marked/",
  "marked/in.json",
  "one",
  "one/below.json",
];

describe.runIf(hasS3Server())("inputs in a bucket", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await useS3Server();
    await server.createBucket(
      "inputs",
      Object.fromEntries(keys.map((key) => [key, key === "marked/" ? "" : key])),
    );
  });

  const list = async (...inputs: readonly string[]) => {
    const given = inputs.map((input) => `s3://inputs${input}`);
    const files = await listInputs(given, "/", { signal, s3: server.options });
    return files.map(({ name }) => name.slice("s3://inputs/".length));
  };

  it("are all below a prefix, without hidden ones and markers of directories", async () => {
    expect(await list("")).toEqual(
      keys.filter((key) => !/(^|\/)[_.]/.test(key) && key !== "marked/").sort(),
    );
    expect(await list("/2026-02")).toEqual(["2026-02/a.json.gz", "2026-02/deep/er/c.json.gz"]);
    expect(await list("/2026-02/")).toEqual(await list("/2026-02"));
    expect(await list("/marked/")).toEqual(["marked/in.json"]);
  });

  it("are also objects with content whose keys end in a slash", async () => {
    await server.put("inputs", "filled/day/", "content");
    await server.put("inputs", "filled/", "");
    for (const input of ["/filled", "/filled/", "/filled/*", "/filled/day/", "/filled/day"])
      expect(await list(input)).toEqual(["filled/day/"]);
    await server.remove("inputs", "filled/day/");
  });

  it("may have keys with empty parts", async () => {
    await server.createBucket("slashes", {
      "/lead/a.json": "a",
      "in//b.json": "b",
      "in//_c.json": "c",
    });
    const options = { signal, s3: server.options };
    const listed = async (input: string) =>
      (await listInputs([`s3://slashes/${input}`], "/", options)).map(({ name }) => name.slice(13));
    for (const input of ["/lead/*", "/lead/", "/*", "/lead", "/lead/a.json", "/**/a.json"])
      expect([input, await listed(input)]).toEqual([input, ["/lead/a.json"]]);
    for (const input of ["in//*", "in/", "in//", "in/**", "in//b.json"])
      expect([input, await listed(input)]).toEqual([input, ["in//b.json"]]);
  });

  it("are one object if its key is named, hidden or odd or not", async () => {
    expect(await list("/one")).toEqual(["one"]);
    expect(await list("/2026-02/_SUCCESS")).toEqual(["2026-02/_SUCCESS"]);
    expect(await list("/odd/a#b+c%20d=ü &?.json")).toEqual(["odd/a#b+c%20d=ü &?.json"]);
    expect(await list("/odd/[x].json")).toEqual(["odd/[x].json"]);
    expect(await list("/_private/")).toEqual(["_private/2026-01/z.json"]);
  });

  it("are those that match a pattern, and those below what matches", async () => {
    expect(await list("/2026-*/*.json.gz")).toEqual(["2026-01/a.json.gz", "2026-02/a.json.gz"]);
    expect(await list("/2026-*")).toEqual([
      "2026-01/a.json.gz",
      "2026-01/b.csv",
      "2026-02/a.json.gz",
      "2026-02/deep/er/c.json.gz",
    ]);
    expect(await list("/**/*.json.gz")).toEqual([
      "2026-01/a.json.gz",
      "2026-02/a.json.gz",
      "2026-02/deep/er/c.json.gz",
    ]);
    expect(await list("/{2026-01/a,one}*")).toEqual(["2026-01/a.json.gz", "one", "one/below.json"]);
    expect(await list("/2026-0{1,2}/[ab].*")).toEqual([
      "2026-01/a.json.gz",
      "2026-01/b.csv",
      "2026-02/a.json.gz",
    ]);
  });

  it("are taken once, also if several inputs name them", async () => {
    expect(await list("/2026-01/", "/2026-01/a.json.gz", "/2026-01/*")).toHaveLength(2);
  });

  it("that do not exist are refused with what was looked for", async () => {
    await expect(list("/nothing/")).rejects.toThrow("no object at or below s3://inputs/nothing/");
    await expect(list("/2026-*/*.xml")).rejects.toThrow(
      "no object matches the pattern s3://inputs/2026-*/*.xml",
    );
    await expect(
      listInputs(["s3://inputs-gone/"], "/", { signal, s3: server.options }),
    ).rejects.toMatchObject({ code: "store_bucket_missing" });
  });
});
