import { BATCH_ROWS_MAX } from "../../base/limits.js";
import type { FieldRequest } from "../../batch/batch.js";
import { Column, cellKinds } from "../../batch/column.js";
import { ObjectFields } from "../../batch/field-table.js";
import { type Kernel, LOOSE_BYTES, Region } from "../../batch/kernel.js";
import { writeWords } from "../../batch/kernel-record.js";
import { joinedMemberLayout } from "../../batch/layouts.js";
import type { RecordScanner } from "./record-scanner.js";

/** Fields inside the JSON text of one column's cells. */
interface Inside {
  readonly position: number;
  readonly fields: ObjectFields;
  /** Indexes of its requests among all requests. */
  readonly indexes: readonly number[];
}

/** A field whose cells are rewritten from a scanned column. */
interface Quoted {
  readonly position: number;
  readonly column: Column;
}

interface Joined {
  readonly positions: readonly number[];
  readonly column: Column;
  /** Address of the table of members, and of the text of their names. */
  readonly members: number;
  readonly names: number;
  readonly namesBytes: number;
}

/** Derives the requested columns from the scanned columns of a source. */
export class FieldColumns {
  /** Positions of the columns to scan. */
  readonly wanted: ReadonlySet<number>;
  readonly #kernel: Kernel;
  readonly #names: readonly string[];
  readonly #requests: readonly FieldRequest[];
  readonly #sources: readonly CsvCell[];
  readonly #missing: Column;
  readonly #quoted = new Map<number, Quoted>();
  readonly #joined = new Map<number, Joined>();
  readonly #inside: readonly Inside[];
  /** The text of rewritten cells. */
  readonly #text: Region;

  /** Takes the columns of an earlier source with the same names from the pool, or creates them. */
  static take(
    kernel: Kernel,
    names: readonly string[],
    requests: readonly FieldRequest[],
  ): FieldColumns {
    const left = kernel.pool.take(
      FieldColumns,
      (columns) => columns.#requests === requests && isSame(columns.#names, names),
    );
    return left ?? new FieldColumns(kernel, names, requests);
  }

  constructor(kernel: Kernel, names: readonly string[], requests: readonly FieldRequest[]) {
    this.#kernel = kernel;
    this.#names = names;
    this.#requests = requests;
    this.#sources = findFieldSources(names, requests);
    this.wanted = new Set(this.#sources.flatMap(positionsOf));
    this.#missing = new Column(kernel);
    const { kinds } = this.#missing;
    kernel.bytes.fill(cellKinds.null, kinds, kinds + BATCH_ROWS_MAX);
    this.#text = new Region(kernel, LOOSE_BYTES);
    this.#sources.forEach((source, place) => {
      if (source.kind === "quoted") {
        this.#quoted.set(place, { position: source.position, column: new Column(kernel) });
      } else if (source.kind === "joined") {
        this.#joined.set(place, this.#createJoined(names, source.positions));
      }
    });
    this.#inside = groupInside(kernel, this.#sources);
  }

  /**
   * Returns one column for each request, of the rows of the last scan; valid until the next call.
   */
  derive(scanner: RecordScanner, rows: number): readonly Column[] {
    this.#writeTexts(scanner, rows);
    const inside = new Map<number, Column>();
    for (const { position, fields, indexes } of this.#inside) {
      const columns = fields.extract(scanner.column(position), rows);
      columns.forEach((column, index) => {
        inside.set(indexes[index]!, column);
      });
    }
    return this.#sources.map((source, place) => {
      if (source.kind === "cell") return scanner.column(source.position);
      const column =
        this.#quoted.get(place)?.column ?? this.#joined.get(place)?.column ?? inside.get(place);
      return column ?? this.#missing;
    });
  }

  free(): void {
    this.#missing.free();
    this.#text.free();
    for (const { fields } of this.#inside) fields.free();
    for (const { column } of this.#quoted.values()) column.free();
    for (const { column, members, names } of this.#joined.values()) {
      column.free();
      this.#kernel.free(members);
      this.#kernel.free(names);
    }
  }

  #createJoined(columnNames: readonly string[], positions: readonly number[]): Joined {
    const texts = positions.map((position) =>
      Buffer.from(`,${JSON.stringify(columnNames[position])}:`),
    );
    const text = Buffer.concat(texts);
    const names = this.#kernel.allocate(text.length);
    const members = this.#kernel.allocate(positions.length * joinedMemberLayout.bytes);
    this.#kernel.bytes.set(text, names);
    let name = names;
    texts.forEach(({ length: nameLength }, index) => {
      const member = members + index * joinedMemberLayout.bytes;
      writeWords(this.#kernel, joinedMemberLayout, member, { column: 0, name, nameLength });
      name += nameLength;
    });
    const column = new Column(this.#kernel);
    return { positions, column, members, names, namesBytes: text.length };
  }

  /** Allocates all memory first, because cells must not move once columns point to them. */
  #writeTexts(scanner: RecordScanner, rows: number): void {
    const { run } = this.#kernel;
    const quotedBytes = (position: number) =>
      run.quotedCellBytes(scanner.column(position).address, rows);
    let size = LOOSE_BYTES;
    for (const { position } of this.#quoted.values()) size += quotedBytes(position);
    for (const { positions, namesBytes } of this.#joined.values()) {
      size += rows * (namesBytes + 2);
      for (const position of positions) size += quotedBytes(position);
    }
    this.#text.ensure(size);
    let to = this.#text.address;
    for (const { position, column } of this.#quoted.values()) {
      to = run.quoteCells(scanner.column(position).address, column.address, rows, to);
    }
    for (const { positions, column, members } of this.#joined.values()) {
      const { u32 } = this.#kernel;
      positions.forEach((position, index) => {
        const member = members + index * joinedMemberLayout.bytes;
        u32[member / 4 + joinedMemberLayout.words.column] = scanner.column(position).address;
      });
      const count = positions.length;
      to = run.joinCells(members, count, scanner.faults, column.address, rows, to);
    }
  }
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name, index) => name === others[index]);
}

