import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { codesOf, contentOf, useDiscovery } from "./discovery-kit.js";

const { scratch, discover } = useDiscovery();

/** Files whose lines say where they are from. */
const linesOf = (name: string, count = 3) =>
  Array.from({ length: count }, (_, line) => `{"from":"${name}","line":${line}}\n`).join("");

/** Packs files with the system's tar, from a directory of their own. */
function pack(name: string, files: Readonly<Record<string, string | Buffer>>, ...more: string[]) {
  const directory = join(scratch.directory, `${name}.files`);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), content);
  }
  const archive = join(scratch.directory, name);
  execFileSync("tar", ["-C", directory, ...more, "-cf", archive, "."]);
  return archive;
}

const deep = `${"a-directory-with-a-long-name/".repeat(6)}events.json`;
const files = {
  "one.json": linesOf("one"),
  "two.json.gz": gzipSync(linesOf("two")),
  "large.json": linesOf("large", 40_000),
  [deep]: linesOf("deep"),
  "empty.json": "",
  "._one.json": "x",
  "manifest.json": "{}",
};
const contents: Readonly<Record<string, string>> = {
  "one.json": linesOf("one"),
  "two.json.gz": linesOf("two"),
  "large.json": linesOf("large", 40_000),
  [deep]: linesOf("deep"),
  "empty.json": "",
};

describe("files in a tar are sources", () => {
  it.each(["gnu", "posix", "ustar"])("of the format %s", async (format) => {
    const name = `${format}.tar`;
    pack(name, files, `--format=${format}`);
    symlinkSync("one.json", join(scratch.directory, `${name}.files/link.json`));
    const { sources, failures, leftOut } = await discover(name);
    expect(failures).toEqual([]);
    const found: Record<string, string> = {};
    for (const source of sources)
      found[source.name.slice(name.length + 1)] = await contentOf(source);
    expect(found).toEqual(contents);
    expect(leftOut.map((one) => one.kind).sort()).toEqual(["desktop file", "manifest"]);
  });

  it.each([
    ["a.tar.gz", (bytes: Buffer) => gzipSync(bytes)],
    ["a.tgz", (bytes: Buffer) => gzipSync(bytes)],
    ["a.tar.br", (bytes: Buffer) => brotliCompressSync(bytes)],
    ["a.tar.gz.gz", (bytes: Buffer) => gzipSync(gzipSync(bytes))],
  ])("that is compressed: %s, in any order", async (name, compress) => {
    const archive = pack("plain.tar", files);
    scratch.write(name, compress(readFileSync(archive)));
    const { sources, failures } = await discover(name);
    expect(failures).toEqual([]);
    expect(sources).toHaveLength(5);
    for (const source of [...sources, ...[...sources].reverse()])
      expect(await contentOf(source)).toBe(contents[source.name.slice(name.length + 1)]);
    const size = sources.reduce((sum, source) => sum + source.size, 0);
    expect(size).toBeLessThanOrEqual(readFileSync(join(scratch.directory, name)).length);
  });

  it("of which several are read at the same time", async () => {
    const archive = pack("several.tar", files);
    scratch.write("several.tar.gz", gzipSync(readFileSync(archive)));
    const { sources } = await discover("several.tar.gz");
    const read = await Promise.all([...sources, ...sources].map(contentOf));
    for (const [index, source] of [...sources, ...sources].entries())
      expect(read[index]).toBe(contents[source.name.slice("several.tar.gz!".length)]);
  });
});

describe("a tar is refused", () => {
  it("that is cut off or altered, plain or compressed", async () => {
    const bytes = readFileSync(pack("whole.tar", files));
    scratch.write("cut.tar", bytes);
    truncateSync(join(scratch.directory, "cut.tar"), 700_000);
    scratch.write("cut.tar.gz", gzipSync(bytes).subarray(0, -1_000));
    const altered = Buffer.from(gzipSync(bytes));
    altered[altered.length - 6]! ^= 1;
    scratch.write("altered.tar.gz", altered);
    const header = Buffer.from(bytes);
    header[0]! ^= 1;
    scratch.write("header.tar", header);
    const { sources, failures } = await discover(
      "cut.tar",
      "cut.tar.gz",
      "altered.tar.gz",
      "header.tar",
    );
    expect(sources).toEqual([]);
    expect(codesOf(failures)).toEqual({
      "cut.tar": "source_truncated",
      "cut.tar.gz": "source_truncated",
      "altered.tar.gz": "source_corrupt",
      "header.tar": "source_corrupt",
    });
  });

  it("where a name is there twice, and where one leads out of it", async () => {
    const archive = pack("twice.tar", { "one.json": linesOf("one"), "two.json": linesOf("two") });
    writeFileSync(`${archive}.files/one.json`, linesOf("newer"));
    execFileSync("tar", ["-C", `${archive}.files`, "-rf", archive, "./one.json"]);
    const moved = ["-C", `${archive}.files`, "--transform=s/^two/..\\/two/", "-Prf", archive];
    execFileSync("tar", [...moved, "two.json"], { stdio: "ignore" });
    const { sources, failures } = await discover("twice.tar");
    expect(sources.map(({ name }) => name)).toEqual(["twice.tar!two.json"]);
    expect(codesOf(failures)).toEqual({
      "twice.tar!one.json": "source_name_unsafe",
      "twice.tar!../two.json": "source_name_unsafe",
    });
  });
});
