import type { FieldRequest } from "../batch/batch.js";
import { Column } from "../batch/column.js";
import { FieldTable } from "../batch/field-table.js";
import { type Kernel, LOOSE_BYTES, Region, storeU32s } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { pairsLayout } from "../batch/layouts.js";
import { CellTarget } from "./cell-target.js";
import type { PairsSource } from "./mapping.js";
import type { MemberTrace, ObjectTarget } from "./object-target.js";

/**
 * Bytes of records and slots (src/kernels/mapping/pairs.ts) for each byte of a list: a pair has at least
 * 8 bytes, its record 28, and its slots fewer than 16.
 */
const RECORD_FACTOR = 4;
const SLOT_FACTOR = 2;

/** Output has a member's bytes at most twice: if one field is both name and value. */
const OUTPUT_FACTOR = 2;

/** Builds an object from a list of pairs, one list at a time, all in kernel memory. */
export class ObjectOfPairs implements ObjectTarget {
  readonly column: Column;
  readonly #kernel: Kernel;
  readonly #lists: CellTarget;
  readonly #fields: FieldTable;
  readonly #pairs: KernelRecord<keyof typeof pairsLayout.words>;
  readonly #scratch: Region;
  readonly #kept: Region;
  readonly #records: Region;
  readonly #slots: Region;
  readonly #output: Region;

  constructor(
    kernel: Kernel,
    private readonly target: PairsSource,
    private readonly indexes: readonly number[],
  ) {
    const { keys, values } = target;
    this.#kernel = kernel;
    this.#lists = new CellTarget(kernel, target.lists, indexes, { emptyIsNull: true });
    this.#fields = new FieldTable(kernel, requestsOf(target), 1);
    const { columns } = this.#fields;
    const addresses = columns.map(({ address }) => address);
    // Keys and values have two columns each: the text and the JSON.
    const table = storeU32s(kernel, addresses);
    const flags = storeU32s(
      kernel,
      values.map(({ isNumber }) => (isNumber ? 1 : 0)),
    );
    this.#pairs = new KernelRecord(kernel, pairsLayout);
    this.#pairs.set("node", this.#fields.root);
    this.#pairs.set("table", table);
    this.#pairs.set("keyCount", keys.length);
    this.#pairs.set("valueCount", values.length);
    this.#pairs.set("flags", flags);
    const region = () => new Region(kernel, LOOSE_BYTES);
    this.#scratch = region();
    this.#kept = region();
    this.#records = region();
    this.#slots = region();
    this.#output = region();
    this.column = new Column(kernel);
  }

  take(columns: readonly Column[], rows: number, outcomes: number, code: number): void {
    const { run } = this.#kernel;
    this.#lists.take(columns, rows);
    const lists = this.#lists.column.address;
    const longest = run.longestCell(outcomes, lists, rows);
    // A list in a JSON string is unescaped before it is parsed.
    this.#scratch.ensure(longest * (this.#fields.scratchFactor + 1) + LOOSE_BYTES);
    this.#kept.ensure(longest + LOOSE_BYTES);
    this.#records.ensure(longest * RECORD_FACTOR + LOOSE_BYTES);
    this.#slots.ensure(longest * SLOT_FACTOR + LOOSE_BYTES);
    this.#output.ensure(run.cellBytes(outcomes, lists, rows) * OUTPUT_FACTOR + LOOSE_BYTES);
    this.#pairs.set("scratch", this.#scratch.address);
    this.#pairs.set("kept", this.#kept.address);
    this.#pairs.set("records", this.#records.address);
    this.#pairs.set("slots", this.#slots.address);
    run.buildObjectsOfPairs(
      this.#pairs.address,
      outcomes,
      this.column.address,
      lists,
      rows,
      code,
      this.#output.address,
    );
  }

  trace(columns: readonly Column[], row: number): readonly MemberTrace[] {
    const { lists, keys, values } = this.target;
    const choice = this.#lists.choice(columns, row);
    const list = choice === undefined ? undefined : lists[choice];
    if (choice === undefined || list === undefined) return [];
    const text = (columns[this.indexes[choice] as number] as Column).text(row);
    const elements = parsed(text);
    if (!Array.isArray(elements)) return [];
    const byName = new Map<string, MemberTrace>();
    elements.forEach((element: unknown, index) => {
      const hasValue = ({ path }: PairPaths) => (valueAt(element, path) ?? null) !== null;
      const key = keys.find(hasValue);
      const value = values.find(hasValue);
      const name = key && valueAt(element, key.path);
      if (typeof name !== "string" || value === undefined) return;
      const from = [...list.path, String(index), ...value.path];
      byName.set(name, { from, to: [name] });
    });
    return [...byName.values()];
  }
}

type PairPaths = { readonly path: readonly string[] };

/** Returns the value at a path; texts that hold JSON are entered, as by readers. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const step of path) {
    const object = typeof inner === "string" ? parsed(inner) : inner;
    if (typeof object !== "object" || object === null || !Object.hasOwn(object, step)) return null;
    inner = (object as Record<string, unknown>)[step];
  }
  return inner;
}

/** Parses JSON, and JSON within a text of JSON; undefined if it is none. */
function parsed(text: string | undefined): unknown {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return undefined;
  }
}

function requestsOf({ keys, values }: PairsSource): readonly FieldRequest[] {
  return [...keys, ...values].flatMap(({ path }): FieldRequest[] => [
    { path, form: "text" },
    { path, form: "json" },
  ]);
}
