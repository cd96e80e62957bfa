import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TarReader, tarOf } from "../../../src/storage/backup/tar.js";
import { scratchDirectory } from "../../support/scratch.js";

const files = [
  { name: "empty", bytes: 0, content: [] },
  { name: "block", bytes: 512, content: [Buffer.alloc(512, 1)] },
  { name: "parts", bytes: 1_300, content: [Buffer.alloc(1_000, 2), Buffer.alloc(300, 3)] },
];
const archive = Buffer.concat([...tarOf(files, 1_700_000_000)]);

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

async function read(parts: AsyncIterable<Uint8Array>) {
  const tar = new TarReader(parts);
  const found: unknown[] = [];
  for (let file = await tar.next(); file !== undefined; file = await tar.next()) {
    const content: Uint8Array[] = [];
    for await (const part of tar.content()) content.push(part);
    found.push({ ...file, content: Buffer.concat(content).toString("hex") });
  }
  return found;
}

const wanted = files.map(({ content, ...file }) => {
  return { ...file, content: Buffer.concat(content).toString("hex") };
});

it.each([1, 7, 511, 512, 513, 10_000])("is read in parts of %d bytes", async (size) => {
  expect(await read(cut(archive, size))).toEqual(wanted);
});

it("is read by the tar of the system, also a file of 9 GiB", () => {
  const path = join(scratchDirectory("tar"), "one.tar");
  writeFileSync(path, archive);
  const listed = execFileSync("tar", ["--utc", "-tvf", path], { encoding: "utf8" });
  expect(listed.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
    expect.stringMatching(/^-rw------- 0\/0 0 2023-11-14 22:13(:20)? empty$/),
    expect.stringMatching(/ 512 .* block$/),
    expect.stringMatching(/ 1300 .* parts$/),
    "",
  ]);
  const large = tarOf([{ name: "large", bytes: 9 * 1024 ** 3, content: [] }], 0).next();
  writeFileSync(path, large.value ?? "");
  const cutList = execFileSync("sh", ["-c", `tar -tvf ${path} 2>&1 || true`], { encoding: "utf8" });
  expect(cutList).toContain(String(9 * 1024 ** 3));
});

it("is refused if it is cut anywhere, or goes on", async () => {
  for (let size = 0; size < archive.length; size += 100) {
    await expect(read(cut(archive.subarray(0, size), 300))).rejects.toMatchObject({
      code: "backup_damaged",
    });
  }
  const longer = Buffer.concat([archive, Buffer.from("x")]);
  await expect(read(cut(longer, 300))).rejects.toThrow("it goes on after its end");
});

it("cannot have a file of another size than its header says", () => {
  const wrong = [{ name: "one", bytes: 2, content: [Buffer.alloc(3)] }];
  expect(() => [...tarOf(wrong, 0)]).toThrow("one has 3 bytes, but 2 were announced");
});
