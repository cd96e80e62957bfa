import { JsonReader } from "../../../src/readers/json/json-reader.js";
import { KeyedBytes } from "../../../src/readers/json/keyed-bytes.js";
import type { RowLayout } from "../../../src/readers/json/row-scanner.js";
import type { Source } from "../../../src/sources/source.js";
import { describeReader, type Sample } from "../conformance.js";

const fields = ["a", "b"].map((name) => ({ path: [name], form: "text" }) as const);

function make(rowBytes: readonly number[], between: (rows: readonly string[]) => string): Sample {
  const rows = rowBytes.map((bytes, index) => {
    const head = `{"a":"row ${index}","b":"`;
    return [head, "é".repeat(Math.max(0, Math.ceil((bytes - head.length - 2) / 2)))] as const;
  });
  return {
    content: Buffer.from(between(rows.map(([head, text]) => `${head}${text}"}`))),
    rows: rows.map(([, text], index) => [`row ${index}`, text]),
  };
}

function open(layout: RowLayout, kind: "ndjson" | "json", isKeyed = false) {
  return (input: Parameters<Parameters<typeof describeReader>[0]["open"]>[0]) => {
    const { kernel, content, openBytes, start, end, rowBytesMax, windowBytes, signal } = input;
    const source: Source = {
      name: "sample.json",
      path: "sample.json",
      codecs: [],
      size: content.length,
      fingerprint: "",
      format: { kind },
    };
    const opened = openBytes(Math.max(0, start - 1));
    const keyed = { start: 1, isMember: false };
    const bytes = isKeyed ? new KeyedBytes(opened, keyed, source.name) : opened;
    return new JsonReader(kernel, { source, start, end }, fields, bytes, layout, {
      rowBytesMax,
      signal,
      ...(windowBytes === undefined ? {} : { windowBytes }),
    });
  };
}

describeReader({
  name: "JsonReader, one value a line",
  open: open("lines", "ndjson"),
  make: (rowBytes) => make(rowBytes, (rows) => rows.map((row) => `${row}\n`).join("")),
  stream: { gap: /^\s*$/, headBytes: () => 0, mayEndInError: false },
  plan: async (content, splitBytes) =>
    Array.from({ length: Math.max(1, Math.ceil(content.length / splitBytes)) }, (_, index) => ({
      start: index * splitBytes,
      end: (index + 1) * splitBytes >= content.length ? null : (index + 1) * splitBytes,
    })),
});

describeReader({
  name: "JsonReader, values spread over lines",
  open: open("values", "json"),
  make: (rowBytes) => make(rowBytes, (rows) => rows.join("\n \n")),
  stream: { gap: /^\s*$/, headBytes: () => 0, mayEndInError: false },
});

describeReader({
  name: "JsonReader, elements of an array",
  open: open("values", "json"),
  make: (rowBytes) => make(rowBytes, (rows) => `[${rows.join(",\n")}]`),
  stream: { gap: /^[\s,[\]]*$/, headBytes: () => 0, mayEndInError: true },
});

// Positions count rewritten bytes, so the suite for streams does not apply.
describeReader({
  name: "JsonReader, rows by their keys",
  open: open("values", "json", true),
  make: (rowBytes) =>
    make(rowBytes, (rows) => `{${rows.map((row, index) => `"${index}": ${row}`).join(",\n")}}`),
});
