import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchRange } from "../../src/store/fetch-range.js";
import type { ObjectStore } from "../../src/store/object-store.js";
import { SHA256_METADATA } from "../../src/store/object-url.js";
import { openStore } from "../../src/store/open-store.js";
import { hasAzureServer, startAzureServer } from "../support/azure-server.js";
import { type Fault, type FaultProxy, startFaultProxy } from "../support/fault-proxy.js";
import { startGcsServer } from "../support/gcs-server.js";
import { longTest } from "../support/long-test.js";
import { hasS3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("stores");
const { signal } = new AbortController();

interface OpenedStore {
  readonly store: ObjectStore;
  /** A store of the same kind, whose bucket does not exist. */
  readonly missing: ObjectStore;
  close?(): void;
}

interface Kind {
  readonly name: string;
  readonly isThere: boolean;
  open(): Promise<OpenedStore>;
}

/** The fate of the next request. */
let fault: Fault | undefined;

/** The fate of all requests. */
let lasting: Fault | undefined;

/** Puts a proxy before a server, which lets the next request fail if it is told to. */
async function behindFaults(endpoint: string): Promise<FaultProxy> {
  return startFaultProxy(endpoint, () => {
    const now = fault ?? lasting;
    fault = undefined;
    return now;
  });
}

const kinds: readonly Kind[] = [
  {
    name: "S3",
    isThere: hasS3Server(),
    async open() {
      const { options, createBucket } = await useS3Server();
      await createBucket("conformance");
      const proxy = await behindFaults(options.endpoint ?? "");
      const open = (bucket: string) =>
        openStore({ scheme: "s3", bucket }, { ...options, endpoint: proxy.endpoint });
      const close = () => proxy.close();
      return { store: await open("conformance"), missing: await open("nowhere"), close };
    },
  },
  {
    name: "Google Cloud Storage",
    isThere: true,
    async open() {
      const server = await startGcsServer(["conformance"]);
      const proxy = await behindFaults(server.endpoint);
      process.env["STORAGE_EMULATOR_HOST"] = proxy.endpoint;
      const close = () => {
        proxy.close();
        server.close();
      };
      const open = (bucket: string) => openStore({ scheme: "gs", bucket }, {});
      return { store: await open("conformance"), missing: await open("nowhere"), close };
    },
  },
  {
    name: "Azure",
    isThere: hasAzureServer(),
    async open() {
      const server = await startAzureServer();
      await server.createContainer("conformance");
      const proxy = await behindFaults(server.endpoint);
      const connection = server.connection.replace(server.endpoint, proxy.endpoint);
      process.env["AZURE_STORAGE_CONNECTION_STRING"] = connection;
      const close = () => {
        proxy.close();
        server.close();
      };
      const open = (bucket: string) => openStore({ scheme: "az", bucket }, {});
      return { store: await open("conformance"), missing: await open("nowhere"), close };
    },
  },
];

describe.each(kinds.filter(({ isThere }) => isThere))("$name", ({ name, open }) => {
  let opened: OpenedStore;
  let store: ObjectStore;

  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });

  afterAll(() => opened.close?.());

  function put(
    key: string,
    text: string | Buffer,
    condition: "absent" | { readonly etag: string } = "absent",
  ): Promise<string | "occupied"> {
    const bytes = Buffer.from(text as string);
    return store.put(key, { bytes }, { condition, sha256: sha256(bytes), signal });
  }

  async function listed(prefix: string, isFlat = false) {
    const found = { objects: [] as string[], prefixes: [] as string[] };
    for await (const { objects, prefixes } of store.list(prefix, { isFlat, signal })) {
      found.objects.push(...objects.map(({ key }) => key));
      found.prefixes.push(...prefixes);
    }
    return found;
  }

  async function read(key: string, etag: string, start: number, end: number): Promise<string> {
    const pieces: Buffer[] = [];
    const range = { etag, start, end, signal };
    await fetchRange(store, key, range, (bytes) => void pieces.push(Buffer.from(bytes)));
    return Buffer.concat(pieces).toString();
  }

  it("writes an object once, and replaces only the one that is known", async () => {
    const first = await put("conditions", "one");
    expect(await put("conditions", "two")).toBe("occupied");
    expect(await put("conditions", "two", { etag: first })).not.toBe("occupied");
    expect(await put("conditions", "three", { etag: first })).toBe("occupied");
    expect(await put("absent", "one", { etag: first })).toBe("occupied");
    const head = await store.head("conditions", signal);
    expect(await read("conditions", head?.etag ?? "", 0, 3)).toBe("two");
  });

  it("lets one of sixteen writers win", async () => {
    const results = await Promise.all(
      Array.from({ length: 16 }, (_, index) => put("race", `writer ${index}`)),
    );
    expect(results.filter((result) => result !== "occupied").length).toBe(1);
  });

  it("describes an object with its digest, by the clock of the store", async () => {
    const etag = await put("described", "content");
    expect(await store.head("described", signal)).toMatchObject({
      key: "described",
      size: 7,
      etag,
      metadata: { [SHA256_METADATA]: sha256("content") },
      modifiedMs: expect.closeTo(Date.now(), -5),
      nowMs: expect.closeTo(Date.now(), -5),
    });
    expect(await store.head("undescribed", signal)).toBe(undefined);
  });

  it("reads ranges of an object, unless it has changed or is gone", async () => {
    const etag = await put("ranges", "0123456789");
    expect(await read("ranges", etag, 0, 10)).toBe("0123456789");
    expect(await read("ranges", etag, 3, 7)).toBe("3456");
    await put("ranges", "changed 12", { etag });
    await expect(read("ranges", etag, 0, 10)).rejects.toMatchObject({
      code: "store_object_changed",
    });
    await store.remove(["ranges"], signal);
    await expect(read("ranges", etag, 0, 10)).rejects.toMatchObject({
      code: expect.stringMatching(/^store_object_(?:missing|changed)$/),
    });
  });

  it("does not accept a whole object in which a bit is wrong", async () => {
    const etag = await put("damaged", "0123456789");
    const range = { etag: String(etag), start: 0, end: 10, size: 10, signal };
    const readWhole = async () => {
      const pieces: Buffer[] = [];
      await fetchRange(store, "damaged", range, (bytes) => void pieces.push(Buffer.from(bytes)));
      return Buffer.concat(pieces).toString();
    };
    fault = "flip";
    expect(await readWhole()).toBe("0123456789");
    expect(fault).toBe(undefined);
    lasting = "flip";
    await expect(readWhole()).rejects.toMatchObject({ code: "store_object_damaged" });
    lasting = undefined;
  });

  it("writes a file that is read while it is sent, and an empty object", async () => {
    const file = join(scratch, "large");
    const bytes = Buffer.alloc(9 << 20, "0123456789");
    writeFileSync(file, bytes);
    const content = { path: file, size: bytes.length };
    const options = { condition: "absent", sha256: sha256(bytes), signal } as const;
    const etag = await store.put("large", content, options);
    expect(await read("large", etag, bytes.length - 4, bytes.length)).toBe("0123");
    expect(sha256(await read("large", etag, 0, bytes.length))).toBe(options.sha256);
    await put("empty", "");
    expect((await store.head("empty", signal))?.size).toBe(0);
  });

  it("keeps keys as they are", async () => {
    const names = ["#1", "a+b", "100%", "a=b", "ü", "a b", "a&b", "%20", "q?x", "'quoted'", "日本"];
    const keys = names.map((name) => `odd/${name}/part-000.json`);
    for (const key of keys) expect(await put(key, key)).not.toBe("occupied");
    expect((await listed("odd/")).objects.sort()).toEqual([...keys].sort());
    for await (const { objects } of store.list("odd/", { isFlat: false, signal })) {
      for (const { key, etag, size } of objects) expect(await read(key, etag, 0, size)).toBe(key);
    }
    await store.remove(keys, signal);
    expect((await listed("odd/")).objects).toEqual([]);
  });

  // A server of S3 takes seconds for more objects than a page has.
  const pageTest = name === "S3" ? longTest : it;
  pageTest("lists what is below a prefix, by pages, and what is directly below it", async () => {
    const keys = Array.from({ length: 1_100 }, (_, index) => `many/${String(index % 7)}/${index}`);
    await Promise.all(keys.map((key) => put(key, "x")));
    await put("many/file", "x");
    await put("manyfold", "x");
    expect((await listed("many/")).objects.length).toBe(1_101);
    expect(await listed("many/", true)).toEqual({
      objects: ["many/file"],
      prefixes: ["0", "1", "2", "3", "4", "5", "6"].map((name) => `many/${name}/`),
    });
    await store.remove([...keys, "many/file", "manyfold", "was/never/there"], signal);
    expect((await listed("many")).objects).toEqual([]);
  });

  it.each<Fault>(["reset", { status: 503, code: "SlowDown" }])(
    "repeats each call that meets a failure in passing: %j",
    async (failure) => {
      const key = `passing/${JSON.stringify(failure)}`;
      fault = failure;
      const etag = await put(key, "0123");
      for (const act of [
        async () => expect((await listed("passing/")).objects).toContain(key),
        async () => expect((await listed("passing/", true)).objects).toContain(key),
        async () => expect(await read(key, etag, 1, 3)).toBe("12"),
        async () => expect((await store.head(key, signal))?.etag).toBe(etag),
        () => store.remove([key], signal),
      ]) {
        fault = failure;
        await act();
        expect(fault).toBe(undefined);
      }
      expect((await listed("passing/")).objects).not.toContain(key);
    },
  );

  it("says that there is no bucket", async () => {
    const list = async () => {
      for await (const _ of opened.missing.list("", { isFlat: false, signal }));
    };
    await expect(list()).rejects.toMatchObject({ code: "store_bucket_missing" });
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    const stopped = store.head("described", controller.signal);
    controller.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
  });
});

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
