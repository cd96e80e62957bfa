import { utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KIB } from "../../src/base/limits.js";
import { discoverSources } from "../../src/sources/discovery.js";
import { describeFingerprintChange } from "../../src/sources/fingerprint.js";
import { openOptions, sampleBytes, useScratchDirectory } from "../readers/scratch.js";
import { writeZip } from "./zip-writer.js";

const scratch = useScratchDirectory();

async function fingerprints(name: string): Promise<string[]> {
  const detect = () => ({ kind: "ndjson" }) as const;
  const files = [{ name, path: scratch.path(name) }];
  const { sources } = await discoverSources(files, { ...openOptions, detect });
  return sources.map(({ fingerprint }) => fingerprint);
}

async function fingerprint(name: string): Promise<string> {
  return (await fingerprints(name))[0] ?? "";
}

describe("a file's fingerprint", () => {
  it("is the same as long as the file is, to the fraction of a millisecond", async () => {
    scratch.write("a", "abc");
    utimesSync(scratch.path("a"), 1_700_000_000.1234, 1_700_000_000.1234);
    const before = await fingerprint("a");
    expect(await fingerprint("a")).toBe(before);
    expect(describeFingerprintChange(before, before)).toBeNull();
    expect(JSON.parse(before).modifiedMs % 1).not.toBe(0);
  });

  it("tells size and time", async () => {
    scratch.write("a", "abc");
    utimesSync(scratch.path("a"), 1_700_000_000, 1_700_000_000);
    const before = await fingerprint("a");
    writeFileSync(scratch.path("a"), "abcd");
    utimesSync(scratch.path("a"), 1_700_000_001, 1_700_000_001.00025);
    expect(describeFingerprintChange(before, await fingerprint("a"))).toMatch(
      /^size 3 → 4 bytes, modified 2023-11-14T22:13:20\.000Z → 2023-11-14T22:13:21\.0002\d+Z, other content$/,
    );
  });

  it.each([10, 64 * KIB, 128 * KIB, 128 * KIB + 1, 500_000])(
    "covers the first and the last bytes of %d",
    async (length) => {
      const content = sampleBytes(length);
      const seen = new Set<string>();
      for (const place of [null, 0, length - 1, Math.min(length, 64 * KIB) - 2]) {
        const changed = Buffer.from(content);
        if (place !== null) changed.writeUInt8(0xff, place);
        scratch.write("a", changed);
        utimesSync(scratch.path("a"), 1, 1);
        seen.add(await fingerprint("a"));
      }
      expect(seen.size).toBe(4);
    },
  );
});

describe("a zip entry's fingerprint", () => {
  it("tells its content by the checksum, and the zip by size and time", async () => {
    const write = (second: string) => {
      scratch.write(
        "a.zip",
        writeZip([
          { name: "x", data: "1" },
          { name: "y", data: second },
        ]),
      );
      utimesSync(scratch.path("a.zip"), 1, 1);
    };
    write("2");
    const before = await fingerprints("a.zip");
    write("3");
    const after = await fingerprints("a.zip");
    expect(after[0]).toBe(before[0]);
    expect(describeFingerprintChange(before[1] ?? "", after[1] ?? "")).toBe(
      "checksum of the entry 1ad5be0d → 6dd28e9b",
    );
    utimesSync(scratch.path("a.zip"), 2, 2);
    const touched = (await fingerprints("a.zip"))[0] ?? "";
    expect(describeFingerprintChange(before[0] ?? "", touched)).toMatch(/^modified 1970-/);
  });
});
