import { openAvroReader } from "../../src/avro/open-avro.js";
import { describeReader } from "../readers/conformance.js";
import { codecs, writeAvro } from "./avro-file.js";

const fields = ["a", "b"].map((name) => ({ path: [name], form: "text" }) as const);

const schema = {
  type: "record",
  name: "Row",
  fields: fields.map(({ path: [name] }) => ({ name, type: "string" })),
};

// Positions count the bytes of JSON, so the suite for streams does not apply.
for (const codec of codecs) {
  describeReader({
    name: `Avro, ${codec}`,
    open: ({ kernel, content, openBytes, start, end, rowBytesMax, windowBytes, signal }) => {
      const format = { kind: "avro" } as const;
      const place = { name: "a.avro", path: "a.avro", size: content.length, fingerprint: "" };
      return openAvroReader({
        kernel,
        fields,
        range: { source: { ...place, codecs: [], format }, start, end },
        bytes: openBytes(start),
        options: {
          rowBytesMax,
          signal,
          ratioMax: 1_000,
          temporaryDirectory: "",
          // The JSON of a row is longer than its bytes in the file.
          ...(windowBytes === undefined ? {} : { windowBytes: 16 * windowBytes }),
        },
      });
    },
    make: (rowBytes) => {
      const rows = rowBytes.map((bytes, index) => ({
        a: `row ${index}`,
        b: "é".repeat(Math.max(0, Math.ceil((bytes - 8) / 2))),
      }));
      const content = writeAvro(schema, rows, { codec, blockRows: [2, 1_000] });
      return { content, rows: rows.map(({ a, b }) => [a, b]) };
    },
  });
}
