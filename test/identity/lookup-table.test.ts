import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { IdentityTableWriter } from "../../src/identity/lookup-table.js";
import { IdentityTable } from "../../src/mapper/identity-table.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("identity-table");
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns an entry with a digest; ids below `close` differ only in the words that buckets ignore. */
function digestOf(id: number, close: number): Uint32Array {
  const random = createRandom(id < close ? 7 : id);
  const words = Array.from({ length: 4 }, () => Math.floor(random() * 2 ** 32));
  return new Uint32Array([id < close ? id : words[0]!, ...words.slice(1), 0, 0]);
}

function write(name: string, pairs: readonly (readonly [number, string])[], memoryBytes: number) {
  const directory = join(root, name);
  mkdirSync(directory);
  const writer = new IdentityTableWriter(directory);
  for (const [id, user] of pairs) writer.add(digestOf(id, 40), 0, encoder.encode(user));
  return writer.finish(memoryBytes);
}

describe.each([
  ["in memory", 2 ** 30],
  ["in a file", 0],
])("a table of identities %s", (name, memoryBytes) => {
  it("finds the user of each id that has one, and of no other", () => {
    const random = createRandom(1);
    const users = new Map<number, Set<string>>();
    const pairs = Array.from({ length: 60_000 }, () => {
      const id = Math.floor(random() * 50_000);
      const isOther = random() < 0.05;
      // Parts become larger than their buffers.
      const user = `${"x".repeat(id % 300)}${isOther ? "other" : id}`;
      users.set(id, (users.get(id) ?? new Set()).add(user));
      return [id, user] as const;
    });
    const { identity, ids, conflicts } = write(`random ${name}`, pairs, memoryBytes);
    expect(identity.content === undefined).toBe(memoryBytes === 0);
    const table = new IdentityTable(identity);
    for (let id = 0; id < 52_000; id++) {
      const [user, other] = [...(users.get(id) ?? [])];
      const isFound = table.find(digestOf(id, 40), 0);
      const text = decoder.decode(table.bytes.slice(table.start, table.start + table.length));
      expect(isFound ? text : undefined).toBe(other === undefined ? user : undefined);
    }
    const several = [...users.values()].filter(({ size }) => size > 1).length;
    expect([ids, conflicts]).toEqual([users.size - several, several]);
    expect(several).toBeGreaterThan(100);
  });

  it("is empty without entries", () => {
    const { identity } = write(`empty ${name}`, [], memoryBytes);
    expect(new IdentityTable(identity).find(digestOf(1, 0), 0)).toBe(false);
  });
});
