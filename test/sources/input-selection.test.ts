import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listInputs } from "../../src/sources/inputs.js";
import type { S3Options } from "../../src/store/object-store.js";
import { openStore } from "../../src/store/open-store.js";
import { hasAzureServer, startAzureServer } from "../support/azure-server.js";
import { startGcsServer } from "../support/gcs-server.js";
import { hasS3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const { signal } = new AbortController();
const scratch = scratchDirectory("input-selection");

const keys = [
  "in/a.json",
  "in/b.csv",
  "in/.x.json",
  "in/_x.json",
  "in/_SUCCESS",
  "in/.crc/a.json",
  "in/_d/a.json",
  "in/_d/_e/a.json",
  "in/_d/_deep.json",
  "in/day=1/a.json",
  "in/day=1/_committed_1",
  "in/day=1/.hidden/a.json",
  "in/day=2/sub/a.json",
  "in/day=2/sub/_a.json",
  "in/odd [1].json",
  "_private/a.json",
  "_private/_b.json",
  ".top.json",
  "one.json",
  "two/one.json",
];

/** What is selected, by input. An empty list: the input is refused. */
const selections: readonly (readonly [input: string, selected: readonly string[]])[] = [
  ["in", ["in/a.json", "in/b.csv", "in/day=1/a.json", "in/day=2/sub/a.json", "in/odd [1].json"]],
  ["in/", ["in/a.json", "in/b.csv", "in/day=1/a.json", "in/day=2/sub/a.json", "in/odd [1].json"]],
  ["in/*", ["in/a.json", "in/b.csv", "in/day=1/a.json", "in/day=2/sub/a.json", "in/odd [1].json"]],
  ["in/**", ["in/a.json", "in/b.csv", "in/day=1/a.json", "in/day=2/sub/a.json", "in/odd [1].json"]],
  ["**/a.json", ["in/a.json", "in/day=1/a.json", "in/day=2/sub/a.json"]],
  ["*", [...keys].filter((key) => !/(?:^|\/)[._]/.test(key))],
  ["in/*/*", ["in/day=1/a.json", "in/day=2/sub/a.json"]],
  ["in/*.json", ["in/a.json", "in/odd [1].json"]],
  ["in/?x.json", []],
  ["in/[._]x.json", []],
  ["in/!(a).json", ["in/odd [1].json"]],
  ["in/{a.json,_x.json}", ["in/_x.json", "in/a.json"]],
  ["in/{.,_}x.json", ["in/.x.json", "in/_x.json"]],
  [
    "in/{*,_d/*}",
    [
      "in/_d/a.json",
      "in/a.json",
      "in/b.csv",
      "in/day=1/a.json",
      "in/day=2/sub/a.json",
      "in/odd [1].json",
    ],
  ],
  ["in/_*", ["in/_SUCCESS", "in/_d/a.json", "in/_x.json"]],
  ["in/.*", ["in/.crc/a.json", "in/.x.json"]],
  ["in/_d", ["in/_d/a.json"]],
  ["in/_d/*", ["in/_d/a.json"]],
  ["in/_d/**", ["in/_d/a.json"]],
  ["in/_d/_*", ["in/_d/_deep.json", "in/_d/_e/a.json"]],
  ["in/_*/*", ["in/_d/a.json"]],
  ["**/_d/*", ["in/_d/a.json"]],
  ["**/_a.json", ["in/day=2/sub/_a.json"]],
  ["in/day=*", ["in/day=1/a.json", "in/day=2/sub/a.json"]],
  ["in/day=1/_committed_1", ["in/day=1/_committed_1"]],
  ["in/day=1/_*", ["in/day=1/_committed_1"]],
  ["in/odd [1].json", ["in/odd [1].json"]],
  ["_private", ["_private/a.json"]],
  ["_private/*", ["_private/a.json"]],
  ["_private/_b.json", ["_private/_b.json"]],
  ["{_private,two}/*", ["_private/a.json", "two/one.json"]],
  [".top.json", [".top.json"]],
  ["*.json", ["one.json"]],
  ["in/day", []],
  ["in/da", []],
  ["one", []],
  ["*/one.json", ["two/one.json"]],
  ["in/day={1,2}/**/*.json", ["in/day=1/a.json", "in/day=2/sub/a.json"]],
];

interface Place {
  readonly name: string;
  readonly isThere: boolean;
  /** Stores the keys. Returns what is written before a key, and how to stop. */
  start(): Promise<{ readonly prefix: string; readonly s3?: S3Options; close?(): void }>;
}

async function store(scheme: "s3" | "gs" | "az", s3: S3Options = {}): Promise<void> {
  const bucket = await openStore({ scheme, bucket: "selection" }, s3);
  for (const key of keys) {
    const bytes = Buffer.from(key);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await bucket.put(key, { bytes }, { condition: "absent", sha256, signal });
  }
}

const places: readonly Place[] = [
  {
    name: "a directory",
    isThere: true,
    async start() {
      for (const key of keys) {
        mkdirSync(dirname(join(scratch, key)), { recursive: true });
        writeFileSync(join(scratch, key), key);
      }
      return { prefix: `${scratch}/` };
    },
  },
  {
    name: "Google Cloud Storage",
    isThere: true,
    async start() {
      const { endpoint, close } = await startGcsServer(["selection"]);
      process.env["STORAGE_EMULATOR_HOST"] = endpoint;
      await store("gs");
      return { prefix: "gs://selection/", close };
    },
  },
  {
    name: "Azure",
    isThere: hasAzureServer(),
    async start() {
      const { connection, createContainer, close } = await startAzureServer();
      process.env["AZURE_STORAGE_CONNECTION_STRING"] = connection;
      await createContainer("selection");
      await store("az");
      return { prefix: "az://selection/", close };
    },
  },
  {
    name: "S3",
    isThere: hasS3Server(),
    async start() {
      const { options, createBucket } = await useS3Server();
      await createBucket("selection");
      await store("s3", options);
      return { prefix: "s3://selection/", s3: options };
    },
  },
];

describe.each(places.filter(({ isThere }) => isThere))("inputs in $name", ({ start }) => {
  let place: Awaited<ReturnType<Place["start"]>>;

  beforeAll(async () => {
    place = await start();
  });

  afterAll(() => place.close?.());

  it.each(selections)("%s", async (input, selected) => {
    const { prefix, s3 } = place;
    const listed = listInputs([prefix + input], "/", { signal, s3 });
    if (selected.length === 0) {
      await expect(listed).rejects.toMatchObject({ code: "input_not_found" });
      return;
    }
    const names = (await listed).map(({ name }) => name.slice(prefix.length));
    expect(names.sort()).toEqual([...selected].sort());
  });
});
