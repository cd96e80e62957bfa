import { omitUndefined } from "../../base/omit-undefined.js";
import type { Batch, RawRows, RowOrigin } from "../../batch/batch.js";
import { cellKinds } from "../../batch/column.js";
import type { Kernel } from "../../batch/kernel.js";
import type { Format, Source } from "../../sources/source.js";
import type { RowScanner } from "../json/row-scanner.js";
import { frameOf, type RowFrame, withElement } from "./kept-element.js";
import { OUTER_STEP } from "./outer-fields.js";

/** The facts of the source of rows whose elements are read. */
export interface OuterRows {
  readonly kernel: Kernel;
  readonly source: Source;
  /** The format in which a row of the source is kept. */
  readonly kept: Format;
  readonly rowBytesMax: number;
}

/** The rows that the rows of a batch are elements of. */
export interface Owners {
  /** Rows of the outer batch. */
  readonly rows: Uint32Array;
  /** Number of the element in its row, from 1; 0 for a row that is rejected as a whole. */
  readonly elements: Uint32Array;
  /** Bytes of the list before the element. */
  readonly distances: Uint32Array;
}

/**
 * Elements as rows, for rejects and messages. An element is kept as the row around it with no other element, so
 * that it can be read again with the same mapping.
 */
export class ElementRows implements RawRows {
  #frame: { readonly row: number; readonly frame: RowFrame | undefined } | undefined;

  /** `rowsBefore`: rows of the source in the batches before. */
  constructor(
    private readonly source: OuterRows,
    private readonly path: readonly string[],
    private readonly scanner: RowScanner,
    private readonly outer: Batch,
    private readonly owners: Owners,
    private readonly rowsBefore: number,
  ) {}

  number(row: number): number | undefined {
    const isKnown = this.outer.raw.number(this.#outerRow(row)) !== undefined;
    return isKnown ? this.rowsBefore + row + 1 : undefined;
  }

  /** A position that no other row has, between those of the rows around. */
  offset(row: number): number | undefined {
    const offset = this.outer.raw.offset(this.#outerRow(row));
    if (offset === undefined || !this.#isElement(row)) return offset;
    return offset + 1 + this.owners.distances[row]!;
  }

  bytes(row: number): Uint8Array {
    const outerRow = this.#outerRow(row);
    if (!this.#isElement(row)) return this.outer.raw.bytes(outerRow);
    if (this.#frame?.row !== outerRow) {
      this.#frame = { row: outerRow, frame: frameOf(this.outer.raw.bytes(outerRow), this.path) };
    }
    const { frame } = this.#frame;
    if (frame === undefined) throw new Error(`no list at ${this.path.join(".")} in a row`);
    return withElement(frame, this.#element(row));
  }

  origin(row: number): RowOrigin {
    const outerRow = this.#outerRow(row);
    const {
      outer: { raw: outer },
      source,
    } = this;
    const origin = outer.origin?.(outerRow) ?? {
      source: source.source.name,
      ...omitUndefined({ row: outer.number(outerRow), byte: outer.offset(outerRow) }),
      format: source.kept,
    };
    if (!this.#isElement(row)) return origin;
    const known = origin.element?.split(".") ?? [];
    // A row that was kept as an element is that element again.
    if (known.length >= this.path.length) return origin;
    return { ...origin, element: [...known, this.owners.elements[row]].join(".") };
  }

  members(row: number): Readonly<Record<string, unknown>> | undefined {
    const outer = this.outer.raw.members?.(this.#outerRow(row));
    if (outer === undefined || !this.#isElement(row)) return outer;
    const { [this.path.at(-1) as string]: _, ...around } = outer;
    try {
      const element = JSON.parse(this.#element(row).toString());
      return { ...element, [OUTER_STEP]: around };
    } catch {
      return undefined;
    }
  }

  explain(row: number): string {
    const { faults, raw, columns } = this.outer;
    const outerRow = this.#outerRow(row);
    const list = this.path.join(".");
    if (this.#isElement(row)) {
      const shown = cut(this.#element(row).toString());
      return `element ${this.origin(row).element} of ${list} is ${shown}, not an object`;
    }
    if (this.source.kernel.bytes[faults + outerRow] !== 0) return raw.explain(outerRow);
    const shown = cut(columns[0]?.text(outerRow) ?? "null");
    return `${list} must be a list of rows, but is ${kindWords[columns[0]?.kind(outerRow) ?? 0]} ${shown}`;
  }

  #isElement(row: number): boolean {
    return this.owners.elements[row] !== 0;
  }

  #outerRow(row: number): number {
    return this.owners.rows[row] as number;
  }

  /** Returns a copy of the bytes of an element. */
  #element(row: number): Buffer {
    const { bytes, u32 } = this.source.kernel;
    const start = u32[this.scanner.starts / 4 + row]!;
    return Buffer.from(bytes.subarray(start, start + u32[this.scanner.lengths / 4 + row]!));
  }
}

const kindWords: Readonly<Record<number, string>> = {
  [cellKinds.string]: "the text",
  [cellKinds.malformedString]: "text with a lone surrogate,",
  [cellKinds.number]: "the number",
  [cellKinds.boolean]: "the boolean",
  [cellKinds.object]: "the object",
};

/** Characters of a value that a message shows. */
const SHOWN_MAX = 80;

function cut(value: string): string {
  const text = value.replaceAll(/\s+/g, " ");
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
