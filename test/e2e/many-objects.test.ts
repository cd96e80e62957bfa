import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect } from "vitest";
import type { ObjectStore } from "../../src/store/object-store.js";
import { openStore } from "../../src/store/open-store.js";
import { writeZip } from "../sources/zip-writer.js";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { startGcsServer } from "../support/gcs-server.js";
import { inputsOf } from "../support/inputs-of.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";

const OBJECTS = 1_200;
const scratch = scratchDirectory("many-objects");
const { signal } = new AbortController();
let close = () => {};

const rowOf = (index: number) => ({
  event_type: `e${index % 3}`,
  event_time: `2026-01-${String((index % 4) + 1).padStart(2, "0")} 10:00:00`,
  user_id: `u${index}`,
  $insert_id: `i${index % 900}`,
});
const line = (index: number) => `${JSON.stringify(rowOf(index))}\n`;

/** Returns the bytes of an object; some are not what their names and neighbours say. */
function contentOf(index: number): Buffer {
  const { event_type, event_time, user_id, $insert_id } = rowOf(index);
  if (index === 555)
    return Buffer.from(
      `event_time,user_id,event_type,$insert_id\n${event_time},${user_id},${event_type},${$insert_id}\n`,
    );
  if (index === 556) return gzipSync(`{"data": [${JSON.stringify(rowOf(index))}]}`);
  if (index === 557) return gzipSync(gzipSync(line(index)));
  if (index === 558) return Buffer.alloc(0);
  return gzipSync(line(index));
}

const keyOf = (index: number) => `2026-01-${(index % 4) + 1}/${index}.json.gz`;

let store: ObjectStore;

async function put(key: string, bytes: Buffer): Promise<void> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await store.put(key, { bytes }, { condition: "absent", sha256, signal });
}

beforeAll(async () => {
  const server = await startGcsServer(["many-objects"]);
  close = server.close;
  process.env["STORAGE_EMULATOR_HOST"] = server.endpoint;
  store = await openStore({ scheme: "gs", bucket: "many-objects" }, {});
  for (let index = 0; index < OBJECTS; index++) {
    const file = join(scratch, "in", keyOf(index));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contentOf(index));
    await put(`in/${keyOf(index)}`, contentOf(index));
  }
});

afterAll(() => close());

const run = async (input: string, output: string, ...more: readonly string[]) => {
  const words = ["export", input, "--to", join(scratch, output), "--preset", "amplitude", "--json"];
  const ended = await runInProcess([...words, "--threads", "2", ...more]);
  return { ...ended, result: JSON.parse(ended.stdout) };
};

longTest("fetches very many objects once, and reads each as what its own bytes are", async () => {
  const local = await run(join(scratch, "in"), "local");
  expect(local, local.stderr).toMatchObject({ exitCode: 0 });
  const stored = await run("gs://many-objects/in/", "stored");
  expect(stored, stored.stderr).toMatchObject({ exitCode: 0 });
  expect(partsOf("stored")).toEqual(partsOf("local"));
  expect(stored.result.store.requests.get).toBeLessThan(OBJECTS + 100);
  const inputs = inputsOf(join(scratch, "stored"));
  expect(inputs).toHaveLength(OBJECTS);
  const again = await run("gs://many-objects/in/", "stored");
  expect(again.result).toMatchObject({ exitCode: 0, alreadyDone: true });
});

longTest("finds the same repeated events", async () => {
  const local = await run(join(scratch, "in"), "local-once", "--dedupe");
  const stored = await run("gs://many-objects/in/", "stored-once", "--dedupe");
  expect(stored.result.rows).toMatchObject({ duplicates: 300 });
  expect([stored.exitCode, local.exitCode]).toEqual([0, 0]);
  expect(partsOf("stored-once")).toEqual(partsOf("local-once"));
});

longTest("fails only a zip that its name does not announce, and says what to do", async () => {
  await put("in/2026-01-1/9999.json.gz", writeZip([{ name: "a.json", data: line(1) }]));
  const { exitCode, result } = await run("gs://many-objects/in/", "zip");
  expect(exitCode).toBe(1);
  expect(result.failures).toMatchObject([
    { source: "gs://many-objects/in/2026-01-1/9999.json.gz", code: "source_format_differs" },
  ]);
  expect(result.failures[0].message).toContain("a name that ends in .zip");
});

function partsOf(output: string) {
  const digests = digestExport(join(scratch, output));
  return Object.entries(digests).filter(([path]) => path.startsWith("events/"));
}
