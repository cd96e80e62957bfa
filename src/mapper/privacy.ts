import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { ruleLayout } from "../batch/layouts.js";
import { type KernelConstant, placeText, placeWords } from "./kernel-constant.js";
import type { PrivacyPaths } from "./mapper-options.js";
import {
  checkPrivacy,
  type IdColumn,
  type ObjectColumn,
  type PrivacyPath,
  parsePrivacyPath,
  shortenIdPath,
} from "./privacy-path.js";

const LOOSE_BYTES = 64;
/** Hexadecimal digits of a SHA-256, and with quotes. */
const HASH_BYTES = 64;
const QUOTED_HASH_BYTES = 66;

/** What happens at one path of the event. */
interface Rule extends PrivacyPath {
  readonly hashes: boolean;
  /** Address of the rule for kernels. */
  readonly address: number;
}

/** Drops and hashes paths of events, in place, also where an event was made by a transform. */
export class Privacy {
  readonly droppedIds: ReadonlySet<string>;
  readonly #kernel: Kernel;
  readonly #rules: readonly Rule[];
  readonly #scratch: Region;
  /** Of a value that is hashed, behind the salt. */
  readonly #message: Region;
  readonly #saltBytes: number;
  /** Two for each column of objects: a rule reads what the one before it wrote. */
  readonly #objects: Readonly<Record<ObjectColumn, [Region, Region]>>;
  readonly #cells: Readonly<Record<IdColumn | "value", Region>>;

  /** Throws `UsageError` for a path that no event has, and for hashes without a salt. */
  constructor(kernel: Kernel, paths: PrivacyPaths) {
    this.#kernel = kernel;
    checkPrivacy(paths);
    const salt = placeText(kernel, paths.salt ?? "");
    // Drops come first: of a path that is named in both lists nothing is left.
    this.#rules = [
      ...distinctPaths(paths.drop).map((path) => this.#createRule(path, false, salt)),
      ...distinctPaths(paths.hash).map((path) => this.#createRule(path, true, salt)),
    ];
    this.droppedIds = new Set(
      this.#rules.flatMap(({ hashes, cells }) =>
        hashes || cells === undefined || cells === "value" ? [] : [cells],
      ),
    );
    const region = () => new Region(kernel, LOOSE_BYTES);
    this.#scratch = region();
    this.#message = region();
    this.#saltBytes = salt.length;
    this.#objects = { user: [region(), region()], metadata: [region(), region()] };
    this.#cells = { userID: region(), stableID: region(), value: region() };
  }

  /** Rows that lose all their ids are rejected as `unit_id_missing`. */
  apply(events: EventBatch): void {
    const { rows, outcomes } = events;
    const { run } = this.#kernel;
    for (const { cells, hashes, address } of this.#rules) {
      if (cells === undefined) continue;
      if (hashes) this.#hashCells(events, cells, address);
      else run.clearCells(events[cells].address, rows);
    }
    if (this.droppedIds.size > 0) {
      run.requireId(outcomes, events.userID.address, events.stableID.address, rows);
    }
    for (const { objects, address } of this.#rules) {
      if (objects !== undefined) this.#redact(events, objects, address);
    }
  }

  #hashCells(events: EventBatch, name: IdColumn | "value", rule: number): void {
    const { rows, outcomes } = events;
    const column = events[name].address;
    this.#makeRoom(rule, this.#kernel.run.cellBytes(outcomes, column, rows));
    const output = this.#cells[name];
    if (name === "value") {
      output.ensure(rows * QUOTED_HASH_BYTES + LOOSE_BYTES);
      this.#kernel.run.hashTokens(rule, outcomes, column, rows, output.address);
    } else {
      output.ensure(rows * HASH_BYTES + LOOSE_BYTES);
      this.#kernel.run.hashTexts(rule, outcomes, column, rows, output.address);
    }
  }

  #redact(events: EventBatch, name: ObjectColumn, rule: number): void {
    const { rows, outcomes } = events;
    const { run } = this.#kernel;
    const column = events[name].address;
    this.#makeRoom(rule, run.cellBytes(outcomes, column, rows));
    const [output, other] = this.#objects[name];
    output.ensure(run.redactedBytes(rule, outcomes, column, rows) + LOOSE_BYTES);
    run.redactObjects(rule, outcomes, column, rows, output.address);
    this.#objects[name][0] = other;
    this.#objects[name][1] = output;
  }

  /** Makes room in kernel memory for keys and values of up to `bytes`. */
  #makeRoom(rule: number, bytes: number): void {
    this.#scratch.ensure(bytes + LOOSE_BYTES);
    this.#message.ensure(this.#saltBytes + bytes + LOOSE_BYTES);
    const { u32 } = this.#kernel;
    u32[rule / 4 + ruleLayout.words.scratch] = this.#scratch.address;
    u32[rule / 4 + ruleLayout.words.message] = this.#message.address;
  }

  #createRule(path: string, hashes: boolean, salt: KernelConstant): Rule {
    const place = parsePrivacyPath(path);
    return { ...place, hashes, address: placeRule(this.#kernel, place.names, hashes, salt) };
  }
}

/** Each path once, and an id always by its short name: hashing twice would be another hash. */
function distinctPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(shortenIdPath))];
}

/** Puts a rule into kernel memory; `makeRoom` adds what it works in. */
function placeRule(
  kernel: Kernel,
  names: readonly string[],
  hashes: boolean,
  salt: KernelConstant,
): number {
  const text = placeText(kernel, names.join("."));
  let start = text.address;
  const steps = names.flatMap((name) => {
    const length = Buffer.byteLength(name);
    const step = [start, length];
    start += length + 1;
    return step;
  });
  return placeRecord(kernel, ruleLayout, {
    steps: placeWords(kernel, steps),
    textEnd: text.address + text.length,
    hashes: hashes ? 1 : 0,
    salt: salt.address,
    saltLength: salt.length,
    scratch: 0,
    message: 0,
  });
}
