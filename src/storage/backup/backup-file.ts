import { createHash, type Hash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { addAbortSignal, pipeline, Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { hasCode, SwitchyardError, UsageError } from "../../base/errors.js";
import { WRITE_BYTES } from "../../base/limits.js";
import { asOutput } from "../../base/output-error.js";
import { SqliteDatabase } from "../sqlite-database.js";
import { type BackupManifest, parseManifest } from "./backup-manifest.js";
import type { DataSnapshot } from "./data-snapshot.js";
import { tableDigests } from "./table-digests.js";
import { damaged, type TarFile, TarReader, tarOf } from "./tar.js";

const MANIFEST = "manifest.json";

/** The last file: digests of the others, as `sha256sum --check` reads them. */
const SUMS = "SHA256SUMS";

/** The largest manifest and list of digests. */
const TEXT_BYTES_MAX = 1024 * 1024;

/** The fastest level: rows of JSON shrink to about a fifth, with higher levels to a sixth. */
const GZIP_LEVEL = 1;

const FILE_MODE = 0o600;

/** Writes a snapshot into a new file, which is on the disk when the promise resolves. */
export async function writeArchive(
  path: string,
  snapshot: DataSnapshot,
  manifest: BackupManifest,
  signal: AbortSignal,
): Promise<void> {
  const blocks = Readable.from(archiveOf(snapshot, manifest), { objectMode: false });
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: WRITE_BYTES });
  addAbortSignal(signal, gzip);
  // Errors end the loop below, which reads the last stream.
  pipeline(blocks, gzip, () => undefined);
  await asOutput(path, async () => {
    const file = await open(path, "wx", FILE_MODE);
    try {
      for await (const part of gzip) await file.writeFile(part as Uint8Array);
      await file.sync();
    } finally {
      await file.close();
    }
  });
}

function* archiveOf({ time, databases }: DataSnapshot, manifest: BackupManifest) {
  const sums: string[] = [];
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  function* entries() {
    yield { name: MANIFEST, bytes: text.length, content: summed(MANIFEST, [text], sums) };
    for (const [index, { file, database }] of databases.entries()) {
      const bytes = manifest.databases[index]?.bytes ?? 0;
      yield { name: file, bytes, content: summed(file, pagesOf(database), sums) };
    }
    const list = Buffer.from(sums.join(""));
    yield { name: SUMS, bytes: list.length, content: [list] };
  }
  yield* tarOf(entries(), Math.floor(time / 1_000));
}

/** Passes the parts of a file on, and adds its line to the list of digests at its end. */
function* summed(name: string, parts: Iterable<Uint8Array>, sums: string[]) {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(part);
    yield part;
  }
  sums.push(sumLine(name, hash));
}

function sumLine(name: string, hash: Hash): string {
  return `${hash.digest("hex")}  ${name}\n`;
}

/** Reads the pages of a database as its transaction sees them: those of the file and of the log. */
function* pagesOf(database: SqliteDatabase): Generator<Uint8Array, void> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for (const [page] of database.rows<[Uint8Array]>("SELECT data FROM sqlite_dbpage('main')")) {
    parts.push(page);
    size += page.length;
    if (size < WRITE_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(parts);
}

/**
 * Writes the databases of a backup into a directory and compares everything with its manifest: digests of
 * the files, SQLite's integrity check, rows and digest of each table. Throws `backup_missing`,
 * `backup_foreign`, `backup_newer`, `backup_damaged`, and what writing throws.
 */
export async function extractArchive(
  path: string,
  directory: string,
  signal: AbortSignal,
): Promise<BackupManifest> {
  try {
    const manifest = await extractFiles(path, directory, signal);
    for (const described of manifest.databases) await compare(directory, described, signal);
    return manifest;
  } catch (error) {
    throw named(path, error);
  }
}

async function extractFiles(
  path: string,
  directory: string,
  signal: AbortSignal,
): Promise<BackupManifest> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError("backup_missing", `${path} cannot be read (${cause.message}).`, { cause });
  });
  const gunzip = createGunzip({ chunkSize: WRITE_BYTES });
  try {
    addAbortSignal(signal, gunzip);
    pipeline(file.createReadStream({ autoClose: false }), gunzip, () => undefined);
    return await extractFrom(new TarReader(gunzip), directory);
  } finally {
    gunzip.destroy();
    await file.close();
  }
}

