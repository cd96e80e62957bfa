import type { Kernel } from "../../batch/kernel.js";
import type { CsvDialect } from "../../sources/source.js";
import type { ReaderNotices } from "../reader.js";
import { recordsOf } from "./csv-trial.js";
import type { RecordScanner } from "./record-scanner.js";

const MARK_BYTES = 3;

/** Blanks around the names of a header, at most, for it to be found again. */
const BLANKS_MAX = 64;

/** Finds where files were joined: a byte order mark before a record, or the header again. */
export class Seams {
  /** The address after the last seam that was found. */
  after = 0;
  readonly #kernel: Kernel;
  readonly #dialect: CsvDialect;
  /** Bytes that the header may begin with; none if it cannot be told from a row. */
  readonly #starts: ReadonlySet<number>;
  readonly #headerBytes: number;
  #marks = 0;
  #headers = 0;

  constructor(kernel: Kernel, dialect: CsvDialect) {
    this.#kernel = kernel;
    this.#dialect = dialect;
    const { columns, delimiter, quote, header } = dialect;
    const [name = ""] = columns;
    const starts = [...Buffer.from(`${quote} \t${name === "" ? delimiter : ""}`)];
    // A column may hold its own name.
    const isKnown = header && columns.length > 1;
    this.#starts = new Set(isKnown ? [...starts, ...Buffer.from(name).subarray(0, 1)] : []);
    this.#headerBytes = Buffer.byteLength(columns.join(delimiter));
  }

  get notices(): ReaderNotices {
    return { byte_order_mark_skipped: this.#marks, header_repeated: this.#headers };
  }

  /** Returns the first of the scanned rows that begins with a mark or is the header. */
  find(scanner: RecordScanner, rows: number): number | undefined {
    const { bytes, u32 } = this.#kernel;
    for (let row = 0; row < rows; row++) {
      const start = u32[scanner.starts / 4 + row]!;
      const first = bytes[start]!;
      if (first === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) {
        this.#marks++;
        this.after = start + MARK_BYTES;
        return row;
      }
      if (!this.#starts.has(first)) continue;
      const length = u32[scanner.lengths / 4 + row]!;
      if (!this.#isHeader(start, length)) continue;
      this.#headers++;
      this.after = start + length;
      return row;
    }
    return undefined;
  }

  #isHeader(start: number, length: number): boolean {
    const { columns } = this.#dialect;
    const more = length - this.#headerBytes;
    if (more < 0 || more > columns.length * 2 + BLANKS_MAX) return false;
    const bytes = this.#kernel.bytes.subarray(start, start + length);
    const [record] = recordsOf(bytes, { marks: this.#dialect, records: 1 });
    const names = record?.texts ?? [];
    return (
      names.length === columns.length && names.every((text, at) => text.trim() === columns[at])
    );
  }
}
