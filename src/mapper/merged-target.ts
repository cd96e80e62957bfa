import { Column } from "../batch/column.js";
import { type Kernel, LOOSE_BYTES, Region, storeText, storeU32s } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { mergeLayout, mergeMemberLayout } from "../batch/layouts.js";
import type { MemberTrace, ObjectTarget } from "./object-target.js";

/** A member has at least 5 bytes, as in `"":0,`; it takes a record, and less than 16 bytes of slots. */
const MEMBER_BYTES_MIN = 5;
const SLOT_BYTES_MAX = 16;

/** Bytes of `starts`; as in src/kernels/mapping/merge.ts. */
const STARTS_BYTES = 512;

/** Merges the objects of several parts; members of later parts give way to those of earlier ones. */
export class MergedObject implements ObjectTarget {
  readonly column: Column;
  readonly #kernel: Kernel;
  readonly #parts: readonly ObjectTarget[];
  readonly #merge: KernelRecord<keyof typeof mergeLayout.words>;
  readonly #members: Region;
  readonly #slots: Region;
  readonly #names: Region;
  readonly #output: Region;
  #collisions = 0;

  /** `names` has the names of the members of each part; undefined for parts with any names. */
  constructor(
    kernel: Kernel,
    parts: readonly ObjectTarget[],
    names: readonly (readonly string[] | undefined)[],
  ) {
    this.#kernel = kernel;
    this.#parts = parts;
    this.#merge = new KernelRecord(kernel, mergeLayout);
    const columns = parts.map(({ column }) => column.address);
    this.#merge.set("parts", storeU32s(kernel, columns));
    this.#merge.set("partCount", parts.length);
    this.#noteNames(names.slice(1));
    const region = () => new Region(kernel, LOOSE_BYTES);
    this.#members = region();
    this.#slots = region();
    this.#names = region();
    this.#output = region();
    this.column = new Column(kernel);
  }

  get collisions(): number {
    return this.#collisions;
  }

  take(columns: readonly Column[], rows: number, outcomes: number, code: number): void {
    const { run } = this.#kernel;
    for (const part of this.#parts) part.take(columns, rows, outcomes, code);
    const addresses = this.#parts.map(({ column }) => column.address);
    const sum = (bytesOf: (column: number) => number) =>
      addresses.reduce((total, column) => total + bytesOf(column), LOOSE_BYTES);
    const longest = sum((column) => run.longestCell(outcomes, column, rows));
    const members = Math.ceil(longest / MEMBER_BYTES_MIN);
    this.#members.ensure(members * mergeMemberLayout.bytes);
    this.#slots.ensure(members * SLOT_BYTES_MAX);
    this.#names.ensure(longest);
    this.#output.ensure(sum((column) => run.cellBytes(outcomes, column, rows)));
    this.#merge.set("members", this.#members.address);
    this.#merge.set("slots", this.#slots.address);
    this.#merge.set("names", this.#names.address);
    this.#merge.set("collisions", 0);
    const { address } = this.#merge;
    run.mergeObjects(address, outcomes, this.column.address, rows, this.#output.address);
    this.#collisions += this.#merge.get("collisions");
  }

  trace(columns: readonly Column[], row: number): readonly MemberTrace[] {
    const won = new Map<string, { readonly part: number; readonly isNull: boolean }>();
    const objects = this.#parts.map(({ column }) => membersOf(column.text(row)));
    objects.forEach((members, part) => {
      for (const [name, value] of members) {
        if (won.get(name)?.isNull !== false && (value !== null || !won.has(name))) {
          won.set(name, { part, isNull: value === null });
        }
      }
    });
    const traces = this.#parts.map((part) => part.trace(columns, row));
    // One step is enough for all members of the last object, as those of other parts have their own.
    const last = traces.findLastIndex((steps) => steps.some(({ to }) => to.length === 0));
    return traces.flatMap((steps, part) => {
      const names = [...won.keys()].filter((name) => won.get(name)?.part === part);
      return steps.flatMap(({ from, to }): readonly MemberTrace[] => {
        if (part === last) return [{ from, to }];
        if (to.length > 0) return names.includes(to[0] ?? "") ? [{ from, to }] : [];
        return names.map((name) => ({ from: [...from, name], to: [name] }));
      });
    });
  }

  /** Enables the fast path if the later parts have known names that do not repeat. */
  #noteNames(later: readonly (readonly string[] | undefined)[]): void {
    const names = later.flatMap((part) => part ?? [""]);
    const tokens = names.map((name) => JSON.stringify(name));
    const arePlain = tokens.every((token, index) => token === `"${names[index]}"`);
    if (!arePlain || names.some((name) => name.length < 2)) return;
    if (new Set(names).size < names.length) return;
    const starts = this.#kernel.allocate(STARTS_BYTES);
    this.#kernel.bytes.fill(0, starts, starts + STARTS_BYTES);
    this.#merge.set("starts", starts);
    for (const token of tokens) {
      const { address } = storeText(this.#kernel, token);
      this.#kernel.run.noteLaterName(this.#merge.address, address + 1);
    }
  }
}

/** Returns the names and values of an object; none if it is null or has no valid text. */
function membersOf(text: string | undefined): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(JSON.parse(text ?? "{}") as object);
  } catch {
    return [];
  }
}
