import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.js";
import { writeZip } from "../sources/zip-writer.js";
import { runInProcess } from "../support/command-line.js";
import { startGcsServer } from "../support/gcs-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("files-without-events");

const row = (members: object) => `${JSON.stringify(members)}\n`;
const person = { team_id: 1, distinct_id: "d", person_id: "p", properties: {}, person_version: 1 };
const event = { event: "e", distinct_id: "d", timestamp: "2026-01-31T10:00:00Z", uuid: "1" };

/** What lies in a bucket, by key. */
const files: Record<string, string | Buffer> = {
  "events/a.jsonl": row(event).repeat(3),
  "events/b/readme_clicked.jsonl.gz": gzipSync(row(event).repeat(2)),
  "events/a.jsonl.md5": "00000000000000000000000000000000\n",
  "events/2026_manifest.json": '{"files": ["events/a.jsonl"]}',
  "events/b/_SUCCESS": "",
  "events/b/_committed_7": "{}",
  "events/b/2026_complete": "2026-01-31\n",
  "events/b/.DS_Store": "\0\0\0\x01Bud1",
  "events/README.md": "# events\n",
  "people/a.jsonl": row(person).repeat(3),
  "adobe/shop_2026-01-13.txt": "Datafeed-Manifest-Version: 1.0\nData-Files: 0\n",
  "adobe/column_headers.tsv": "hitid_high\thitid_low\n",
  "adobe/event.tsv": "1\tPurchase\n2\tView\n",
};

const notes = (place: string) => [
  `files of persons ${place}people/a.jsonl, ${place}persons/a.parquet`,
  `manifests ${place}adobe/shop_2026-01-13.txt, ${place}events/2026_manifest.json`,
  `checksums ${place}events/a.jsonl.md5`,
  "markers ",
  `lookup tables ${place}adobe/column_headers.tsv, ${place}adobe/event.tsv`,
  `documents ${place}events/README.md`,
  `files of desktops ${place}events/b/.DS_Store`,
];

beforeAll(async () => {
  const file = join(scratch, "a.parquet");
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const columns = "1 team_id, 'd' distinct_id, 'p' person_id, '{}' properties, 1 person_version";
  await database.run(`copy (select ${columns}) to '${file}' (format parquet)`);
  database.closeSync();
  files["persons/a.parquet"] = readFileSync(file);
});

async function exportOf(input: string, out: string) {
  const words = [
    "export",
    input,
    "--preset",
    "posthog",
    "--to",
    out,
    "--format",
    "jsonl",
    "--json",
  ];
  const { stdout, stderr } = await runInProcess(words, { cwd: scratch });
  return { stderr, rows: (JSON.parse(stdout) as { readonly rows: object }).rows };
}

function expectKnown({ stderr, rows }: Awaited<ReturnType<typeof exportOf>>, place: string): void {
  expect(rows).toMatchObject({ read: 5, delivered: 5, rejected: 0 });
  for (const note of notes(place)) expect(stderr).toContain(note);
}

test("files without events are known in a directory", async () => {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(scratch, "in", name)), { recursive: true });
    writeFileSync(join(scratch, "in", name), bytes);
  }
  expectKnown(await exportOf("in", "out-directory"), "in/");
});

test("files without events are known in a zip", async () => {
  const names = Object.keys(files).sort();
  const entries = names.map((name) => ({ name, data: files[name]! }));
  writeFileSync(join(scratch, "all.zip"), writeZip(entries));
  expectKnown(await exportOf("all.zip", "out-zip"), "all.zip!");
});

test("files without events are known in a store", async () => {
  const { endpoint, close } = await startGcsServer(["others"]);
  process.env["STORAGE_EMULATOR_HOST"] = endpoint;
  try {
    const bucket = await openStore({ scheme: "gs", bucket: "others" }, {});
    const { signal } = new AbortController();
    for (const [key, bytes] of Object.entries(files)) {
      const body = { bytes: Buffer.from(bytes) };
      await bucket.put(`in/${key}`, body, { condition: "absent", sha256: "", signal });
    }
    expectKnown(await exportOf("gs://others/in", "out-store"), "gs://others/in/");
  } finally {
    close();
  }
});
