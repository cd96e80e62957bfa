import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { EntityStore } from "../../src/storage/store.js";
import { propertyRuns } from "../support/property-runs.js";
import { gate, next } from "./records.js";
import type { Stores } from "./store-suite.js";

const key = { kind: "gate", id: "a" } as const;

/** Reads a list as an SDK does: only what was added since, and everything of another file. */
class ListReader {
  #file: string | undefined;
  #read = 0;
  readonly hashes = new Set<string>();

  constructor(private readonly entities: Pick<EntityStore, "listFile" | "readListFile">) {}

  async poll(): Promise<void> {
    const file = await this.entities.listFile(key);
    if (file === undefined) throw new Error("no file");
    if (file.id !== this.#file) {
      this.#file = file.id;
      this.#read = 0;
      this.hashes.clear();
    }
    const text = await this.entities.readListFile(file.id, this.#read);
    if (text === undefined) throw new Error("no text");
    this.#read += text.length;
    expect(this.#read).toBe(file.size);
    for (const line of text.split("\n").slice(0, -1)) {
      if (line.startsWith("+")) this.hashes.add(line.slice(1));
      else this.hashes.delete(line.slice(1));
    }
  }
}

const hashed = (id: string) => createHash("sha256").update(id).digest("base64").slice(0, 8);

const change = fc.record({
  how: fc.constantFrom("add", "add", "remove", "replace"),
  ids: fc.array(fc.constantFrom("u1", "u2\0", "ü", "u4"), { maxLength: 4 }),
  isRead: fc.boolean(),
});

export function listFileSuite({ open }: Stores): void {
  it("leads a reader to the ids of the list, after any changes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        const { entities } = await open();
        let record = gate("a");
        await entities.insert(record);
        const reader = new ListReader(entities);
        for (const { how, ids, isRead } of changes) {
          record = next(record);
          await entities.replace(record, { version: record.version - 1, list: { how, ids } });
          if (isRead) await reader.poll();
        }
        await reader.poll();
        const listed = await entities.listedIDs(key, { start: 0, count: 100 });
        expect([...reader.hashes].sort()).toEqual(listed.map(hashed).sort());
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("has no file of an entity or an id that does not exist", async () => {
    const { entities } = await open();
    expect(await entities.listFile(key)).toBeUndefined();
    expect(await entities.readListFile("none", 0)).toBeUndefined();
  });

  it("says which ids are listed", async () => {
    const { entities } = await open();
    const record = gate("a");
    await entities.insert(record);
    const list = { how: "add", ids: ["u1", "u2\0"] } as const;
    await entities.replace(next(record), { version: 1, list });
    const listed = (id: string) => entities.isListed(key, id);
    expect([listed("u1"), listed("u2\0"), listed("u3")]).toEqual([true, true, false]);
    expect(entities.isListed({ ...key, id: "b" }, "u1")).toBe(false);
  });

  it("scans every entity once, of all kinds", async () => {
    const { entities } = await open();
    for (const id of ["a", "b", "c"]) await entities.insert(gate(id));
    await entities.insert(gate("a", { kind: "segment" }));
    const seen: string[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const scan: Awaited<ReturnType<EntityStore["scan"]>> = await entities.scan(after, 2);
      seen.push(...scan.records.map(({ kind, id }) => `${kind} ${id}`));
      after = scan.next;
    }
    expect(seen.sort()).toEqual(["gate a", "gate b", "gate c", "segment a"]);
  });
}
