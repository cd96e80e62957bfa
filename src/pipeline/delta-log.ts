import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory, writeDurably } from "../base/durable-file.js";
import { hasCode } from "../base/error-code.js";
import { SwitchyardError } from "../base/errors.js";
import { asOutput } from "../base/output-error.js";
import { version } from "../base/package-files.js";
import {
  columnsOf,
  isRequired,
  type OutputColumn,
  timestampUnits,
} from "../sinks/output-columns.js";
import type { Layout } from "./ledger/layout.js";
import { listOrNone } from "./ledger/ledger.js";
import type { Manifest, ManifestFile } from "./manifest.js";
import { columnsIn } from "./verify/open-part.js";

/** The members of an action that are read back. */
interface Action {
  readonly metaData?: { readonly id: string; readonly schemaString: string };
  readonly add?: { readonly path: string };
  readonly remove?: { readonly path: string };
}

/** The state of a table after all commits of its log. */
interface Table {
  /** Version of the next commit. */
  readonly version: number;
  readonly files: ReadonlySet<string>;
  readonly metaData: Action["metaData"];
}

/** Attempts to write a commit if other processes write commits too. */
const RETRIES_MAX = 8;

const VERSION_DIGITS = 20;

/** Returns true if an export has a Delta log; it must be updated with the manifest. */
export function hasDeltaLog(layout: Layout): boolean {
  return existsSync(logDirectory(layout));
}

/**
 * Makes the Delta log of a dataset list exactly the files of the manifest: writes one commit with the added
 * and removed files, or none if there are no changes. Commits are never changed. Throws `table_damaged` if
 * the log cannot be read. https://github.com/delta-io/delta/blob/master/PROTOCOL.md
 */
export async function updateDeltaLog(layout: Layout, manifest: Manifest): Promise<void> {
  const directory = logDirectory(layout);
  await asOutput(directory, async () => {
    await mkdir(directory, { recursive: true });
    await syncDirectory(layout.datasetDirectory);
    for (let attempt = 0; attempt < RETRIES_MAX; attempt++) {
      const table = await readTable(directory);
      const actions = actionsOf(manifest, table, Date.now());
      if (actions.length === 0) return;
      const text = actions.map((action) => `${JSON.stringify(action)}\n`).join("");
      if (await writeCommit(layout, table.version, text)) return;
    }
    throw damaged(directory, "other processes write commits all the time");
  });
}

function logDirectory({ datasetDirectory }: Layout): string {
  return join(datasetDirectory, "_delta_log");
}

function commitName(number: number): string {
  return `${String(number).padStart(VERSION_DIGITS, "0")}.json`;
}

async function readTable(directory: string): Promise<Table> {
  const names = (await listOrNone(directory)).filter((name) => /^\d{20}\.json$/.test(name)).sort();
  const files = new Set<string>();
  let metaData: Action["metaData"];
  for (const [number, name] of names.entries()) {
    if (name !== commitName(number)) throw damaged(directory, `${commitName(number)} is missing`);
    for (const action of await readCommit(join(directory, name))) {
      if (action.add !== undefined) files.add(action.add.path);
      if (action.remove !== undefined) files.delete(action.remove.path);
      metaData = action.metaData ?? metaData;
    }
  }
  return { version: names.length, files, metaData };
}

async function readCommit(path: string): Promise<readonly Action[]> {
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  try {
    return lines.map((line) => JSON.parse(line) as Action);
  } catch (error) {
    throw damaged(path, (error as Error).message);
  }
}

function damaged(path: string, reason: string): SwitchyardError {
  return new SwitchyardError(
    "table_damaged",
    `${path}: ${reason}; move the directory _delta_log away and run the export again, which writes a new one`,
  );
}

/** Returns false if another process has written a commit of that version. */
async function writeCommit(layout: Layout, number: number, text: string): Promise<boolean> {
  const directory = logDirectory(layout);
  // Readers skip names that begin with a dot.
  const temporary = join(directory, `.${randomUUID()}`);
  await writeDurably(temporary, text);
  try {
    await link(temporary, join(directory, commitName(number)));
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
    await syncDirectory(directory);
  }
}

