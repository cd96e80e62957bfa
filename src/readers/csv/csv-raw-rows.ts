import { REJECT_BYTES_MAX } from "../../base/limits.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { RawRows } from "../../batch/batch.js";
import type { Kernel } from "../../batch/kernel.js";
import { type RecordScanner, rowEndings } from "./record-scanner.js";

export interface CsvRawRowsFacts {
  /** Names of the columns. */
  readonly names: readonly string[];
  readonly rowBytesMax: number;
  /** Offset in the source of the kernel's address 0. */
  readonly baseOffset: number;
  /** Rows of the source before this batch, where that is known. */
  readonly rowsBefore: number | undefined;
}

/** The records that a scanner found, as they stood in the source. */
export class CsvRawRows implements RawRows {
  constructor(
    private readonly kernel: Kernel,
    private readonly scanner: RecordScanner,
    private readonly facts: CsvRawRowsFacts,
  ) {}

  number(row: number): number | undefined {
    const { rowsBefore } = this.facts;
    return rowsBefore === undefined ? undefined : rowsBefore + row + 1;
  }

  offset(row: number): number {
    return this.facts.baseOffset + this.#word(this.scanner.starts, row);
  }

  bytes(row: number): Uint8Array {
    const start = this.#word(this.scanner.starts, row);
    const length = this.#word(this.scanner.lengths, row);
    const isTooLong = this.kernel.bytes[this.scanner.faults + row] === rejectCodes.row_too_long;
    const kept = isTooLong ? Math.min(length, REJECT_BYTES_MAX) : length;
    return this.kernel.bytes.subarray(start, start + kept);
  }

  explain(row: number): string {
    const { names, rowBytesMax } = this.facts;
    const cells = this.#word(this.scanner.cellCounts, row);
    const ending = this.kernel.bytes[this.scanner.endings + row];
    const column = names[cells - 1];
    const cell = column === undefined ? `cell ${cells}` : `cell ${cells} (${column})`;
    switch (this.kernel.bytes[this.scanner.faults + row]) {
      case rejectCodes.ragged_row:
        return `${count(cells, "cell")} where the source has ${count(names.length, "column")}`;
      case rejectCodes.invalid_utf8:
        return "the row is not valid UTF-8";
      case rejectCodes.row_too_long: {
        const limit = `longer than ${rowBytesMax} bytes (--max-row-size)`;
        return ending === rowEndings.atStopInQuotes
          ? `${limit}: the quote that opens ${cell} is not closed within them; only the first line was rejected`
          : limit;
      }
      default:
        return ending === rowEndings.afterClosingQuote
          ? `text stands after the closing quote of ${cell}, where a delimiter or a line end was expected`
          : `the quote that opens ${cell} is never closed; only the first line was rejected`;
    }
  }

  #word(address: number, row: number): number {
    return this.kernel.words[address / 4 + row]!;
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
