import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { propertyRuns } from "../support/property-runs.js";
import { codecs, encodeRows, writeContainer } from "./avro-file.js";
import { readAvro } from "./read-avro.js";

type Generator = fc.GeneratorValue;

/** A schema and its values: as avsc takes them, and as JSON. */
interface Kind {
  readonly schema: unknown;
  readonly branch: string;
  readonly sample: () => readonly [value: unknown, json: string];
}

let names = 0;

/** Characters of the texts have a UTF-8 form, so that JSON.stringify escapes nothing else. */
const quoted = (text: string) => JSON.stringify(text);

function makeKind(g: Generator, depth: number): Kind {
  const makers = depth > 0 ? [...simple, ...nested] : simple;
  return g(fc.constantFrom, ...makers)(g, depth);
}

type Maker = (g: Generator, depth: number) => Kind;

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const anyLong = fc.oneof(int64, fc.maxSafeInteger().map(BigInt), fc.integer().map(BigInt));
// Years 1 to 9999, which a Date writes with four digits.
const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });

const plain = (schema: string, sample: Kind["sample"]): Kind => ({
  schema,
  branch: schema,
  sample,
});

const simple: readonly Maker[] = [
  () => plain("null", () => [null, "null"]),
  (g) =>
    plain("boolean", () => {
      const value = g(fc.boolean);
      return [value, String(value)];
    }),
  (g) =>
    plain("int", () => {
      const value = g(fc.integer);
      return [value, String(value)];
    }),
  (g) =>
    plain("long", () => {
      const value = g(() => anyLong);
      return [value, String(value)];
    }),
  (g) =>
    plain("double", () => {
      const value = g(fc.double, {});
      return [value, Object.is(value, -0) ? "-0" : JSON.stringify(value)];
    }),
  (g) =>
    plain("string", () => {
      const value = g(() => text);
      return [value, quoted(value)];
    }),
  (g) =>
    plain("bytes", () => {
      const value = Buffer.from(g(() => fc.oneof(fc.uint8Array(), text.map(Buffer.from))));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they make bytes binary.
      const isText = isUtf8(value) && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(`${value}`);
      return [value, quoted(isText ? value.toString() : value.toString("hex"))];
    }),
  (g) => {
    const size = g(fc.nat, 20);
    const name = `F${names++}`;
    const bytes = () => Buffer.from(g(() => fc.uint8Array({ minLength: size, maxLength: size })));
    return {
      schema: { type: "fixed", name, size },
      branch: name,
      sample: () => {
        const value = bytes();
        return [value, quoted(value.toString("hex"))];
      },
    };
  },
  (g) => {
    const symbols = ["A", "b_2", "_c"].slice(
      0,
      g(() => fc.integer({ min: 1, max: 3 })),
    );
    const name = `E${names++}`;
    return {
      schema: { type: "enum", name, symbols },
      branch: name,
      sample: () => {
        const value = g(fc.constantFrom, ...symbols);
        return [value, quoted(value)];
      },
    };
  },
  (g) => {
    const scale = g(fc.nat, 12);
    const logical = { type: "bytes", logicalType: "decimal", precision: 30, scale };
    return {
      schema: logical,
      branch: "bytes",
      sample: () => {
        const value = g(() => fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }));
        const hex = BigInt.asUintN(128, value).toString(16).padStart(32, "0");
        const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
        const point = digits.length - scale;
        const fraction = scale === 0 ? "" : `.${digits.slice(point)}`;
        const json = `${value < 0n ? "-" : ""}${digits.slice(0, point)}${fraction}`;
        return [Buffer.from(hex, "hex"), json];
      },
    };
  },
  (g) => {
    const [unit, digits] = g(fc.constantFrom, ["millis", 3], ["micros", 6], ["nanos", 9]) as [
      string,
      number,
    ];
    const isLocal = g(fc.boolean);
    return {
      schema: { type: "long", logicalType: `${isLocal ? "local-" : ""}timestamp-${unit}` },
      branch: "long",
      sample: () => {
        // Nanoseconds of a long have the years 1677 to 2262.
        const second = digits === 9 ? g(fc.integer) : g(() => seconds);
        const fraction = g(fc.nat, 10 ** digits - 1);
        const clock = new Date(second * 1_000).toISOString().slice(0, 19);
        const rest = fraction === 0 ? "" : `.${String(fraction).padStart(digits, "0")}`;
        const value = BigInt(second) * 10n ** BigInt(digits) + BigInt(fraction);
        return [value, `"${clock}${rest}${isLocal ? "" : "Z"}"`];
      },
    };
  },
  (g) => ({
    schema: { type: "int", logicalType: "date" },
    branch: "int",
    sample: () => {
      const day = Math.floor(g(() => seconds) / 86_400);
      return [day, `"${new Date(day * 86_400_000).toISOString().slice(0, 10)}"`];
    },
  }),
];

