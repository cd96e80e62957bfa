import { describe, expect, test } from "vitest";
import { admitKeys, type GivenKey } from "../../src/commands/service/service-keys.js";
import { keyDigest } from "../../src/http/key-text.js";
import type { KeyStore } from "../../src/storage/key-store.js";
import { openTestStore } from "../support/test-store.js";

const now = () => 1_000;
const consoleKey: GivenKey = {
  kind: "console",
  key: "console-0123456789abcdef",
  variable: "SWITCHYARD_CONSOLE_KEY",
};

function find(keys: KeyStore, key: string) {
  return keys.find(keyDigest(key).toString("hex"));
}

describe("the keys that a service starts with", () => {
  test("an empty store gets one of each kind, which may write", async () => {
    const { keys } = await openTestStore();
    const made = await admitKeys(keys, [], now);
    expect(made.map(({ kind }) => kind)).toEqual(["console", "server", "client"]);
    for (const { kind, key } of made) {
      expect(await find(keys, key)).toMatchObject({ kind, createdTime: 1_000 });
    }
  });

  test("a second start makes none, also when all were revoked", async () => {
    const { keys } = await openTestStore();
    await admitKeys(keys, [], now);
    expect(await admitKeys(keys, [], now)).toEqual([]);
    for (const { id } of await keys.list()) await keys.revoke(id, 2_000);
    expect(await admitKeys(keys, [], now)).toEqual([]);
    expect(await keys.list()).toHaveLength(3);
  });

  test("a given key is stored instead of a new one of its kind", async () => {
    const { keys } = await openTestStore();
    const made = await admitKeys(keys, [consoleKey], now);
    expect(made.map(({ kind }) => kind)).toEqual(["server", "client"]);
    expect(await find(keys, consoleKey.key)).toMatchObject({ kind: "console", scopes: ["write"] });
  });

  test("a given key that is known is not stored again, an unknown one is added", async () => {
    const { keys } = await openTestStore();
    await admitKeys(keys, [consoleKey], now);
    await admitKeys(keys, [consoleKey], now);
    expect(await keys.list()).toHaveLength(3);
    const other = { ...consoleKey, key: "console-fedcba9876543210" };
    expect(await admitKeys(keys, [other], now)).toEqual([]);
    expect(await keys.list()).toHaveLength(4);
  });

  test("a given key that was revoked is refused, by its id", async () => {
    const { keys } = await openTestStore();
    await admitKeys(keys, [consoleKey], now);
    const { id = "" } = (await find(keys, consoleKey.key)) ?? {};
    await keys.revoke(id, 2_000);
    const refusal = admitKeys(keys, [consoleKey], now);
    await expect(refusal).rejects.toMatchObject({ code: "key_revoked", exitCode: 2 });
    await expect(refusal).rejects.toThrow(`SWITCHYARD_CONSOLE_KEY (${id}) was revoked`);
  });
});
