import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { digestLines } from "../../../src/base/line-file.js";
import { verifyExport } from "../../../src/check/verify/verify.js";
import type { OutputFormat } from "../../../src/formats/output-formats.js";
import type { Manifest, ManifestFile } from "../../../src/ledger/manifest.js";
import type { RunProgress } from "../../../src/ledger/run-observer.js";
import { directoryFiles } from "../../../src/output/directory-files.js";
import { openJsonFile } from "../../run/open-json-file.js";
import { scratchDirectory } from "../../support/scratch.js";

let directory: string;

beforeEach(() => {
  directory = scratchDirectory("verify");
});

const times = {
  "2026-01-30": ["2026-01-30T00:00:00.000Z", "2026-01-30T23:59:59.999Z"],
  "2026-01-31": ["2026-01-31T12:00:00.000Z"],
} as const;

interface Changes {
  readonly format?: OutputFormat;
  readonly dayZone?: string;
  readonly days?: Readonly<Record<string, readonly string[]>>;
}

/** Writes an export with one file a day and a row for each of the times, and its manifest. */
async function writeExport(changes: Changes = {}): Promise<Manifest> {
  const { format = "jsonl", dayZone = "UTC", days = times } = changes;
  const written: Manifest["days"][number][] = [];
  for (const [day, timestamps] of Object.entries(days)) {
    const lines = timestamps.map((time) =>
      JSON.stringify({ event: "e", user: { timestamp: 1 }, timestamp: Date.parse(time) }),
    );
    const text = lines.map((line) => `${line}\n`).join("");
    const content = format === "jsonl.gz" ? gzipSync(text) : Buffer.from(text);
    const name = `events/${day}/part-000000-0.${format}`;
    await mkdir(path.join(directory, path.dirname(name)), { recursive: true });
    await writeFile(path.join(directory, name), content);
    const facts = {
      rows: lines.length,
      bytes: content.length,
      firstTimestamp: timestamps[0] ?? "",
      lastTimestamp: timestamps.at(-1) ?? "",
    };
    const sha256 = createHash("sha256").update(content).digest("hex");
    written.push({ day, ...facts, files: [{ path: name, sha256, ...facts }] });
  }
  await mkdir(path.join(directory, "rejects"));
  await writeFile(path.join(directory, "rejects/part-000000.jsonl"), '{"code":"event_missing"}\n');
  const byDay = Object.entries(days)
    .map(([day, { length }]) => `${JSON.stringify({ day, events: [["e", length]] })}\n`)
    .join("");
  await writeFile(path.join(directory, "events-by-day.jsonl"), byDay);
  await writeFile(path.join(directory, "inputs.jsonl"), "");
  const moments = written.flatMap((day) => [day.firstTimestamp, day.lastTimestamp]).sort();
  const rows = written.reduce((sum, day) => sum + day.rows, 0);
  const manifest: Manifest = {
    manifestVersion: 2,
    version: "0.1.0",
    complete: true,
    dataset: "events",
    format,
    dayZone,
    configuration: {},
    totals: {
      rows,
      bytes: written.reduce((sum, day) => sum + day.bytes, 0),
      files: written.length,
      days: written.length,
      firstTimestamp: written[0]?.firstTimestamp ?? null,
      lastTimestamp: written.at(-1)?.lastTimestamp ?? null,
    },
    rows: { read: rows + 1, added: 0, delivered: rows, rejected: 1, filtered: 0 },
    rejects: [{ code: "event_missing", rows: 1, example: { source: "a", message: "m" } }],
    notices: {},
    epochs: [
      {
        number: 0,
        sources: 0,
        rows: { read: rows + 1, added: 0, delivered: rows, rejected: 1, filtered: 0 },
        days: written.map((one) => one.day),
      },
    ],
    inputs: { path: "inputs.jsonl", count: 0, ...digestLines([]) },
    failures: [],
    days: written,
    events: rows === 0 ? [] : [{ event: "e", rows, ...rangeOf(moments) }],
    eventsByDay: {
      path: "events-by-day.jsonl",
      bytes: byDay.length,
      sha256: createHash("sha256").update(byDay).digest("hex"),
    },
    run: { startedAt: "", endedAt: "", durationMs: 0, resumes: 0, epochs: [""] },
  };
  await writeManifest(manifest);
  return manifest;
}

