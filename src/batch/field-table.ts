import { BATCH_ROWS_MAX } from "../base/limits.js";
import type { FieldRequest } from "./batch.js";
import { Column } from "./column.js";
import { type Kernel, Region } from "./kernel.js";
import { writeWords } from "./kernel-record.js";
import { nodeEntryLayout, nodeLayout, shapeMemberLayout } from "./layouts.js";

/** A node of the request tree: the wanted members of one object. */
interface Branch {
  readonly members: Map<string, TableMember>;
  rest: Column | undefined;
  readonly except: Set<string>;
}

interface TableMember {
  text: Column | undefined;
  json: Column | undefined;
  branch: Branch | undefined;
}

/** Members that a node remembers of its previous objects: `ShapeMember`s in json-shape.ts. */
const SHAPE_MEMBERS_MAX = 64;
const REMEMBERED_BYTES_MAX = 64;
const SHAPE_BYTES = SHAPE_MEMBERS_MAX * (shapeMemberLayout.bytes + REMEMBERED_BYTES_MAX);

/**
 * Field requests as the tree that the JSON kernels walk, in kernel memory, with a column for each
 * request. A request for the row itself (path `[]`) in any form is a `rest` without exceptions.
 */
export class FieldTable {
  /** Address of the root node. */
  readonly root: number;
  readonly columns: readonly Column[];
  /** Scratch bytes that a byte of a scanned row may take. */
  readonly scratchFactor: number;
  readonly #kernel: Kernel;
  readonly #blocks: number[] = [];

  constructor(kernel: Kernel, requests: readonly FieldRequest[], rowsMax = BATCH_ROWS_MAX) {
    this.#kernel = kernel;
    const top = createBranch();
    this.columns = requests.map((request) =>
      columnFor(top, request, () => new Column(kernel, rowsMax)),
    );
    const rests = requests.filter(({ form, path }) => form === "rest" || path.length === 0);
    const levels = Math.max(0, ...requests.map(({ path }) => path.length));
    // At every level, including the cells' own, a text may be unescaped twice.
    this.scratchFactor = 2 + rests.length + 2 * levels;
    this.root = this.#write(top).address;
  }

  free(): void {
    for (const column of new Set(this.columns)) column.free();
    for (const address of this.#blocks) this.#kernel.free(address);
  }

  /** Writes a branch and all below it; returns the address of its node and its columns. */
  #write(branch: Branch): { address: number; columns: Set<Column> } {
    const columns = new Set<Column>(branch.rest === undefined ? [] : [branch.rest]);
    const entries = [...branch.members].map(([name, member]) => {
      const child = member.branch === undefined ? undefined : this.#write(member.branch);
      for (const column of [member.text, member.json, ...(child?.columns ?? [])]) {
        if (column !== undefined) columns.add(column);
      }
      return { key: encoder.encode(name), member, child: child?.address ?? 0, name };
    });
    const entriesAddress = this.#allocate(entries.length * nodeEntryLayout.bytes);
    let keyLengths = 0n;
    entries.forEach(({ key, member, child, name }, index) => {
      const entry = entriesAddress + index * nodeEntryLayout.bytes;
      const keyAddress = this.#allocate(key.length);
      this.#kernel.bytes.set(key, keyAddress);
      this.#kernel.bytes.fill(0, entry, entry + nodeEntryLayout.bytes);
      this.#kernel.bytes.set(key.subarray(0, 8), entry + nodeEntryLayout.longs.prefix * 8);
      writeWords(this.#kernel, nodeEntryLayout, entry, {
        key: keyAddress,
        keyLength: key.length,
        text: member.text?.address ?? 0,
        json: member.json?.address ?? 0,
        child,
        excepted: branch.except.has(name) ? 1 : 0,
      });
      keyLengths |= 1n << BigInt(Math.min(key.length, 63));
    });
    const address = this.#allocate(nodeLayout.bytes);
    const columnsAddress = this.#allocate(columns.size * 4);
    const shapeAddress = this.#allocate(SHAPE_BYTES);
    this.#kernel.bytes.fill(0, shapeAddress, shapeAddress + SHAPE_BYTES);
    this.#kernel.u32.set(
      [...columns].map((column) => column.address),
      columnsAddress / 4,
    );
    this.#kernel.longs[address / 8 + nodeLayout.longs.keyLengths] = keyLengths;
    writeWords(this.#kernel, nodeLayout, address, {
      entries: entriesAddress,
      entryCount: entries.length,
      rest: branch.rest?.address ?? 0,
      columns: columnsAddress,
      columnCount: columns.size,
      shape: shapeAddress,
    });
    return { address, columns };
  }

  #allocate(bytes: number): number {
    const address = this.#kernel.allocate(bytes);
    this.#blocks.push(address);
    return address;
  }
}

const encoder = new TextEncoder();

function createBranch(): Branch {
  return { members: new Map(), rest: undefined, except: new Set() };
}

/** The column of a request; equal requests share one. */
function columnFor(top: Branch, request: FieldRequest, createColumn: () => Column): Column {
  const { path, form } = request;
  const last = path.at(-1);
  if (form === "rest" || last === undefined) {
    const branch = path.reduce(descend, top);
    for (const name of request.except ?? []) {
      branch.except.add(name);
      memberOf(branch, name);
    }
    branch.rest ??= createColumn();
    return branch.rest;
  }
  const member = memberOf(path.slice(0, -1).reduce(descend, top), last);
  member[form] ??= createColumn();
  return member[form];
}

function memberOf(branch: Branch, name: string): TableMember {
  let member = branch.members.get(name);
  if (member === undefined) {
    member = { text: undefined, json: undefined, branch: undefined };
    branch.members.set(name, member);
  }
  return member;
}

function descend(branch: Branch, name: string): Branch {
  const member = memberOf(branch, name);
  member.branch ??= createBranch();
  return member.branch;
}

/**
 * Extracts fields from columns whose cells are JSON objects, or text of a JSON object. Tabular readers
 * use it for paths that continue inside a cell. Other cells give null. Paths are relative to the cell; a
 * `rest` with path `[]` is the whole object of the cell.
 */
export class ObjectFields {
  readonly #table: FieldTable;
  readonly #scratch: Region;
  readonly #kept: Region;

  constructor(
    private readonly kernel: Kernel,
    requests: readonly FieldRequest[],
  ) {
    this.#table = new FieldTable(kernel, requests);
    this.#scratch = new Region(kernel, 0);
    this.#kept = new Region(kernel, 0);
  }

  /** Returns one column for each request, valid until the next call. */
  extract(cells: Column, rows: number): readonly Column[] {
    const bytes = cells.totalBytes(rows);
    this.#scratch.ensure(bytes * this.#table.scratchFactor);
    this.#kept.ensure(bytes);
    this.kernel.run.setScratch(this.#scratch.address, this.#kept.address);
    this.kernel.run.scanCells(cells.address, rows, this.#table.root);
    return this.#table.columns;
  }

  free(): void {
    this.#table.free();
    this.#scratch.free();
    this.#kept.free();
  }
}