async function extractFrom(tar: TarReader, directory: string): Promise<BackupManifest> {
  const sums: string[] = [];
  const first = await tar.next();
  if (first?.name !== MANIFEST) throw foreign();
  const text = await textOf(tar, first);
  sums.push(sumLine(MANIFEST, createHash("sha256").update(text)));
  const manifest = parseManifest(text);
  for (const { file, bytes } of manifest.databases) {
    const entry = await tar.next();
    if (entry?.name !== file || entry.bytes !== bytes) {
      throw damaged(`${file} of ${bytes} bytes is not where its manifest says`);
    }
    sums.push(sumLine(file, await store(tar, join(directory, file))));
  }
  const last = await tar.next();
  if (last?.name !== SUMS || (await textOf(tar, last)) !== sums.join("")) {
    throw damaged("its content does not have the digests of SHA256SUMS");
  }
  if ((await tar.next()) !== undefined) throw damaged("it has more files than a backup");
  return manifest;
}

async function textOf(tar: TarReader, { name, bytes }: TarFile): Promise<string> {
  if (bytes > TEXT_BYTES_MAX) throw damaged(`${name} has ${bytes} bytes`);
  const parts: Uint8Array[] = [];
  for await (const part of tar.content()) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

/** Writes the current file of an archive to the disk. Returns its digest. */
async function store(tar: TarReader, path: string): Promise<Hash> {
  const hash = createHash("sha256");
  await asOutput(path, async () => {
    const file = await open(path, "wx", FILE_MODE);
    try {
      for await (const part of tar.content()) {
        hash.update(part);
        await file.writeFile(part);
      }
      await file.sync();
    } finally {
      await file.close();
    }
  });
  return hash;
}

/** Compares a database with what was read from the snapshot. */
async function compare(
  directory: string,
  { file, tables }: BackupManifest["databases"][number],
  signal: AbortSignal,
): Promise<void> {
  // Leaves no log or lock beside the file.
  const url = `file:${encodeURI(join(directory, file)).replace(/[?#]/g, encodeURIComponent)}`;
  const database = new SqliteDatabase(`${url}?immutable=1`, { readOnly: true });
  try {
    const [first] = database.all<{ integrity_check: string }>("PRAGMA integrity_check(1)");
    if (first?.integrity_check !== "ok") {
      throw damaged(`${file} is damaged: ${first?.integrity_check}`);
    }
    const found = await tableDigests(database, signal);
    for (const [index, table] of tables.entries()) {
      if (JSON.stringify(found[index]) === JSON.stringify(table)) continue;
      throw damaged(`the table ${table.name} of ${file} is not as it was when the backup was made`);
    }
    if (found.length !== tables.length) throw damaged(`${file} has tables that it should not have`);
  } finally {
    database.close();
  }
}

function foreign(): SwitchyardError {
  return new SwitchyardError(
    "backup_foreign",
    "not a backup that Switchyard made; pass a file of `switchyard backup`",
  );
}

/** Adds the file to the message. Errors of decompression are damage, or another kind of file. */
function named(path: string, error: unknown): unknown {
  if (hasCode(error, "Z_DATA_ERROR") && (error as Error).message === "incorrect header check") {
    return named(path, foreign());
  }
  if (error instanceof Error && hasZlibCode(error)) {
    const reason = hasCode(error, "Z_BUF_ERROR") ? "it ends too early" : error.message;
    return named(path, damaged(reason, error));
  }
  if (error instanceof SwitchyardError && error.code.startsWith("backup_")) {
    const advice = error.code === "backup_damaged" ? "; use another backup" : "";
    if (error.code !== "backup_missing") error.reword((text) => `${path}: ${text}${advice}`);
  }
  return error;
}

function hasZlibCode(error: Error): boolean {
  return "code" in error && String(error.code).startsWith("Z_");
}
