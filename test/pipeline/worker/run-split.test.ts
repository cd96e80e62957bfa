import { expect, it } from "vitest";
import { BESIDE_SOURCE_BYTES_MIN } from "../../../src/base/limits.js";
import { runSplit, type SplitTools } from "../../../src/pipeline/worker/run-split.js";
import type { OpenReader } from "../../../src/readers/reader.js";
import type { Source } from "../../../src/readers/source.js";

function rangeOf(name: string, size: number) {
  const source: Source = {
    ...{ name, path: name, size, codecs: ["gzip"], fingerprint: "" },
    format: { kind: "ndjson" },
  };
  return { source, start: 0, end: null };
}

it("gives a decoding thread of its own to large sources only, and only to a split that may", async () => {
  const asked: Record<string, boolean | undefined> = {};
  const nothing = async () => {};
  const open: OpenReader = async (_kernel, { source }, _fields, { decodesBeside }) => {
    asked[source.name] = decodesBeside;
    return { consumed: 0, next: async () => null, close: nothing };
  };
  const tools = {
    kernel: {},
    mapper: { fields: [], notices: {} },
    sink: {
      openSplit: () => ({
        finish: async () => ({ rows: 0 }),
        abort: nothing,
      }),
    },
    openRejects: () => ({ abort() {} }),
    open,
    readerOptions: { signal: new AbortController().signal },
    layout: { outputDirectory: "" },
    counters: {},
    checkpoint: nothing,
  } as unknown as SplitTools;
  const ranges = [
    rangeOf("small", BESIDE_SOURCE_BYTES_MIN - 1),
    rangeOf("large", BESIDE_SOURCE_BYTES_MIN),
  ];
  const split = { id: "000000", ranges, bytes: 1 };
  await runSplit({ split, skipped: {}, decodesBeside: true }, tools);
  expect(asked).toEqual({ small: false, large: true });
  await runSplit({ split, skipped: {}, decodesBeside: false }, tools);
  expect(asked).toEqual({ small: false, large: false });
});