function positionsOf(source: CsvCell): readonly number[] {
  if (source.kind === "missing") return [];
  return source.kind === "joined" ? source.positions : [source.position];
}

function groupInside(kernel: Kernel, sources: readonly CsvCell[]): readonly Inside[] {
  const groups = new Map<number, { indexes: number[]; requests: FieldRequest[] }>();
  sources.forEach((source, place) => {
    if (source.kind !== "inside") return;
    const group = groups.get(source.position) ?? { indexes: [], requests: [] };
    groups.set(source.position, group);
    group.indexes.push(place);
    group.requests.push(source.request);
  });
  return [...groups].map(([position, { indexes, requests }]) => ({
    position,
    fields: new ObjectFields(kernel, requests),
    indexes,
  }));
}

/** The origin of a requested column. Positions count the source's columns from 0. */
type CsvCell =
  | { readonly kind: "missing" }
  | { readonly kind: "cell"; readonly position: number }
  | { readonly kind: "quoted"; readonly position: number }
  /** A path that continues inside the cell's JSON text; `request` is relative to it. */
  | { readonly kind: "inside"; readonly position: number; readonly request: FieldRequest }
  | { readonly kind: "joined"; readonly positions: readonly number[] };

/**
 * Finds the columns of each field: a column whose name is the path joined by dots, else one whose
 * name is the first step of the path. The first of several columns with one name counts.
 */
function findFieldSources(
  names: readonly string[],
  requests: readonly FieldRequest[],
): readonly CsvCell[] {
  const positions = new Map<string, number>();
  names.forEach((name, position) => {
    if (!positions.has(name)) positions.set(name, position);
  });
  return requests.map((request) => findFieldSource(positions, request));
}

function findFieldSource(
  positions: ReadonlyMap<string, number>,
  { path, form, except }: FieldRequest,
): CsvCell {
  const [first, ...inner] = path;
  if (first === undefined) {
    const hidden = new Set(form === "rest" ? except : []);
    const shown = [...positions].filter(([name]) => !hidden.has(name));
    return { kind: "joined", positions: shown.map(([, position]) => position) };
  }
  const whole = positions.get(path.join("."));
  const position = whole ?? positions.get(first);
  if (position === undefined) return { kind: "missing" };
  const isWhole = whole !== undefined || inner.length === 0;
  if (isWhole && form === "text") return { kind: "cell", position };
  if (isWhole && form === "json") return { kind: "quoted", position };
  const relative = isWhole ? [] : inner;
  const request =
    except === undefined ? { path: relative, form } : { path: relative, form, except };
  return { kind: "inside", position, request };
}
