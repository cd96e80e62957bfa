import { hash, randomUUID } from "node:crypto";
import { originalText, type SqliteDatabase, storedText } from "./sqlite-database.js";
import type { EntityKey, ListChange, ListFile } from "./store.js";

/** Characters of a line: a sign, the hash of an id, and a line feed. */
const HASH_CHARACTERS = 8;
const LINE_CHARACTERS = HASH_CHARACTERS + 2;

/** Ids that are hashed at once: a few milliseconds. */
const HASHED_AT_ONCE = 2_000;

/** Lines of a file for each listed id, beside `LINES_MIN`. A longer file is replaced by one without undone changes. */
const LINES_PER_ID_MAX = 4;
const LINES_MIN = 10_000;

const selectRow = "SELECT row FROM entity WHERE kind = ? AND id = ?";
const selectFile = `SELECT file.id, file.created_time, file.size FROM list_file AS file
  JOIN entity ON entity.row = file.entity WHERE entity.kind = ? AND entity.id = ?`;
const selectFileID = "SELECT id FROM list_file WHERE id = ?";
const selectParts = `SELECT part.start, part.lines FROM list_part AS part
  JOIN list_file AS file ON file.entity = part.entity
  WHERE file.id = ? AND part.start + length(part.lines) > ? ORDER BY part.start`;
const selectSize = "SELECT size, ids FROM list_file WHERE entity = ?";
const selectListedAfter =
  "SELECT id FROM listed_id WHERE entity = ? AND id > ? ORDER BY id LIMIT ?";
const insertFile =
  "INSERT INTO list_file (entity, id, created_time, size, ids) VALUES (?, ?, ?, 0, 0)";
const insertPart = "INSERT INTO list_part (entity, start, lines) VALUES (?, ?, ?)";
const growFile = "UPDATE list_file SET size = size + ?, ids = ids + ? WHERE entity = ?";
const deleteFile = "DELETE FROM list_file WHERE entity = ?";

type Sign = "+" | "-";

/** Returns the lines that add ids to a list, or remove them, as SDKs read them (`IDListUtil.ts`). */
function hashedLines(sign: Sign, ids: readonly string[]): string {
  return ids
    .map((id) => `${sign}${hash("sha256", id, "base64").slice(0, HASH_CHARACTERS)}\n`)
    .join("");
}

/**
 * The lists of ids as SDKs read them: one text file for each list, to which each change appends lines. A
 * list gets its file when it is first asked for.
 */
export class ListFiles {
  constructor(
    private readonly database: SqliteDatabase,
    private readonly now: () => number,
  ) {}

  find({ kind, id }: EntityKey): ListFile | undefined {
    const values = [kind, storedText(id)];
    const row = this.database.first<{ id: string; created_time: number; size: number }>(
      selectFile,
      values,
    );
    return row && { id: row.id, createdTime: row.created_time, size: row.size };
  }

  /** Returns the end of a file from a byte on; undefined if there is no such file. */
  read(fileID: string, start: number): string | undefined {
    const parts = this.database.all<{ start: number; lines: string }>(selectParts, [fileID, start]);
    const [first] = parts;
    // At the end of a file, or without one.
    if (first === undefined) return this.#exists(fileID) ? "" : undefined;
    return parts
      .map(({ lines }) => lines)
      .join("")
      .slice(Math.max(0, start - first.start));
  }

  #exists(fileID: string): boolean {
    return this.database.first(selectFileID, [fileID]) !== undefined;
  }

  /** Yields the lines of a list, a part at a time. */
  *partsOf({ kind, id }: EntityKey): Generator<string> {
    const entity = this.database.first<{ row: number }>(selectRow, [kind, storedText(id)]);
    let last = "";
    while (entity !== undefined) {
      const values = [entity.row, last, HASHED_AT_ONCE];
      const ids = this.database.all<{ id: string }>(selectListedAfter, values).map((one) => one.id);
      if (ids.length === 0) return;
      yield hashedLines("+", ids.map(originalText));
      last = ids.at(-1) ?? last;
    }
  }

  /** Stores a new file. Call it in a transaction. */
  create({ kind, id }: EntityKey, parts: Iterable<string>): void {
    const entity = this.database.first<{ row: number }>(selectRow, [kind, storedText(id)]);
    if (entity === undefined) return;
    this.database.run(insertFile, [entity.row, randomUUID(), this.now()]);
    for (const lines of parts) {
      this.#append(entity.row, lines, lines.length / LINE_CHARACTERS);
    }
  }

  /**
   * Adds the lines of a change to the file of a list, if it has one; `growth` is the change of the number of
   * ids. Call it in a transaction. A file of a replaced list, or with too many lines, is removed: the next
   * request for it makes another.
   */
  append(entity: number, { how, ids }: ListChange, growth: number): void {
    const file = this.database.first<{ size: number; ids: number }>(selectSize, [entity]);
    if (file === undefined) return;
    const linesMax = LINES_MIN + LINES_PER_ID_MAX * (file.ids + growth);
    const isLong = file.size / LINE_CHARACTERS > linesMax;
    if (how === "replace" || isLong) this.database.run(deleteFile, [entity]);
    // Without growth, all ids were listed, or none.
    else if (growth !== 0) {
      this.#append(entity, hashedLines(how === "add" ? "+" : "-", ids), growth);
    }
  }

  #append(entity: number, lines: string, growth: number): void {
    const { size = 0 } = this.database.first<{ size: number }>(selectSize, [entity]) ?? {};
    this.database.run(insertPart, [entity, size, lines]);
    this.database.run(growFile, [lines.length, growth, entity]);
  }
}
