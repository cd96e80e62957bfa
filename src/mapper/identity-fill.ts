import { BATCH_ROWS_MAX } from "../base/limits.js";
import { type Column, cellKinds } from "../batch/column.js";
import { outcomes } from "../batch/event-batch.js";
import { ID_ENTRY_ROW, ID_ENTRY_WORDS, IdDigests } from "../batch/id-digests.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { IdentityTable, type SharedIdentity } from "./identity-table.js";

/** Fills user ids that are null from a table anonymous id → user id. */
export class IdentityFill {
  /** Rows that got their user id from the table. */
  filled = 0;
  readonly #kernel: Kernel;
  readonly #table: IdentityTable;
  readonly #userID: Column;
  readonly #stableID: Column;
  readonly #digests: IdDigests;
  readonly #wanted: number;
  readonly #texts: Region;
  /** The found texts, before kernel memory has room for them. */
  #found = new Uint8Array(2 ** 16);
  /** Row and length of each found text. */
  readonly #places = new Uint32Array(2 * BATCH_ROWS_MAX);

  constructor(kernel: Kernel, identity: SharedIdentity, userID: Column, stableID: Column) {
    this.#kernel = kernel;
    this.#table = new IdentityTable(identity);
    this.#userID = userID;
    this.#stableID = stableID;
    this.#digests = new IdDigests(kernel, [stableID]);
    this.#wanted = kernel.allocate(BATCH_ROWS_MAX);
    this.#texts = new Region(kernel, 0);
  }

  /** Fills the rows whose outcome is still to deliver. The texts are valid until the next call. */
  apply(rowOutcomes: number, rows: number): void {
    if (this.#markWanted(rowOutcomes, rows) === 0) return;
    const entries = this.#digests.take(this.#wanted, rows);
    const places = this.#places;
    let count = 0;
    let bytes = 0;
    for (let entry = 0; entry < entries.length; entry += ID_ENTRY_WORDS) {
      if (!this.#table.find(entries, entry)) continue;
      const { start, length } = this.#table;
      this.#makeRoom(bytes + length);
      const source = this.#table.bytes;
      for (let byte = 0; byte < length; byte++) this.#found[bytes + byte] = source[start + byte]!;
      places[2 * count] = entries[entry + ID_ENTRY_ROW]!;
      places[2 * count + 1] = length;
      count++;
      bytes += length;
    }
    this.#write(count, bytes);
    this.filled += count;
  }

  /** Marks rows with a device and without a user by the outcome that is digested; returns their number. */
  #markWanted(rowOutcomes: number, rows: number): number {
    const { bytes } = this.#kernel;
    const users = this.#userID.kinds;
    const devices = this.#stableID.kinds;
    const wanted = this.#wanted;
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const isWanted =
        bytes[users + row] === cellKinds.null &&
        bytes[devices + row] !== cellKinds.null &&
        bytes[rowOutcomes + row] === outcomes.deliver;
      bytes[wanted + row] = isWanted ? outcomes.deliver : outcomes.filtered;
      if (isWanted) count++;
    }
    return count;
  }

  #write(count: number, bytes: number): void {
    this.#texts.ensure(bytes);
    let start = this.#texts.address;
    this.#kernel.bytes.set(this.#found.subarray(0, bytes), start);
    for (let index = 0; index < count; index++) {
      const length = this.#places[2 * index + 1]!;
      this.#userID.set(this.#places[2 * index]!, cellKinds.string, start, length);
      start += length;
    }
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#found.length) return;
    const before = this.#found;
    this.#found = new Uint8Array(Math.max(bytes, 2 * before.length));
    this.#found.set(before);
  }
}
