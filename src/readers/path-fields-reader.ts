import type { Batch, FieldRequest } from "../batch/batch.js";
import { Column, cellKinds } from "../batch/column.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { isPathField, pathValuesOf } from "../sources/path-columns.js";
import type { Source } from "../sources/source.js";
import type { Reader } from "./reader.js";
import { WrappedReader } from "./wrapped-reader.js";

/**
 * Opens a reader with `open`, and adds the fields that are columns of the source's path. `open` gets the
 * others, and a field `path.x` if the path has no column `x`.
 */
export async function withPathFields(
  kernel: Kernel,
  source: Pick<Source, "name" | "entry">,
  fields: readonly FieldRequest[],
  open: (fields: readonly FieldRequest[]) => Promise<Reader>,
): Promise<Reader> {
  const values = pathValuesOf(source);
  const isFromPath = (field: FieldRequest) => isPathField(field) && values.has(nameOf(field));
  const others = fields.filter((field) => !isFromPath(field));
  if (others.length === fields.length) return open(fields);
  const reader = await open(others);
  const columns = fields.map((field) => {
    if (!isFromPath(field)) return undefined;
    return new Constant(kernel, textOf(field, values.get(nameOf(field))));
  });
  return new PathFieldsReader(reader, columns);
}

function nameOf({ path }: FieldRequest): string {
  return path[1] ?? "";
}

/** Returns the bytes of a value in the form that a field asks for; undefined for null. */
function textOf({ form }: FieldRequest, value: string | null | undefined): Buffer | undefined {
  if (value === null || value === undefined || form === "rest") return undefined;
  return Buffer.from(form === "json" ? JSON.stringify(value) : value);
}

/** Reads rows of one source: each column of its path is one text for all rows. */
class PathFieldsReader extends WrappedReader {
  /** `columns`: one for each field; undefined for those of the rows. */
  constructor(
    reader: Reader,
    private readonly columns: readonly (Constant | undefined)[],
  ) {
    super(reader);
  }

  async next(): Promise<Batch | null> {
    const batch = await this.reader.next();
    if (batch === null) return null;
    let own = 0;
    const columns = this.columns.map((one) => one?.fill(batch) ?? batch.columns[own++]!);
    return { ...batch, columns };
  }

  override async close(): Promise<void> {
    for (const column of this.columns) column?.free();
    await super.close();
  }
}

/** A column whose cells all have the same bytes, which are in memory once. */
class Constant {
  readonly #column: Column;
  readonly #text: Region;
  readonly #length: number;
  readonly #kind: number;

  constructor(
    private readonly kernel: Kernel,
    text: Buffer | undefined,
  ) {
    this.#column = new Column(kernel);
    this.#length = text?.length ?? 0;
    this.#kind = text === undefined ? cellKinds.null : cellKinds.string;
    this.#text = new Region(kernel, this.#length);
    if (text !== undefined) kernel.bytes.set(text, this.#text.address);
  }

  /** Returns the column of a batch. Cells of faulty rows are null. */
  fill({ rows, faults }: Batch): Column {
    const { starts, lengths, kinds, address } = this.#column;
    const { bytes, u32, run } = this.kernel;
    u32.fill(this.#text.address, starts / 4, starts / 4 + rows);
    u32.fill(this.#length, lengths / 4, lengths / 4 + rows);
    bytes.fill(this.#kind, kinds, kinds + rows);
    run.dropFaulty(faults, rows, address);
    return this.#column;
  }

  free(): void {
    this.#column.free();
    this.#text.free();
  }
}
