import { expect, test } from "vitest";
import {
  parseAddress,
  parseCharacter,
  parseRate,
  parseRejectLimit,
  parseSize,
  parseTime,
  sizeText,
} from "../../src/options/option-values.js";

test.each([
  ["1", 1],
  ["512MB", 512_000_000],
  ["512 mb", 512_000_000],
  ["2GiB", 2 * 1024 ** 3],
  ["1.5k", 1500],
  ["1.5KiB", 1536],
  ["1e3", undefined],
  ["0", undefined],
  ["-1MB", undefined],
  ["0.1", undefined],
  ["MB", undefined],
  ["12XB", undefined],
  ["9999999999TB", undefined],
])("the size %s is %s bytes", (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each([
  ["2026-01-31", Date.UTC(2026, 0, 31)],
  ["2026-01-31T17:05:06Z", Date.UTC(2026, 0, 31, 17, 5, 6)],
  ["2026-01-31 17:05", Date.UTC(2026, 0, 31, 17, 5)],
  ["2026-01-31T17:05:06.987654+05:30", Date.UTC(2026, 0, 31, 11, 35, 6, 987)],
  ["2026-01-31T17:05:06-0800", Date.UTC(2026, 1, 1, 1, 5, 6)],
  ["1769875200000", 1769875200000],
  ["-1", -1],
  ["0099-03-01", Date.parse("0099-03-01T00:00:00Z")],
  ["2026-02-30", undefined],
  ["2025-02-29", undefined],
  ["2026-01-31T24:00", undefined],
  ["2026-01-31T17:60", undefined],
  ["2026-01-31T17:05:06+25:00", undefined],
  ["31.01.2026", undefined],
  ["yesterday", undefined],
  ["", undefined],
])("the time %s is %s ms", (text, milliseconds) => {
  expect(parseTime(text)).toBe(milliseconds);
});

test.each([
  ["500", { rate: 500, burst: 500 }],
  ["500,burst=2000", { rate: 500, burst: 2000 }],
  ["500, burst=1", { rate: 500, burst: 1 }],
  ["0", undefined],
  ["500,burst=0", undefined],
  ["500,2000", undefined],
  ["burst=5", undefined],
  ["10000001", undefined],
])("the rate %s is %o", (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
});

test.each([
  ["0", { rows: 0 }],
  ["100", { rows: 100 }],
  ["1%", { share: 0.01 }],
  ["0.5 %", { share: 0.005 }],
  ["101%", undefined],
  ["1.5", undefined],
  ["-1", undefined],
  ["many", undefined],
])("the reject limit %s is %o", (text, limit) => {
  expect(parseRejectLimit(text)).toEqual(limit);
});

test.each([
  [";", ";"],
  ["tab", "\t"],
  ["\\t", "\t"],
  ["\u0001", "\u0001"],
  ["none", ""],
  ["", ""],
  ["\n", undefined],
  ["ab", undefined],
  ["é", undefined],
])("the character %j is %j", (text, character) => {
  expect(parseCharacter(text)).toBe(character);
});

test.each([1, 999, 1000, 1001, 1024, 70_000, 4 * 1024 ** 2, 3 * 1024 ** 4, 512_000_000])(
  "the text of %s bytes is the shortest that is read as them",
  (bytes) => {
    expect(parseSize(sizeText(bytes))).toBe(bytes);
    expect(sizeText(bytes)).toMatch(/^\d{1,4}([KMGT]i?B)?$/);
  },
);

test.each([
  ["9464", "127.0.0.1", 9464],
  ["0.0.0.0:0", "0.0.0.0", 0],
  ["[::1]:65535", "::1", 65_535],
  ["metrics.internal:80", "metrics.internal", 80],
])("%s is an address to listen on", (text, host, port) => {
  expect(parseAddress(text)).toEqual({ host, port });
});

test.each(["", ":80", "a:", "65536", "::1:80", "http://a:80", "a:b"])(
  "%j is not an address to listen on",
  (text) => expect(parseAddress(text)).toBeUndefined(),
);
