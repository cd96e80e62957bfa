import { rm } from "node:fs/promises";
import { SourceError, type SwitchyardError, UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { inTemporaryDirectory, makeTemporaryDirectory } from "../base/temporary-directory.js";
import type { Batch, FieldRequest } from "../batch/batch.js";
import { ID_ENTRY_ROW, ID_ENTRY_WORDS, IdDigests } from "../batch/id-digests.js";
import { Kernel } from "../batch/kernel.js";
import { IdentityTableWriter } from "../identity/lookup-table.js";
import { CellTarget } from "../mapper/cell-target.js";
import type { SharedIdentity } from "../mapper/identity-table.js";
import type { RunOptions } from "../options/options.js";
import type { OpenReader } from "../readers/reader.js";
import { discoverSources } from "../sources/discovery.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Source } from "../sources/source.js";
import { detectionOf, openSources } from "./run-tools.js";

/** A table that threads share; closing it removes its file. */
export interface OpenedIdentity {
  readonly identity: SharedIdentity;
  /** A line about it. */
  readonly note: string;
  close(): Promise<void>;
}

/** The options that decide how a table is read. */
type TableOptions = Pick<
  RunOptions,
  "mapping" | "ratioMax" | "rowBytesMax" | "s3" | "memoryBytes"
> & { readonly identityPath: string };

/** The share of the memory of a run that a table may take; a larger one stays in a file. */
const MEMORY_SHARE = 1 / 8;

/** Names of the columns of `switchyard identities`. */
const ANONYMOUS = "anonymous_id";
const USER = "user_id";

/** Rows in which columns are looked for. */
const NAMED_ROWS_MAX = 1_000;

/**
 * Reads a table anonymous id → user id: columns `anonymous_id` and `user_id`, else the first two. Rows
 * without one of them are left out, and so are ids with several users. Throws `identity_unreadable`.
 */
export async function openIdentity(
  options: TableOptions,
  signal: AbortSignal,
): Promise<OpenedIdentity> {
  const directory = await makeTemporaryDirectory("switchyard-identity");
  const close = () => rm(directory, { recursive: true, force: true });
  try {
    const writer = new IdentityTableWriter(directory);
    await withSources(options, directory, signal, async (sources, reader) => {
      for (const source of sources) await reader.read(source, writer);
    });
    const { identity, ids, conflicts } = writer.finish(options.memoryBytes * MEMORY_SHARE);
    // Threads that have it in memory need no file.
    if (identity.content !== undefined) await close();
    const left = conflicts === 0 ? "" : `; ${conflicts} with several users are left out`;
    return { identity, note: `${option("identity")}: ${ids} anonymous ids${left}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws what `openIdentity` would throw as soon as it begins to read. */
export function checkIdentity(options: TableOptions, signal: AbortSignal): Promise<void> {
  return inTemporaryDirectory("switchyard-identity", (directory) =>
    withSources(options, directory, signal, async (sources, reader) => {
      for (const source of sources) await reader.columnsOf(source);
    }),
  );
}

/** Calls `use` with the sources of a table and what reads them. */
async function withSources(
  options: TableOptions,
  temporaryDirectory: string,
  signal: AbortSignal,
  use: (sources: readonly Source[], reader: TableReader) => Promise<void>,
): Promise<void> {
  const { identityPath: path, ratioMax, rowBytesMax, s3, mapping } = options;
  const detection = { csv: {}, mapping };
  const rowFields = new Set([ANONYMOUS, USER]);
  const own = { detect: detectionOf(detection, rowFields), isData: () => true };
  const found = await discoverSources([{ name: path, path }], { ...own, ratioMax, s3, signal });
  const [failure] = found.failures;
  if (failure !== undefined) throw unreadable(path, failure.message);
  const open = openSources(detection, rowFields);
  const readerOptions = { rowBytesMax, ratioMax, s3, temporaryDirectory, signal };
  try {
    await use(found.sources, new TableReader(open, readerOptions));
  } catch (error) {
    throw error instanceof SourceError ? unreadable(path, error.toReason()) : error;
  }
}

/** Reads the two columns of a source. */
class TableReader {
  readonly #kernel = new Kernel();

  constructor(
    private readonly open: OpenReader,
    private readonly options: ReaderOptions,
  ) {}

  async read(source: Source, writer: IdentityTableWriter): Promise<void> {
    const kernel = this.#kernel;
    const paths = (await this.columnsOf(source)).map((name) => ({ path: [name] }));
    const fields = paths.map(({ path }): FieldRequest => ({ path, form: "text" }));
    const texts = { emptyIsNull: true };
    const [anonymous, user] = paths.map(
      (path, index) => new CellTarget(kernel, [path], [index], texts),
    ) as [CellTarget, CellTarget];
    const digests = new IdDigests(kernel, [anonymous.column]);
    const reader = await this.open(kernel, { source, start: 0, end: null }, fields, this.options);
    try {
      for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
        const { rows, columns, faults } = batch;
        refuseFaults(source, batch);
        anonymous.take(columns, rows);
        user.take(columns, rows);
        const entries = digests.take(faults, rows);
        for (let entry = 0; entry < entries.length; entry += ID_ENTRY_WORDS) {
          const row = entries[entry + ID_ENTRY_ROW]!;
          if (user.column.kind(row) !== 0) writer.add(entries, entry, user.column.bytes(row));
        }
      }
    } finally {
      await reader.close();
    }
  }

  /** Returns the names of the columns of the anonymous id and of the user id. */
  async columnsOf(source: Source): Promise<readonly [string, string]> {
    const names = await this.#namesOf(source);
    const [first, second] = names;
    if (names.length === 0 || names.includes(ANONYMOUS)) return [ANONYMOUS, USER];
    if (first !== undefined && second !== undefined) return [first, second];
    throw unreadable(source.name, `it has the columns ${names.join(", ")}`);
  }

  /** Returns the columns in their order; of rows that are objects, those of the row with the most. */
  async #namesOf(source: Source): Promise<readonly string[]> {
    if (source.format.kind === "csv") return source.format.columns;
    const whole: FieldRequest = { path: [], form: "rest", except: [] };
    const range = { source, start: 0, end: null };
    const reader = await this.open(this.#kernel, range, [whole], this.options);
    try {
      const batch = await reader.next();
      // Rows may leave out what is null.
      let names: readonly string[] = [];
      for (let row = 0; row < Math.min(batch?.rows ?? 0, NAMED_ROWS_MAX); row++) {
        const text = batch?.columns[0]?.text(row);
        const own = text === undefined ? [] : Object.keys(JSON.parse(text));
        if (own.length > names.length) names = own;
      }
      return names;
    } finally {
      await reader.close();
    }
  }
}

/** Throws if a row of a batch cannot be read: a table without it would join fewer ids. */
function refuseFaults({ name }: Source, { kernel, faults, rows, raw }: Batch): void {
  const faulty = kernel.bytes.subarray(faults, faults + rows).findIndex((code) => code > 0);
  if (faulty < 0) return;
  const [row, byte] = [raw.number(faulty), raw.offset(faulty)];
  const place = row === undefined ? `the row at byte ${byte}` : `row ${row}`;
  throw unreadable(name, `${place} cannot be read: ${raw.explain(faulty)}`);
}

function unreadable(path: string, reason: string): SwitchyardError {
  return new UsageError(
    "identity_unreadable",
    `cannot read the table of identities ${path}: ${reason.replace(/\.$/, "")}. ${option("identity")} needs a CSV, JSON or Parquet file with the columns ${ANONYMOUS} and ${USER}.`,
  );
}
