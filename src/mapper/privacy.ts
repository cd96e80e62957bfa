import type { EventBatch } from "../batch/event-batch.js";
import {
  type Kernel,
  type KernelConstant,
  LOOSE_BYTES,
  Region,
  storeText,
  storeU32s,
} from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { ruleLayout } from "../batch/layouts.js";
import type { PrivacyPaths } from "./mapper-options.js";
import {
  checkPrivacy,
  type IdColumn,
  type ObjectColumn,
  type PrivacyPath,
  parsePrivacyPath,
  shortenIdPath,
} from "./privacy-path.js";

/** Hexadecimal digits of a SHA-256, without and with quotes. */
const HASH_BYTES = 64;
const QUOTED_HASH_BYTES = 66;

/** The actions on a path, in the order of their numbers in src/kernels/mapping/privacy.ts. */
export const privacyActions = ["drop", "hash", "cut_query"] as const;

type PrivacyAction = (typeof privacyActions)[number];

/** The action for one path of the event. */
interface PrivacyRule extends PrivacyPath {
  readonly action: PrivacyAction;
  /** Address of the rule in kernel memory. */
  readonly address: number;
}

/** Drops, hashes and cuts paths of events in place, also of events that a transform returned. */
export class Privacy {
  readonly droppedIds: ReadonlySet<string>;
  readonly #kernel: Kernel;
  readonly #rules: readonly PrivacyRule[];
  readonly #scratch: Region;
  /** Holds the salt and the value to hash. */
  readonly #message: Region;
  readonly #saltBytes: number;
  /** Two for each column of objects: a rule reads the output of the rule before it. */
  readonly #objects: Readonly<Record<ObjectColumn, [Region, Region]>>;
  readonly #cells: Readonly<Record<IdColumn | "value", Region>>;

  /** Throws `UsageError` for an unknown path, and for hashes without a salt. */
  constructor(kernel: Kernel, paths: PrivacyPaths) {
    this.#kernel = kernel;
    checkPrivacy(paths);
    const salt = storeText(kernel, paths.salt ?? "");
    // Drops come first: a path in both lists is dropped.
    this.#rules = [
      ...distinctPaths(paths.drop).map((path) => this.#createRule(path, "drop", salt)),
      // A value that is cut and hashed has the hash of what is left.
      ...distinctPaths(paths.cutQuery ?? []).map((path) =>
        this.#createRule(path, "cut_query", salt),
      ),
      ...distinctPaths(paths.hash).map((path) => this.#createRule(path, "hash", salt)),
    ];
    this.droppedIds = new Set(
      this.#rules.flatMap(({ action, cells }) =>
        action !== "drop" || cells === undefined || cells === "value" ? [] : [cells],
      ),
    );
    const region = () => new Region(kernel, LOOSE_BYTES);
    this.#scratch = region();
    this.#message = region();
    this.#saltBytes = salt.length;
    this.#objects = { user: [region(), region()], metadata: [region(), region()] };
    this.#cells = { userID: region(), stableID: region(), value: region() };
  }

  /** Applies all rules. Rows that lose all their ids are rejected as `unit_id_missing`. */
  apply(events: EventBatch): void {
    const { rows, outcomes } = events;
    const { run } = this.#kernel;
    for (const { cells, action, address } of this.#rules) {
      if (cells === undefined) continue;
      if (action === "hash") this.#hashCells(events, cells, address);
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

  /** Allocates kernel memory for keys and values of up to `bytes`. */
  #makeRoom(rule: number, bytes: number): void {
    this.#scratch.ensure(bytes + LOOSE_BYTES);
    this.#message.ensure(this.#saltBytes + bytes + LOOSE_BYTES);
    const { u32 } = this.#kernel;
    u32[rule / 4 + ruleLayout.words.scratch] = this.#scratch.address;
    u32[rule / 4 + ruleLayout.words.message] = this.#message.address;
  }

  #createRule(path: string, action: PrivacyAction, salt: KernelConstant): PrivacyRule {
    const parsed = parsePrivacyPath(path);
    return { ...parsed, action, address: storeRule(this.#kernel, parsed.names, action, salt) };
  }
}

/** Returns each path once, ids by their short names: hashing twice gives another hash. */
function distinctPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(shortenIdPath))];
}

/** Stores a rule in kernel memory; `makeRoom` sets its buffers. */
function storeRule(
  kernel: Kernel,
  names: readonly string[],
  action: PrivacyAction,
  salt: KernelConstant,
): number {
  const text = storeText(kernel, names.join("."));
  let start = text.address;
  const steps = names.flatMap((name) => {
    const length = Buffer.byteLength(name);
    const step = [start, length];
    start += length + 1;
    return step;
  });
  return placeRecord(kernel, ruleLayout, {
    steps: storeU32s(kernel, steps),
    textEnd: text.address + text.length,
    action: privacyActions.indexOf(action),
    salt: salt.address,
    saltLength: salt.length,
    scratch: 0,
    message: 0,
  });
}
