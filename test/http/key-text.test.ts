import { expect, it } from "vitest";
import { keyDigest, keyRecord, newKeyText, shownKey } from "../../src/http/key-text.js";

const zeroes = (count: number) => Buffer.alloc(count);

it("makes keys of their kind's prefix and 32 random bytes", () => {
  expect(newKeyText("console", zeroes)).toBe(`console-${"A".repeat(43)}`);
  expect(newKeyText("server", zeroes)).toBe(`secret-${"A".repeat(43)}`);
  expect(newKeyText("console")).not.toBe(newKeyText("console"));
});

it("stores only the SHA-256 and the first 8 characters of a key", () => {
  const key = newKeyText("server", (count) => Buffer.alloc(count, 7));
  const record = keyRecord(key, { kind: "server", createdTime: 5 }, zeroes);
  expect(record).toEqual({
    id: "key_AAAAAAAAAAAA",
    kind: "server",
    name: "CONSOLE API",
    owner: null,
    scopes: [],
    requestsPerMinuteMax: null,
    expiresTime: null,
    lastUsedTime: null,
    targetApp: null,
    hash: keyDigest(key).toString("hex"),
    prefix: key.slice(0, 8),
    createdTime: 5,
    revokedTime: null,
  });
  expect(keyDigest("abc").toString("hex")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

it("never shows half of a key or more", () => {
  expect(shownKey("console-abcdefghijkl")).toBe("console-");
  expect(shownKey("abcdefgh")).toBe("abcd");
  expect(shownKey("a")).toBe("");
});
