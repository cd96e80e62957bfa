import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchRange } from "../../src/store/fetch-range.js";
import { openStore } from "../../src/store/open-store.js";
import { hasAzureServer, startAzureServer } from "../support/azure-server.js";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { startGcsServer } from "../support/gcs-server.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("other-stores");
const { signal } = new AbortController();
const sizes = ["--split-size", "256KiB", "--threads", "2", "--max-rejects", "1%", "--quiet"];

const kinds = [
  {
    scheme: "gs",
    isThere: true,
    async start() {
      const { endpoint, close } = await startGcsServer(["exports"]);
      process.env["STORAGE_EMULATOR_HOST"] = endpoint;
      return close;
    },
  },
  {
    scheme: "az",
    isThere: hasAzureServer(),
    async start() {
      const { connection, createContainer, close } = await startAzureServer();
      await createContainer("exports");
      process.env["AZURE_STORAGE_CONNECTION_STRING"] = connection;
      return close;
    },
  },
] as const;

describe.each(kinds.filter(({ isThere }) => isThere))("$scheme://", ({ scheme, start }) => {
  let close = () => {};
  const input = join(scratch, "rows.jsonl");

  beforeAll(async () => {
    close = await start();
    writeAmplitudeRows(input, 6_000, 30);
    const bytes = readFileSync(input);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const store = await openStore({ scheme, bucket: "exports" }, {});
    await store.put("in/rows.jsonl", { bytes }, { condition: "absent", sha256, signal });
  });

  afterAll(() => close());

  async function download(prefix: string): Promise<string> {
    const store = await openStore({ scheme, bucket: "exports" }, {});
    const directory = join(scratch, scheme, prefix);
    for await (const { objects } of store.list(`${prefix}/`, { isFlat: false, signal })) {
      for (const { key, etag, size } of objects) {
        const pieces: Buffer[] = [];
        const range = { etag, start: 0, end: size, signal };
        if (size > 0)
          await fetchRange(store, key, range, (bytes) => void pieces.push(Buffer.from(bytes)));
        const file = join(directory, key.slice(prefix.length + 1));
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, Buffer.concat(pieces));
      }
    }
    return directory;
  }

  it("has a changed input if an object of the same size has replaced it", async () => {
    const store = await openStore({ scheme, bucket: "exports" }, {});
    const row = '{"event_type":"e","event_time":"2026-01-01 00:00:00","user_id":"u1"}\n';
    const put = (text: string, condition: "absent" | { readonly etag: string }) => {
      const bytes = Buffer.from(text);
      const digest = createHash("sha256").update(bytes).digest("hex");
      return store.put("replaced/a.jsonl", { bytes }, { condition, sha256: digest, signal });
    };
    const to = join(scratch, `${scheme}-replaced`);
    const command = ["export", `${scheme}://exports/replaced/`, "--to", to, ...sizes];
    const etag = await put(row, "absent");
    expect(await runInProcess(command)).toMatchObject({ exitCode: 0 });
    expect(await put(row.replace("u1", "u2"), { etag })).not.toBe("occupied");
    expect(await runInProcess(command)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/replaced\/a\.jsonl: etag .* → .*run_changed/s),
    });
  });

  it("is read and written as a directory is, and can be exported into again", async () => {
    const local = join(scratch, `${scheme}-local`);
    const address = `${scheme}://exports`;
    const expected = await runInProcess(["export", input, "--to", local, ...sizes]);
    expect(expected, expected.stderr).toMatchObject({ exitCode: 0 });
    const command = ["export", `${address}/in/`, "--to", `${address}/out`, ...sizes];
    const stored = await runInProcess(command);
    expect(stored, stored.stderr).toMatchObject({ exitCode: 0 });
    expect(partsOf(await download("out"))).toEqual(partsOf(local));
    expect(partsOf(local).length).toBeGreaterThan(25);
    for (const more of [[], ["--read"]]) {
      const verified = await runInProcess(["verify", `${address}/out`, ...more]);
      expect(verified, verified.stdout).toMatchObject({ exitCode: 0 });
    }
    const again = await runInProcess(command.filter((word) => word !== "--quiet"));
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Already done") });
    const fresh = await runInProcess([...command, "--format", "csv", "--fresh"]);
    expect(fresh, fresh.stderr).toMatchObject({ exitCode: 0 });
    const verified = await runInProcess(["verify", `${address}/out`]);
    expect(verified, verified.stdout).toMatchObject({ exitCode: 0 });
  });
});

/** The parts and their digests; other files name the inputs. */
function partsOf(directory: string) {
  return Object.entries(digestExport(directory)).filter(([name]) => name.startsWith("events"));
}