/** Returns the actions of the next commit; none if the table is as the manifest says. */
function actionsOf(manifest: Manifest, table: Table, nowMs: number): readonly object[] {
  const prefix = `${manifest.dataset}/`;
  const { dayKey, eventKey, schemaString } = schemaOf(manifest);
  const files = manifest.days.flatMap(({ day, files }) =>
    files.map((file) => ({ day, file, path: encodeURI(file.path.slice(prefix.length)) })),
  );
  const partitionOf = (day: string, event: string | undefined) => ({
    ...(dayKey === undefined ? {} : { [dayKey]: day }),
    ...(eventKey === undefined ? {} : { [eventKey]: event }),
  });
  const present = new Set(files.map(({ path }) => path));
  const added = files.filter(({ path }) => !table.files.has(path));
  const removed = [...table.files].filter((path) => !present.has(path));
  const isSameSchema = table.metaData?.schemaString === schemaString;
  if (added.length + removed.length === 0 && isSameSchema) return [];
  const metaData = {
    id: table.metaData?.id ?? randomUUID(),
    format: { provider: "parquet", options: {} },
    schemaString,
    partitionColumns: [dayKey, eventKey].filter((key) => key !== undefined),
    configuration: {},
    createdTime: nowMs,
  };
  const dataChange = true;
  return [
    { commitInfo: { timestamp: nowMs, operation: "WRITE", engineInfo: `Switchyard/${version}` } },
    ...(table.version === 0 ? [{ protocol: { minReaderVersion: 1, minWriterVersion: 2 } }] : []),
    ...(isSameSchema ? [] : [{ metaData }]),
    ...removed.map((path) => ({ remove: { path, deletionTimestamp: nowMs, dataChange } })),
    ...added.map(({ day, file, path }) => ({
      add: {
        path,
        partitionValues: partitionOf(day, file.event),
        size: file.bytes,
        modificationTime: nowMs,
        dataChange,
        stats: statisticsOf(file, manifest),
      },
    })),
  ];
}

/** Returns the column that comes from the names of the day directories; undefined if the parts have it. */
export function dayKeyOf(
  { configuration }: Manifest,
  columns: readonly OutputColumn[],
): string | undefined {
  const [, named] = /^(\w+)=\{day\}$/.exec(String(configuration["dayName"])) ?? [];
  const isTaken = columns.some(({ name }) => name.toLowerCase() === named?.toLowerCase());
  return isTaken ? undefined : named;
}

/** Returns the schema of the table, and the columns that come from directory names: day and event. */
function schemaOf(manifest: Manifest): {
  readonly dayKey: string | undefined;
  readonly eventKey: string | undefined;
  readonly schemaString: string;
} {
  const columns = columnsOf(columnsIn(manifest), "columns");
  const dayKey = dayKeyOf(manifest, columns);
  const hasEvents = manifest.configuration["partition"] === "day,event";
  const eventKey = hasEvents ? columns.find(({ source }) => source === "event")?.name : undefined;
  const field = (name: string, type: string, nullable: boolean) => ({
    name,
    type,
    nullable,
    metadata: {},
  });
  const typeOf = ({ source, unit, type }: OutputColumn) => {
    if (source === "timestamp") return unit === "timestamp" ? "timestamp" : "long";
    return { double: "double", bigint: "long", text: "string" }[type ?? "text"];
  };
  const fields = columns.map((column) =>
    field(column.name, typeOf(column), !isRequired(column.source)),
  );
  if (dayKey !== undefined) fields.push(field(dayKey, "date", true));
  return { dayKey, eventKey, schemaString: JSON.stringify({ type: "struct", fields }) };
}

/** Returns the statistics of a file, in the unit of its timestamps. */
function statisticsOf(file: ManifestFile, manifest: Manifest): string {
  const column = columnsOf(columnsIn(manifest), "columns").find(
    ({ source }) => source === "timestamp",
  );
  if (column === undefined) return JSON.stringify({ numRecords: file.rows });
  const timeOf = (time: string) =>
    column.unit === "timestamp" ? time : Math.floor(Date.parse(time) / timestampUnits[column.unit]);
  return JSON.stringify({
    numRecords: file.rows,
    minValues: { [column.name]: timeOf(file.firstTimestamp) },
    maxValues: { [column.name]: timeOf(file.lastTimestamp) },
  });
}
