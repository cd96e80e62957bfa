import { UsageError } from "../base/errors.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { placeText, placeWords } from "./kernel-constant.js";
import type { PrivacyPaths } from "./mapper-options.js";

const LOOSE_BYTES = 64;
/** Hexadecimal digits of a SHA-256, and with quotes. */
const HASH_BYTES = 64;
const QUOTED_HASH_BYTES = 66;

/** Word of a rule that holds the address of its scratch (`Rule` in src/kernels/privacy.ts). */
const SCRATCH_WORD = 5;

type IdColumn = "userID" | "stableID";
type ObjectColumn = "user" | "metadata";

/** What happens at one path of the event, resolved to columns. */
interface Rule {
  readonly hashes: boolean;
  /** Address of the rule for kernels. */
  readonly address: number;
  /** The column whose whole cells it is about. */
  readonly cells: IdColumn | "value" | undefined;
  /** The column inside whose objects it is about. */
  readonly objects: ObjectColumn | undefined;
}

/** Drops and hashes paths of events, in place, also where an event was made by a transform. */
export class Privacy {
  readonly droppedIds: ReadonlySet<string>;
  readonly #kernel: Kernel;
  readonly #rules: readonly Rule[];
  readonly #scratch: Region;
  /** Two for each column of objects: a rule reads what the one before it wrote. */
  readonly #objects: Readonly<Record<ObjectColumn, [Region, Region]>>;
  readonly #cells: Readonly<Record<IdColumn | "value", Region>>;

  /** Throws `UsageError` for a path that no event has, and for hashes without a salt. */
  constructor(kernel: Kernel, paths: PrivacyPaths) {
    this.#kernel = kernel;
    if (paths.hash.length > 0 && !paths.salt) {
      throw new UsageError(
        "salt_missing",
        "Hashing needs a salt: without one, ids can be found out by trying. " +
          "Give a secret that stays the same from run to run.",
      );
    }
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
    this.#scratch.ensure(run.cellBytes(outcomes, column, rows) + LOOSE_BYTES);
    this.#kernel.words[rule / 4 + SCRATCH_WORD] = this.#scratch.address;
    const [output, other] = this.#objects[name];
    output.ensure(run.redactedBytes(rule, outcomes, column, rows) + LOOSE_BYTES);
    run.redactObjects(rule, outcomes, column, rows, output.address);
    this.#objects[name][0] = other;
    this.#objects[name][1] = output;
  }

  #createRule(path: string, hashes: boolean, salt: { address: number; length: number }): Rule {
    const steps = path.split(".");
    const [root, ...names] = steps;
    if (steps.includes("")) throw unknownPath(path);
    const place = (inside: readonly string[]) => placeRule(this.#kernel, inside, hashes, salt);
    if (root === "value" && names.length === 0) {
      return { hashes, address: place(["value"]), cells: "value", objects: undefined };
    }
    if (path === "userID" || path === "stableID") {
      return { hashes, address: place([path]), cells: path, objects: "user" };
    }
    if ((root === "user" || root === "metadata") && names.length > 0) {
      return { hashes, address: place(names), cells: undefined, objects: root };
    }
    throw unknownPath(path);
  }
}

/** Each path once, and an id always by its short name: hashing twice would be another hash. */
function distinctPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => path.replace(/^user\.(userID|stableID)$/, "$1")))];
}

/** Puts a rule into kernel memory as src/kernels/privacy.ts has it, without its scratch. */
function placeRule(
  kernel: Kernel,
  names: readonly string[],
  hashes: boolean,
  salt: { readonly address: number; readonly length: number },
): number {
  const text = placeText(kernel, names.join("."));
  let start = text.address;
  const steps = names.flatMap((name) => {
    const length = Buffer.byteLength(name);
    const step = [start, length];
    start += length + 1;
    return step;
  });
  const end = text.address + text.length;
  const table = placeWords(kernel, steps);
  return placeWords(kernel, [table, end, hashes ? 1 : 0, salt.address, salt.length, 0]);
}

function unknownPath(path: string): UsageError {
  return new UsageError(
    "privacy_path_unknown",
    `${JSON.stringify(path)} is nothing that can be dropped or hashed. ` +
      "Give userID, stableID, value, or a path such as user.email or metadata.card.number.",
  );
}
