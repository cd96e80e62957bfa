import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { parseColumn } from "../../src/sinks/output-columns.js";
import { loadTarget } from "../../src/target/targets.js";
import { type EventRow, eventRow, writeSplit } from "./event-rows.js";
import { queryDuckDb } from "./parquet/parquet-readers.js";

/** Version 5 of the namespace of URLs and `switchyard:insert-id`. */
const namespace = uuidOf(
  Buffer.from("6ba7b8119dad11d180b400c04fd430c8", "hex"),
  "switchyard:insert-id",
);

/** An independent UUID of version 5. */
function uuidOf(space: Buffer, name: string): string {
  const hash = createHash("sha1").update(space).update(name).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString("hex").slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const insertIDs = [
  null,
  "",
  "i-1",
  'é"\\',
  ..."x"
    .repeat(130)
    .split("")
    .map((x, n) => x.repeat(n)),
];

const rows: readonly EventRow[] = insertIDs.map((insertID, index) =>
  eventRow({
    event: `quoted "${index}"`,
    timestamp: Date.UTC(2026, 0, 31) + index * 999,
    insertID,
    value: [null, "1.50", '"a, b"'][index % 3] ?? null,
    user: [
      '{"userID":"u\\"1","stableID":"d1","plan":"free","custom":{"a":[1,2]}}',
      '{"stableID":"d1"}',
      '{"userID":"u1"}',
      '{"userID":"u1", "plan":1}',
      "{}",
      '{"plan":"}"}',
    ][index % 6] as string,
  }),
);

const users = [
  { userID: 'u"1', customIDs: { stableID: "d1" }, custom: { plan: "free", custom: { a: [1, 2] } } },
  { customIDs: { stableID: "d1" } },
  { userID: "u1" },
  { userID: "u1", custom: { plan: 1 } },
  {},
  { custom: { plan: "}" } },
];

const expected = rows.map((row, index) => ({
  event_name: row.event,
  timestamp: Math.floor(row.timestamp / 1_000),
  event_value: row.value?.startsWith('"') ? JSON.parse(row.value) : row.value,
  userID: row.userID,
  stableID: row.stableID,
  event_metadata: {},
  user: users[index % 6],
  timeuuid:
    row.insertID === null
      ? null
      : uuidOf(Buffer.from(namespace.replaceAll("-", ""), "hex"), row.insertID),
}));

type Fields = Readonly<Record<string, unknown>>;

function withObjects(fields: Fields): Fields {
  return {
    ...fields,
    timestamp: Number(fields["timestamp"]),
    event_metadata: JSON.parse(fields["event_metadata"] as string),
    user: JSON.parse(fields["user"] as string),
  };
}

const readers: Readonly<Record<string, (path: string) => Promise<readonly Fields[]>>> = {
  parquet: async (path) =>
    (await queryDuckDb(`select * from read_parquet('${path}')`)).map(withObjects),
  arrow: async (path) =>
    tableFromIPC(readFileSync(path))
      .toArray()
      .map((row) => withObjects(row.toJSON())),
  csv: async (path) => {
    const cast = (cell: string, { quoting }: { quoting: boolean }) =>
      cell === "" && !quoting ? null : cell;
    return parse<Fields>(readFileSync(path), { columns: true, cast }).map(withObjects);
  },
  jsonl: async (path) =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Fields)
      .map(({ event_value: value = null, timeuuid = null, stableID = null, ...fields }) => ({
        ...fields,
        stableID,
        event_value: typeof value === "number" ? value.toFixed(2) : value,
        timeuuid,
      })),
};

describe.each(["parquet", "arrow", "csv", "jsonl"] as const)(
  "the columns of the target statsig in %s",
  (format) => {
    test("has the columns of bucket ingestion, with ids in customIDs and a UUID of the insert id", async () => {
      const texts = loadTarget("statsig").files?.columns ?? [];
      const columns = texts.map(parseColumn).filter((column) => column !== undefined);
      const { directory, parts } = await writeSplit(rows, { format, columns, batchRows: 7 });
      const found = await readers[format]?.(join(directory, parts[0]?.path ?? ""));
      expect(found).toEqual(expected);
    });
  },
);

test("a list of columns gives each format names, an order and a unit of its own", async () => {
  const columns = [
    { name: "at", source: "timestamp", unit: "s" },
    { name: "id", source: "insertID", unit: "ms" },
    { name: "what", source: "event", unit: "ms" },
  ] as const;
  const { directory, parts } = await writeSplit([eventRow({ insertID: "i" }), eventRow()], {
    format: "jsonl",
    columns,
  });
  const lines = readFileSync(join(directory, parts[0]?.path ?? ""), "utf8");
  expect(lines).toBe(
    '{"at":1769860800,"id":"i","what":"purchase"}\n{"at":1769860800,"what":"purchase"}\n',
  );
});