const rangeOf = (moments: readonly string[]) => {
  return { firstTimestamp: moments[0] ?? "", lastTimestamp: moments.at(-1) ?? "" };
};
function writeManifest(manifest: unknown): Promise<void> {
  return writeFile(path.join(directory, "manifest.json"), JSON.stringify(manifest));
}

/** Returns the manifest with another first file. */
function withFile(manifest: Manifest, change: Partial<ManifestFile>): Manifest {
  const [day, ...others] = manifest.days;
  const file = day?.files[0];
  if (day === undefined || file === undefined) throw new Error("the export has no file");
  return { ...manifest, days: [{ ...day, files: [{ ...file, ...change }] }, ...others] };
}

function verify(signal = new AbortController().signal) {
  const reading = { signal, observer: {}, openReader: openJsonFile };
  return verifyExport(directoryFiles(directory), reading);
}

async function differences(): Promise<string[]> {
  const { outcome, differences: found } = await verify();
  expect(outcome).toBe(found.length === 0 ? "verified" : "different");
  return found.map(({ code, path, message }) => `${code} ${path}: ${message}`);
}

const firstFile = "events/2026-01-30/part-000000-0.jsonl";
test.each(["jsonl", "jsonl.gz"] as const)(
  "an untouched export of %s is verified",
  async (format) => {
    await writeExport({ format });
    const counts = { files: 2, rows: 3, days: 2 };
    expect(await verify()).toMatchObject({ outcome: "verified", differences: [], ...counts });
  },
);

test("an export without a row is verified", async () => {
  await writeExport({ days: {} });
  expect(await differences()).toEqual([]);
});

test("days are in the manifest's zone", async () => {
  await writeExport({ dayZone: "America/New_York", days: { "2026-01-29": times["2026-01-31"] } });
  expect(await differences()).toEqual([
    `row_in_wrong_day events/2026-01-29/part-000000-0.jsonl: row 1 has the time ` +
      "2026-01-31T12:00:00.000Z, which is not in 2026-01-29 (America/New_York)",
  ]);
});

test("rows of a name may be among the others if the manifest has others", async () => {
  const manifest = await writeExport();
  const [stated] = manifest.events;
  if (stated === undefined) throw new Error("the export has no event");
  const { rows, ...range } = stated;
  const otherEvents = { rows: 1, ...rangeOf([range.firstTimestamp, range.lastTimestamp]) };
  await writeManifest({ ...manifest, events: [{ ...range, rows: rows - 1 }], otherEvents });
  expect(await differences()).toEqual([]);
  await writeManifest({ ...manifest, events: [{ ...range, rows: rows + 1 }], otherEvents });
  expect(await differences()).toEqual([
    'events_differ manifest.json: rows of "e": found 3, the manifest says 4',
  ]);
});

