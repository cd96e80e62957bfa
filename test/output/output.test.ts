import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { directoryFiles } from "../../src/output/directory-files.js";
import { openOutput } from "../../src/output/open-output.js";
import type { Output } from "../../src/output/output.js";
import type { OutputPlace } from "../../src/output/output-place.js";
import { hasAzureServer, startAzureServer } from "../support/azure-server.js";
import { startGcsServer } from "../support/gcs-server.js";
import { hasS3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("outputs");
const { signal } = new AbortController();

interface Place extends OutputPlace {
  close?(): void;
}

interface Kind {
  readonly name: string;
  readonly isThere: boolean;
  place(): Promise<Place>;
}

const kinds: readonly Kind[] = [
  {
    name: "a directory",
    isThere: true,
    place: async () => ({ directory: join(scratch, "output"), s3: {} }),
  },
  {
    name: "S3",
    isThere: hasS3Server(),
    async place() {
      const { options: s3, createBucket } = await useS3Server();
      await createBucket("outputs");
      return { directory: "s3://outputs/some/export/", s3 };
    },
  },
  {
    name: "Google Cloud Storage",
    isThere: true,
    async place() {
      const { endpoint, close } = await startGcsServer(["outputs"]);
      process.env["STORAGE_EMULATOR_HOST"] = endpoint;
      return { directory: "gs://outputs/some/export", s3: {}, close };
    },
  },
  {
    name: "Azure",
    isThere: hasAzureServer(),
    async place() {
      const { createContainer, connection, close } = await startAzureServer();
      await createContainer("outputs");
      process.env["AZURE_STORAGE_CONNECTION_STRING"] = connection;
      return { directory: "az://outputs/some/export", s3: {}, close };
    },
  },
];

describe.each(kinds.filter(({ isThere }) => isThere))("an output in $name", (kind) => {
  let place: Place;
  let output: Output;

  beforeAll(async () => {
    place = await kind.place();
    output = await openOutput(place);
  });

  afterAll(() => place.close?.());

  const read = async (path: string) => (await output.get(path, signal))?.toString();

  it("has nothing before something is written", async () => {
    expect(await output.get("absent", signal)).toBeUndefined();
    expect(await output.get("absent/below", signal)).toBeUndefined();
    expect(await output.list("absent/", signal)).toEqual([]);
    await output.remove(["absent", "absent/below"], signal);
  });

  it("writes a file as a whole, and replaces it", async () => {
    expect(await output.put("texts/a.json", "one", { signal })).toBe(true);
    expect(await output.put("texts/a.json", "another", { signal })).toBe(true);
    expect(await read("texts/a.json")).toBe("another");
    const bytes = Buffer.from([0, 255, 10, 128]);
    await output.put("texts/bytes", bytes, { signal });
    expect(await output.get("texts/bytes", signal)).toEqual(bytes);
    await output.put("texts/empty", "", { signal });
    expect(await read("texts/empty")).toBe("");
  });

  it("keeps a file that must be absent to be written", async () => {
    const absent = { condition: "absent", signal } as const;
    expect(await output.put("once/é b", "first", absent)).toBe(true);
    expect(await output.put("once/é b", "second", absent)).toBe(false);
    expect(await read("once/é b")).toBe("first");
    await output.remove(["once/é b"], signal);
    expect(await output.put("once/é b", "third", absent)).toBe(true);
    expect(await read("once/é b")).toBe("third");
  });

  it("lets one of eight processes write a file that must be absent", async () => {
    const writers = Array.from({ length: 8 }, (_, index) =>
      output.put("race", `writer ${index}`, { condition: "absent", signal }),
    );
    const won = (await Promise.all(writers)).flatMap((isWritten, index) =>
      isWritten ? [`writer ${index}`] : [],
    );
    expect(won).toEqual([await read("race")]);
  });

  it("lists what is directly below a prefix, and leaves no draft", async () => {
    for (const path of ["list/b", "list/a", "list/a-2", "list/c/d", "list/c/e/f", "listed"])
      await output.put(path, "text", { signal });
    expect(await output.list("list/", signal)).toEqual(["list/a", "list/a-2", "list/b", "list/c/"]);
    expect(await output.list("list/a", signal)).toEqual(["list/a", "list/a-2"]);
    expect(await output.list("list/c/e/", signal)).toEqual(["list/c/e/f"]);
    expect(await output.list("list", signal)).toEqual(["list/", "listed"]);
    await output.remove(["list/a", "list/absent", "list/c/d"], signal);
    expect(await output.list("list/", signal)).toEqual(["list/a-2", "list/b", "list/c/"]);
  });

  it("gives a lock to one process at a time, and says who has it", async () => {
    const lock = output.lock("_switchyard/lock", "shard 1/2");
    expect(await lock.isHeld(signal)).toBe(false);
    expect(await lock.holder(signal)).toBeUndefined();
    const held = await lock.take();
    expect(held.takenOverFrom).toBeUndefined();
    expect(await lock.isHeld(signal)).toBe(true);
    expect(await lock.holder(signal)).toMatchObject({ pid: process.pid, planner: "shard 1/2" });
    await expect(lock.take()).rejects.toMatchObject({ code: "output_locked" });
    await held.check();
    await held.renew();
    expect(held.lost.aborted).toBe(false);
    // A lock beside it is another one.
    const other = await output.lock("_switchyard/lock-worker-x").take();
    await other.release();
    await held.release();
    expect(await lock.isHeld(signal)).toBe(false);
    await (await lock.take()).release();
    expect(await output.list("_switchyard/", signal)).toEqual([]);
  });

  it("gives a claim to one process at a time", async () => {
    const taken = await Promise.all(Array.from({ length: 4 }, () => output.claim("claims/000000")));
    const [claim, ...others] = taken.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect(claim?.leftMs).toBeGreaterThan(0);
    expect(await output.claim("claims/000000")).toBeUndefined();
    const other = await output.claim("claims/000001");
    expect(other).toBeDefined();
    await other?.release();
    await claim?.release();
    const next = await output.claim("claims/000000");
    expect(next).toBeDefined();
    await next?.release();
  });
});

describe("an output in a directory", () => {
  it("reports a file where a directory should be", async () => {
    const directory = join(scratch, "blocked");
    mkdirSync(directory);
    const output = await openOutput({ directory, s3: {} });
    await output.put("file", "text", { signal });
    await expect(output.put("file/below", "text", { signal })).rejects.toMatchObject({
      code: "output_unwritable",
    });
    expect(await output.get("file/below", signal)).toBeUndefined();
    await expect(output.get("", signal)).rejects.toMatchObject({ code: "output_unwritable" });
  });

  it("has no files below a file", async () => {
    const directory = join(scratch, "file");
    writeFileSync(directory, "text");
    const output = await openOutput({ directory: join(directory, "below"), s3: {} });
    expect(await output.list("", signal)).toEqual([]);
    expect(await directoryFiles(join(directory, "below")).list("events/")).toEqual([]);
  });
});
