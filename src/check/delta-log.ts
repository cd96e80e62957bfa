import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isThere, syncDirectory, writeDurably } from "../base/durable-file.js";
import { SwitchyardError } from "../base/errors.js";
import { linkNew } from "../base/lock-file.js";
import { asOutput } from "../base/output-error.js";
import { version } from "../base/package-files.js";
import { columnsIn } from "../formats/open-part.js";
import { listOrNone } from "../ledger/ledger.js";
import type { Manifest, ManifestFile } from "../ledger/manifest.js";
import type { Layout } from "../output/layout.js";
import {
  columnsOf,
  isRequired,
  type OutputColumn,
  timestampUnits,
} from "../sinks/output-columns.js";

/** An action of a commit, with the members that are read back. */
interface Action {
  readonly commitInfo?: object;
  readonly protocol?: object;
  readonly metaData?: { readonly id: string; readonly schemaString: string };
  readonly add?: { readonly path: string };
  readonly remove?: { readonly path: string };
}

/** The state of a table after all commits of its log. */
interface DeltaTable {
  /** Version of the next commit. */
  readonly version: number;
  readonly files: Set<string>;
  readonly metaData: Action["metaData"];
}

/** Attempts to write a commit if other processes write commits too. */
const RETRIES_MAX = 8;

const VERSION_DIGITS = 20;

/** A file of the manifest with its day. */
interface DayFile {
  readonly day: string;
  readonly file: ManifestFile;
}

/** The files that a commit adds and removes. */
interface TableChange {
  readonly added: readonly DayFile[];
  /** Paths in the table, as the log has them. */
  readonly removed: readonly string[];
  /** False if the added files have the rows of the removed ones. */
  readonly dataChange: boolean;
}

/**
 * The Delta log of a dataset. Commits are never changed. Methods throw `table_damaged` if the log cannot be
 * read. https://github.com/delta-io/delta/blob/master/PROTOCOL.md
 */
export class DeltaLog {
  readonly #directory: string;
  /** As last read; another process may have written commits since. */
  #table: DeltaTable | undefined;

  constructor(private readonly layout: Layout) {
    this.#directory = layout.deltaLogDirectory;
  }

  /** Returns the log of an output; undefined if it has none. Once there is one, it must follow the output. */
  static of(layout: Layout): DeltaLog | undefined {
    const log = new DeltaLog(layout);
    return isThere(log.#directory) ? log : undefined;
  }

  /** Makes the log list exactly the files of the manifest: writes one commit, or none if there are no changes. */
  async follow(manifest: Manifest): Promise<void> {
    const files = manifest.days.flatMap(({ day, files }) => files.map((file) => ({ day, file })));
    const present = new Set(files.map(({ file }) => tablePath(manifest, file.path)));
    await this.#commit(manifest, (table) => ({
      added: files.filter(({ file }) => !table.files.has(tablePath(manifest, file.path))),
      removed: [...table.files].filter((path) => !present.has(path)),
      dataChange: true,
    }));
  }

  /**
   * Replaces files by others with the same rows. Call it after the new files are there and before the old
   * ones are removed. Returns the commits that were written.
   */
  async replace(
    manifest: Manifest,
    files: readonly DayFile[],
    paths: readonly string[],
  ): Promise<readonly string[]> {
    const removed = paths.map((path) => tablePath(manifest, path));
    return this.#commit(manifest, (table) => ({
      added: files.filter(({ file }) => !table.files.has(tablePath(manifest, file.path))),
      removed: removed.filter((path) => table.files.has(path)),
      dataChange: false,
    }));
  }

  /** Returns true if the table has one of these files; paths are relative to the output. */
  async lists(paths: readonly string[]): Promise<boolean> {
    const { files } = await readTable(this.#directory);
    const dataset = basename(this.layout.datasetDirectory);
    return paths.some((path) => files.has(tablePath({ dataset }, path)));
  }

  async #commit(
    manifest: Manifest,
    changeOf: (table: DeltaTable) => TableChange,
  ): Promise<readonly string[]> {
    const directory = this.#directory;
    return asOutput(directory, async () => {
      await mkdir(directory, { recursive: true });
      await syncDirectory(dirname(directory));
      for (let attempt = 0; attempt < RETRIES_MAX; attempt++) {
        const table = this.#table ?? (await readTable(directory));
        this.#table = undefined;
        const actions = actionsOf(manifest, table, changeOf(table), Date.now());
        if (actions.length > 0) {
          const text = actions.map((action) => `${JSON.stringify(action)}\n`).join("");
          if (!(await writeCommit(directory, table.version, text))) continue;
        }
        this.#table = afterCommit(table, actions);
        return actions.length === 0 ? [] : [join(directory, commitName(table.version))];
      }
      throw damaged(directory, "other processes write commits all the time");
    });
  }
}

/** Returns the path of a file in the table, as the log has it. `path`: relative to the output. */
function tablePath({ dataset }: Pick<Manifest, "dataset">, path: string): string {
  return encodeURI(path.slice(dataset.length + 1));
}

function commitName(number: number): string {
  return `${String(number).padStart(VERSION_DIGITS, "0")}.json`;
}

async function readTable(directory: string): Promise<DeltaTable> {
  const names = (await listOrNone(directory)).filter((name) => /^\d{20}\.json$/.test(name)).sort();
  let table: DeltaTable = { version: 0, files: new Set(), metaData: undefined };
  for (const [number, name] of names.entries()) {
    if (name !== commitName(number)) throw damaged(directory, `${commitName(number)} is missing`);
    table = afterCommit(table, await readCommit(join(directory, name)));
  }
  return table;
}

/** Changes the files of a table and returns its next version. */
function afterCommit(
  { version, files, metaData }: DeltaTable,
  actions: readonly Action[],
): DeltaTable {
  for (const { add, remove } of actions) {
    if (add !== undefined) files.add(add.path);
    if (remove !== undefined) files.delete(remove.path);
  }
  const last = actions.findLast((action) => action.metaData !== undefined)?.metaData ?? metaData;
  return { version: version + (actions.length > 0 ? 1 : 0), files, metaData: last };
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
async function writeCommit(directory: string, number: number, text: string): Promise<boolean> {
  // Readers skip names that begin with a dot.
  const temporary = join(directory, `.${randomUUID()}`);
  await writeDurably(temporary, text);
  try {
    return await linkNew(temporary, join(directory, commitName(number)));
  } finally {
    await rm(temporary, { force: true });
    await syncDirectory(directory);
  }
}

/** Returns the actions of the next commit; none if nothing changes. */
function actionsOf(
  manifest: Manifest,
  table: DeltaTable,
  { added, removed, dataChange }: TableChange,
  nowMs: number,
): readonly Action[] {
  const { dayKey, eventKey, schemaString } = schemaOf(manifest);
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
  const commitInfo = {
    timestamp: nowMs,
    operation: dataChange ? "WRITE" : "OPTIMIZE",
    engineInfo: `Switchyard/${version}`,
  };
  return [
    { commitInfo },
    ...(table.version === 0 ? [{ protocol: { minReaderVersion: 1, minWriterVersion: 2 } }] : []),
    ...(isSameSchema ? [] : [{ metaData }]),
    ...removed.map((path) => ({ remove: { path, deletionTimestamp: nowMs, dataChange } })),
    ...added.map(({ day, file }) => ({
      add: {
        path: tablePath(manifest, file.path),
        partitionValues: {
          ...(dayKey === undefined ? {} : { [dayKey]: day }),
          ...(eventKey === undefined ? {} : { [eventKey]: file.event }),
        },
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