describe("finds", () => {
  test("a missing file", async () => {
    const { totals, days } = await writeExport();
    await rm(path.join(directory, firstFile));
    const bytes = totals.bytes - (days[0]?.bytes ?? 0);
    expect(await verify()).toMatchObject({ files: totals.files - 1, bytes });
    expect(await differences()).toEqual([`file_missing ${firstFile}: the file does not exist`]);
  });

  test("one changed byte", async () => {
    await writeExport();
    const content = await readFile(path.join(directory, firstFile), "utf8");
    await writeFile(path.join(directory, firstFile), content.replace('"e"', '"f"'));
    expect(await differences()).toEqual([
      expect.stringMatching(`^sha256_differs ${firstFile}: SHA-256: found [0-9a-f]{64}, the`),
    ]);
  });

  test("a truncated file", async () => {
    await writeExport();
    await writeFile(path.join(directory, firstFile), "{}\n");
    expect((await differences())[0]).toMatch(
      /^bytes_differ .*: size in bytes: found 3, the manifest says 126/,
    );
  });

  test("a copy of a part and an unknown day, but not names that begin with _ or a dot", async () => {
    await writeExport();
    await cp(path.join(directory, firstFile), path.join(directory, `${firstFile}.copy`));
    await mkdir(path.join(directory, "events/2026-02-01"));
    await writeFile(path.join(directory, "events/2026-02-01/part-000000-0.jsonl"), "");
    await writeFile(path.join(directory, "events/2026-01-30/_SUCCESS"), "");
    await writeFile(path.join(directory, "events/.crc"), "");
    const message = "the file is not in the manifest; loading the directory would load it too";
    expect(await differences()).toEqual([
      `file_unexpected ${firstFile}.copy: ${message}`,
      `file_unexpected events/2026-02-01/part-000000-0.jsonl: ${message}`,
    ]);
  });

  test("rows that the manifest miscounts", async () => {
    await writeManifest(withFile(await writeExport(), { rows: 5 }));
    expect(await differences()).toEqual([
      `rows_differ ${firstFile}: rows: found 2, the manifest says 5`,
      "totals_differ manifest.json: rows of day 2026-01-30: found 5, the manifest says 2",
    ]);
  });

  test("first and last timestamps that differ from the rows", async () => {
    const firstTimestamp = "2026-01-30T00:00:00.001Z";
    const lastTimestamp = "2026-01-30T23:59:59.998Z";
    await writeManifest(withFile(await writeExport(), { firstTimestamp, lastTimestamp }));
    const found = await differences();
    expect(found.slice(0, 2)).toEqual([
      `first_timestamp_differs ${firstFile}: first timestamp: found 2026-01-30T00:00:00.000Z, ` +
        `the manifest says ${firstTimestamp}`,
      `last_timestamp_differs ${firstFile}: last timestamp: found 2026-01-30T23:59:59.999Z, ` +
        `the manifest says ${lastTimestamp}`,
    ]);
  });

  test("a row without a readable time", async () => {
    const manifest = await writeExport();
    const content = '{"timestamp":1769731200000}\n{"timestamp":"soon"}\n';
    await writeFile(path.join(directory, firstFile), content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const firstTimestamp = "2026-01-30T00:00:00.000Z";
    const facts = { bytes: content.length, sha256, firstTimestamp, lastTimestamp: firstTimestamp };
    await writeManifest(withFile(manifest, facts));
    expect((await differences())[0]).toBe(
      `row_unreadable ${firstFile}: row 2 cannot be read, or has no timestamp`,
    );
  });

  test("content that cannot be read, with the reason", async () => {
    const manifest = await writeExport({ format: "jsonl.gz" });
    const name = firstFile.replace("jsonl", "jsonl.gz");
    const content = gzipSync("{}\n").subarray(0, 12);
    await writeFile(path.join(directory, name), content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    await writeManifest(withFile(manifest, { bytes: content.length, sha256 }));
    expect((await differences())[0]).toMatch(`file_unreadable ${name}: `);
    expect((await differences())[0]?.split(name)).toHaveLength(2);
  });

  test("totals and accounting that do not add up", async () => {
    const manifest = await writeExport();
    const totals = { ...manifest.totals, files: 3, lastTimestamp: null };
    const epochs = manifest.epochs.map((epoch) => ({ ...epoch, days: epoch.days.slice(1) }));
    await writeManifest({ ...manifest, totals, epochs, rows: { ...manifest.rows, read: 9 } });
    expect(await differences()).toEqual([
      "totals_differ manifest.json: lastTimestamp of the whole export: found " +
        "2026-01-31T12:00:00.000Z, the manifest says none",
      "totals_differ manifest.json: files of the whole export: found 2, the manifest says 3",
      "accounting_differs manifest.json: rows delivered, rejected, filtered and removed as " +
        "duplicates, against rows read and added: found 4, the manifest says 9",
      "accounting_differs manifest.json: rows read in all epochs: found 4, the manifest says 9",
      "accounting_differs manifest.json: days with files that no epoch has: found 1, the manifest says 0",
    ]);
  });

  test("events that the manifest miscounts, by name and by day", async () => {
    const manifest = await writeExport();
    const [stated] = manifest.events;
    if (stated === undefined) throw new Error("the export has no event");
    const byDay = '{"day":"2026-01-30","events":[["e",3]]}\n';
    await writeFile(path.join(directory, "events-by-day.jsonl"), byDay);
    const sha256 = createHash("sha256").update(byDay).digest("hex");
    const lastTimestamp = "2026-02-01T00:00:00.000Z";
    await writeManifest({
      ...manifest,
      events: [
        { ...stated, lastTimestamp },
        { ...stated, event: "f" },
      ],
      eventsByDay: { ...manifest.eventsByDay, bytes: byDay.length, sha256 },
    });
    expect(await differences()).toEqual([
      'events_differ manifest.json: lastTimestamp of "e": found 2026-01-31T12:00:00.000Z, ' +
        `the manifest says ${lastTimestamp}`,
      'events_differ manifest.json: rows of "f": found 0, the manifest says 3',
      "events_differ events-by-day.jsonl: the counts of 2026-01-30 differ from its files",
    ]);
  });

  test("events of names that the manifest does not list", async () => {
    await writeManifest({ ...(await writeExport()), events: [] });
    expect((await differences())[0]).toBe(
      "events_differ manifest.json: 3 rows have event names that the manifest does not list",
    );
  });

  test("counts by day that are missing or changed", async () => {
    await writeExport();
    const file = path.join(directory, "events-by-day.jsonl");
    await writeFile(file, (await readFile(file, "utf8")).replace("2]", "3]"));
    expect(await differences()).toEqual([
      expect.stringMatching("^sha256_differs events-by-day.jsonl: "),
    ]);
    await rm(file);
    expect(await differences()).toEqual([
      "file_missing events-by-day.jsonl: the file does not exist",
    ]);
  });

  test("rejects that are missing, too many or malformed", async () => {
    await writeExport();
    const content = '{"code":"row_too_long"}\n{"code":"row_too_long"}\nnonsense\n';
    await writeFile(path.join(directory, "rejects/part-000000.jsonl"), content);
    expect(await differences()).toEqual([
      "rejects_differ rejects/part-000000.jsonl: line 3 is not a rejected row with a code",
      "rejects_differ rejects: rows rejected as event_missing: found 0, the manifest says 1",
      "rejects_differ rejects: rows rejected as row_too_long: found 2, the manifest says 0",
    ]);
  });

  test("an export that is not complete", async () => {
    const failures = [{ source: "b.gz", code: "gzip_truncated", message: "ends too early" }];
    await writeManifest({ ...(await writeExport()), complete: false, failures });
    expect(await differences()).toEqual([
      "export_incomplete manifest.json: the export is not complete: b.gz failed (ends too early). " +
        "Run the same export again to resume it",
    ]);
  });

  test("a path that leaves its day, without following it", async () => {
    const manifest = await writeExport();
    for (const hostile of ["events/2026-01-30/../../../x", "/etc/passwd", "events/2026-01-31/a"]) {
      await writeManifest(withFile(manifest, { path: hostile }));
      expect((await differences())[0]).toBe(
        `path_invalid ${hostile}: is not a file in events/2026-01-30`,
      );
    }
  });

  test("all files that differ, in order", async () => {
    await writeExport();
    for (const day of Object.keys(times)) {
      await rm(path.join(directory, `events/${day}`), { recursive: true });
    }
    expect((await differences()).map((one) => one.split(" ")[1])).toEqual([
      "events/2026-01-30/part-000000-0.jsonl:",
      "events/2026-01-31/part-000000-0.jsonl:",
    ]);
  });
});

describe("refuses", () => {
  test.each([
    ["no manifest", undefined, "manifest_missing", /manifest\.json does not exist\. Pass the/],
    ["no JSON", "{", "manifest_unreadable", /cannot be read/],
    ["another version", '{"manifestVersion":99}', "manifest_version", /has version 99; this/],
    ["anything else", '{"manifestVersion":2}', "manifest_malformed", /needs the key complete/],
  ])("%s", async (_, content, code, message) => {
    if (content !== undefined) await writeFile(path.join(directory, "manifest.json"), content);
    await expect(verify()).rejects.toMatchObject({
      code,
      exitCode: 1,
      message: expect.stringMatching(message),
    });
  });
});

test("an aborted signal ends it", async () => {
  await writeExport();
  await expect(verify(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});

test("progress counts the bytes and rows of files", async () => {
  const { totals } = await writeExport();
  let progress: (() => RunProgress) | undefined;
  const moments: number[] = [];
  await verifyExport(directoryFiles(directory), {
    signal: new AbortController().signal,
    observer: {
      started: (given) => {
        progress = given;
      },
    },
    openReader: (...given) => {
      moments.push(progress?.().bytesDone ?? -1);
      return openJsonFile(...given);
    },
  });
  expect(moments).toEqual([0, 126]);
  expect(progress?.()).toMatchObject({
    bytesTotal: totals.bytes,
    bytesDone: totals.bytes,
    rows: 3,
    splitsDone: 2,
    threads: [{ source: undefined, rows: 3 }],
  });
});
