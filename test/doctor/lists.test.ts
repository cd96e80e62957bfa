import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, test } from "vitest";
import { openStore } from "../../src/store/open-store.js";
import { runInProcess } from "../support/command-line.js";
import { startGcsServer } from "../support/gcs-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("lists");

const rows = (count: number) =>
  `${JSON.stringify({ event_type: "e", event_time: "2026-01-13 10:00:00", user_id: "u" })}\n`.repeat(
    count,
  );
const digest = (algorithm: string, bytes: string | Buffer) =>
  createHash(algorithm).update(bytes).digest("hex");

function directoryWith(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  const cwd = join(scratch, name);
  for (const [file, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), bytes);
  }
  return cwd;
}

async function diagnose(cwd: string, input = "in") {
  const words = ["doctor", input, "--to", "out", "--threads", "1", "--json"];
  const { exitCode, stdout } = await runInProcess(words, { cwd });
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { name: string; state: string; message: string; code?: string }[];
  };
  return { exitCode, checks: checks.filter(({ name }) => /^lists?$/.test(name)) };
}

function manifestOf(
  file: string,
  bytes: Buffer,
  more: { size?: number; md5?: string; rows: number },
) {
  return [
    "Datafeed-Manifest-Version: 1.0",
    "Data-Files: 1",
    "",
    `Data-File: ${file}`,
    `MD5-Digest: ${more.md5 ?? digest("md5", bytes)}`,
    `File-Size: ${more.size ?? bytes.length}`,
    `Record-Count: ${more.rows}`,
  ].join("\n");
}

test("inputs that are as their lists say are told with what was compared", async () => {
  const data = gzipSync(rows(5));
  const cwd = directoryWith("good", {
    "in/01-shop.jsonl.gz": data,
    "in/shop_2026-01-13.txt": manifestOf("01-shop.jsonl.gz", data, { rows: 5 }),
    "in/b/b.jsonl": rows(2),
    "in/b/b.jsonl.sha256": digest("sha256", rows(2)),
    "in/c/x_manifest.json": JSON.stringify({ files: ["posthog/c/c.jsonl"] }),
    "in/c/c.jsonl": rows(1),
    "in/SHA256SUMS": `${digest("sha256", rows(1))}  c/c.jsonl\n${"0".repeat(64)}  .hidden\n`,
  });
  expect(await diagnose(cwd)).toEqual({
    exitCode: 0,
    checks: [
      {
        name: "lists",
        state: "ok",
        message:
          "4 manifest or checksum files with 4 files; compared names and sizes, digests of 3 files, rows of 1 file",
      },
    ],
  });
  const without = directoryWith("none", { "in/a.jsonl": rows(1), "in/README.txt": "none" });
  expect((await diagnose(without)).checks).toEqual([]);
});

it.each<readonly [string, Partial<Parameters<typeof manifestOf>[2]>, string]>([
  ["size", { size: 7 }, "it has 9 bytes, and 7 are listed in in/shop.txt"],
  ["digest", { md5: "0".repeat(32) }, `and ${"0".repeat(32)} is listed in in/shop.txt`],
  ["rows", { rows: 6 }, "5 rows were read of it, and 6 are listed in in/shop.txt"],
])("another %s names the file and the list", async (name, more, message) => {
  const data = gzipSync(rows(5));
  const cwd = directoryWith(name, {
    "in/01-shop.jsonl.gz": data,
    "in/shop.txt": manifestOf("01-shop.jsonl.gz", data, { rows: 5, ...more }),
  });
  const { exitCode, checks } = await diagnose(cwd);
  expect(exitCode).toBe(1);
  expect(checks[0]).toMatchObject({ name: "list", state: "failed", code: "source_not_as_listed" });
  expect(checks[0]?.message).toContain("in/01-shop.jsonl.gz");
  expect(checks[0]?.message).toContain(message.replace("9 bytes", `${data.length} bytes`));
});

test("a missing file fails, and one that was unpacked is not compared", async () => {
  const cwd = directoryWith("missing", {
    "in/a.jsonl": rows(1),
    "in/x_manifest.json": JSON.stringify({ files: ["p/a.jsonl.gz", "p/b.jsonl.gz"] }),
  });
  const { exitCode, checks } = await diagnose(cwd);
  expect(exitCode).toBe(1);
  expect(checks.map(({ message }) => message)).toEqual([
    "p/b.jsonl.gz: in/x_manifest.json lists it, and it is not among the inputs. Fetch it again.",
    "1 manifest or checksum file with 1 file; compared names and sizes",
  ]);
});

test.each(["validate", "export"])(
  "%s tells which listed files are missing, or of another size",
  async (command) => {
    const cwd = directoryWith(`run-${command}`, {
      "in/a.jsonl": rows(1),
      "in/x_manifest.json": JSON.stringify({ files: ["p/a.jsonl", "p/b.jsonl"] }),
      "in/01-shop.jsonl.gz": gzipSync(rows(5)),
      "in/shop.txt": manifestOf("01-shop.jsonl.gz", gzipSync(rows(5)), { rows: 5, size: 7 }),
    });
    const options = command === "export" ? ["--to", "out"] : [];
    const { exitCode, stderr } = await runInProcess([command, "in", ...options], { cwd });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      "not as listed: p/b.jsonl: in/x_manifest.json lists it, and it is not among the inputs",
    );
    expect(stderr).toMatch(
      /not as listed: in\/01-shop.jsonl.gz: it has \d+ bytes, and 7 are listed/,
    );
  },
);

test("objects are compared, too", async () => {
  const { endpoint, close } = await startGcsServer(["lists"]);
  process.env["STORAGE_EMULATOR_HOST"] = endpoint;
  try {
    const bucket = await openStore({ scheme: "gs", bucket: "lists" }, {});
    const { signal } = new AbortController();
    const put = (key: string, text: string) =>
      bucket.put(key, { bytes: Buffer.from(text) }, { condition: "absent", sha256: "", signal });
    await put("in/a.jsonl", rows(3));
    await put("in/a.jsonl.md5", digest("md5", rows(4)));
    const { checks } = await diagnose(directoryWith("store", { x: "" }), "gs://lists/in");
    expect(checks[0]?.message).toContain(
      `gs://lists/in/a.jsonl: its MD5 is ${digest("md5", rows(3))}, and ${digest("md5", rows(4))}`,
    );
  } finally {
    close();
  }
});
