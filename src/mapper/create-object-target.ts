import { Column, cellKinds } from "../batch/column.js";
import { type Kernel, LOOSE_BYTES, Region, storeText } from "../batch/kernel.js";
import { writeWords } from "../batch/kernel-record.js";
import { objectMemberLayout } from "../batch/layouts.js";
import { CellTarget } from "./cell-target.js";
import { partsOf } from "./field-plan.js";
import type { FieldSource } from "./field-schemas.js";
import type { MemberSource, ObjectPart, ObjectSource } from "./mapping.js";
import { MergedObject } from "./merged-target.js";
import type { MemberTrace, ObjectTarget } from "./object-target.js";
import { ObjectOfPairs } from "./pairs-target.js";

/** `indexes` are those of the columns of each part. */
export function createObjectTarget(
  kernel: Kernel,
  target: ObjectSource,
  indexes: readonly (readonly number[])[],
): ObjectTarget {
  const parts = partsOf(target).map((part, index) =>
    createPart(kernel, part, indexes[index] ?? []),
  );
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const names = partsOf(target).map((part) =>
    part.kind === "fields" ? part.fields.map(({ name }) => name) : undefined,
  );
  return new MergedObject(kernel, parts, names);
}

function createPart(kernel: Kernel, target: ObjectPart, indexes: readonly number[]): ObjectTarget {
  switch (target.kind) {
    case "choices":
      return new ObjectCells(kernel, target.choices, indexes);
    case "rest":
      return new ObjectCells(kernel, [{ path: target.path }], indexes);
    case "fields":
      return new ObjectOfFields(kernel, target.fields, indexes);
    case "pairs":
      return new ObjectOfPairs(kernel, target, indexes);
  }
}

const empty = { emptyIsNull: true } as const;

class ObjectCells implements ObjectTarget {
  readonly column: Column;
  readonly #cells: CellTarget;
  readonly #scratch: Region;

  constructor(
    private readonly kernel: Kernel,
    private readonly choices: readonly FieldSource[],
    indexes: readonly number[],
  ) {
    this.#cells = new CellTarget(kernel, choices, indexes, empty);
    this.column = this.#cells.column;
    this.#scratch = new Region(kernel, LOOSE_BYTES);
  }

  take(columns: readonly Column[], rows: number, outcomes: number, code: number): void {
    const { run } = this.kernel;
    this.#cells.take(columns, rows);
    this.#scratch.ensure(run.quotedBytes(outcomes, this.column.address, rows) + LOOSE_BYTES);
    run.checkObjects(outcomes, this.column.address, rows, code, this.#scratch.address);
  }

  trace(columns: readonly Column[], row: number): readonly MemberTrace[] {
    const choice = this.#cells.choice(columns, row);
    const source = choice === undefined ? undefined : this.choices[choice];
    return source === undefined ? [] : [{ from: source.path, to: [] }];
  }
}

class ObjectOfFields implements ObjectTarget {
  readonly column: Column;
  readonly #output: Region;
  readonly #keys: readonly { readonly address: number; readonly length: number }[];
  readonly #table: number;
  readonly #frameBytes: number;

  constructor(
    private readonly kernel: Kernel,
    private readonly members: readonly MemberSource[],
    private readonly indexes: readonly number[],
  ) {
    this.#keys = members.map(({ name }) => storeText(kernel, `${JSON.stringify(name)}:`));
    this.#table = kernel.allocate(members.length * objectMemberLayout.bytes);
    this.#frameBytes = this.#keys.reduce((sum, key) => sum + key.length + 1, 2);
    this.#output = new Region(kernel, LOOSE_BYTES);
    this.column = new Column(kernel);
  }

  take(columns: readonly Column[], rows: number, outcomes: number): void {
    const { run } = this.kernel;
    let bytes = rows * this.#frameBytes + LOOSE_BYTES;
    this.#keys.forEach((key, index) => {
      const { address } = columns[this.indexes[index] as number] as Column;
      bytes += run.cellBytes(outcomes, address, rows);
      const member = this.#table + index * objectMemberLayout.bytes;
      const values = { column: address, key: key.address, keyLength: key.length };
      writeWords(this.kernel, objectMemberLayout, member, values);
    });
    this.#output.ensure(bytes);
    run.buildObjects(
      outcomes,
      this.column.address,
      this.#table,
      this.#keys.length,
      rows,
      this.#output.address,
    );
  }

  trace(columns: readonly Column[], row: number): readonly MemberTrace[] {
    const isThere = (index: number) =>
      (columns[this.indexes[index] as number] as Column).kind(row) !== cellKinds.null;
    return this.members
      .filter((_, index) => isThere(index))
      .map(({ path, name }) => ({ from: path, to: [name] }));
  }
}
