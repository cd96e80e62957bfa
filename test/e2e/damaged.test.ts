import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { writeZip } from "../sources/zip-writer.js";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { FaultyService } from "../support/faulty-service.js";
import { amplitudeLines } from "../support/generated-input.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend } from "../support/send-command.js";

const scratch = scratchDirectory("damaged");
let runs = 0;

function freshPath(name: string): string {
  runs += 1;
  return join(scratch, `${runs}-${name}`);
}

async function exportTo(output: string, input: string, ...more: string[]) {
  const flags = ["--to", output, "--format", "jsonl", "--max-rejects", "1%", ...more];
  return runInProcess(["export", input, ...flags]);
}

/** The events of an export, one text. */
function eventsOf(output: string): string {
  const names = readdirSync(join(output, "events"), { recursive: true, encoding: "utf8" });
  const parts = names.filter((name) => name.endsWith(".jsonl")).sort();
  return parts.map((name) => readFileSync(join(output, "events", name), "utf8")).join("");
}

/** The bytes with one bit of the last checksum of a gzip file turned. */
function spoilChecksum(gzip: Buffer): Buffer {
  const spoiled = Buffer.from(gzip);
  spoiled.writeUInt8(spoiled.readUInt8(spoiled.length - 8) ^ 1, spoiled.length - 8);
  return spoiled;
}

const first = amplitudeLines(0, 400, 2);
const second = amplitudeLines(400, 400, 2);
const members = Buffer.concat([gzipSync(first), gzipSync(second)]);

describe("rows whose checksum fails", () => {
  it("are left out, are the same after the file is repaired, and are kept on request", async () => {
    const clean = freshPath("out");
    const input = freshPath("a.json.gz");
    writeFileSync(input, gzipSync(first));
    await exportTo(clean, input);
    const sound = eventsOf(clean);

    writeFileSync(input, spoilChecksum(members));
    const output = freshPath("out");
    const failed = await exportTo(output, input);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/may be altered.*Their rows are left out; --damaged keep/s);
    expect(eventsOf(output)).toBe(sound);

    const kept = await exportTo(output, input, "--damaged", "keep");
    expect(kept.exitCode).toBe(1);
    expect(kept.stderr).toMatch(
      /may be altered.*Rows from that position on were already delivered/s,
    );
    expect(eventsOf(output).split("\n")).toHaveLength(801);

    writeFileSync(input, members);
    expect(await exportTo(output, input)).toMatchObject({ exitCode: 0 });
    const whole = freshPath("out");
    await exportTo(whole, input);
    expect(digestExport(output)).toEqual(digestExport(whole));
  });

  it("are left out of a zip entry as a whole, beside its sound entries", async () => {
    const input = freshPath("a.zip");
    const entries = [
      { name: "a.json", data: first },
      { name: "b.json", data: second, crc32: 1 },
    ];
    writeFileSync(input, writeZip(entries));
    const output = freshPath("out");
    const failed = await exportTo(output, input);
    expect(failed.exitCode).toBe(1);
    expect(eventsOf(output).split("\n")).toHaveLength(401);
  });

  it("are named by send, which has sent them", async () => {
    const service = new FaultyService(() => accepted);
    const directory = scratchDirectory("damaged-send");
    writeFileSync(join(directory, "a.json.gz"), spoilChecksum(members));
    const words = ["a.json.gz", "--to", await service.listen(), "--max-rejects", "1%"];
    const { exitCode, stderr } = await runSend(directory, words);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /a\.json\.gz.*may be altered.*Rows from that position on were already delivered/s,
    );
    expect(service.storedIndexes().length).toBeGreaterThan(400);
  });

  it("are counted by a dry run as an export leaves them out", async () => {
    const input = freshPath("a.json.gz");
    writeFileSync(input, spoilChecksum(members));
    const report = freshPath("report");
    const { stdout } = await runInProcess(["validate", input, "--report", report, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ rows: { read: 400 } });
  });
});