const nested: readonly Maker[] = [
  (g, depth) => {
    const items = makeKind(g, depth - 1);
    return {
      schema: { type: "array", items: items.schema },
      branch: "array",
      sample: () => {
        const values = Array.from({ length: g(fc.nat, 4) }, () => items.sample());
        return [values.map(([value]) => value), `[${values.map(([, json]) => json).join(",")}]`];
      },
    };
  },
  (g, depth) => {
    const values = makeKind(g, depth - 1);
    return {
      schema: { type: "map", values: values.schema },
      branch: "map",
      sample: () => {
        const keys = g(() => fc.uniqueArray(fc.string({ minLength: 1 }).map((key) => `k${key}`)));
        const members = keys.map((key) => [key, ...values.sample()] as const);
        const json = members.map(([key, , value]) => `${quoted(key)}:${value}`).join(",");
        return [Object.fromEntries(members), `{${json}}`];
      },
    };
  },
  (g, depth) => {
    const kinds = [plain("null", () => [null, "null"]), makeKind(g, depth - 1), makeKind(g, 0)];
    const branches = kinds.filter((kind, index) => {
      const isUnion = Array.isArray(kind.schema);
      return !isUnion && kinds.findIndex(({ branch }) => branch === kind.branch) === index;
    });
    return {
      schema: branches.map(({ schema }) => schema),
      branch: "union",
      sample: () => {
        const { branch, sample } = g(fc.constantFrom, ...branches);
        const [value, json] = sample();
        return [branch === "null" ? null : { [branch]: value }, json];
      },
    };
  },
  makeRecord,
];

function makeRecord(g: Generator, depth: number): Kind {
  const name = `R${names++}`;
  const count = g(() => fc.integer({ min: 1, max: 4 }));
  const fields = Array.from({ length: count }, (_, index) => {
    return { name: `f${index}`, kind: makeKind(g, depth - 1) };
  });
  return {
    schema: {
      type: "record",
      name,
      fields: fields.map((field) => ({ name: field.name, type: field.kind.schema })),
    },
    branch: name,
    sample: () => {
      const members = fields.map((field) => [field.name, ...field.kind.sample()] as const);
      const json = members.map(([key, , value]) => `"${key}":${value}`).join(",");
      return [Object.fromEntries(members), `{${json}}`];
    },
  };
}

test("rows that avsc encodes are read, whatever their schema, codec, blocks and chunks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      names = 0;
      const record = makeRecord(g, 3);
      // A row needs a byte.
      const { fields } = record.schema as { fields: object[] };
      const schema = {
        ...(record.schema as object),
        fields: [...fields, { name: "z", type: "int" }],
      };
      const samples = Array.from({ length: g(fc.nat, 12) }, () => record.sample());
      const rows = samples.map(([value]) => ({ ...(value as object), z: 7 }));
      const codec = g(fc.constantFrom, ...codecs);
      const sizes = () => fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
      const content = writeContainer(schema, encodeRows(schema, rows), {
        codec,
        blockRows: g(sizes),
      });
      const chunks = g(() => fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }));
      const read = await readAvro(content, { chunks });
      expect(read.error).toBeUndefined();
      expect(read.rows).toEqual(samples.map(([, json]) => `${json.slice(0, -1)},"z":7}`));
    }),
    { numRuns: propertyRuns(500), endOnFailure: true },
  );
});

test("damaged files end in a SourceError or in other rows, and never hang", async () => {
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      names = 0;
      const record = makeRecord(g, 2);
      const samples = Array.from({ length: 6 }, () => record.sample()[0]);
      const codec = g(fc.constantFrom, ...codecs);
      const content = writeContainer(record.schema, encodeRows(record.schema, samples), { codec });
      const damaged = Buffer.from(content);
      for (let count = g(() => fc.integer({ min: 1, max: 3 })); count > 0; count--) {
        damaged[g(fc.nat, damaged.length - 1)] = g(fc.nat, 255);
      }
      const { error } = await readAvro(damaged, { rowBytesMax: 10_000 });
      if (error !== undefined) expect(error).toBeInstanceOf(SourceError);
    }),
    { numRuns: propertyRuns(500), endOnFailure: true },
  );
});
