import type { Kernel } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { groupLayout, nameUsersLayout } from "../batch/layouts.js";
import { ID_REGISTER_BYTES, type ProfileMemory } from "./profile-memory.js";
import { readRegisters } from "./profile-tables.js";
import type { Estimate } from "./report.js";
import { Registers } from "./sketches.js";

/** The users of an event name in a part of a split: their indexes (u16). */
interface TakenUsers {
  readonly name: number;
  readonly indexes: Uint8Array;
}

/**
 * Takes the users of each event name out of kernel memory. `numbers` is the address of the indexes of the
 * numbers of users, of which there are `count`.
 */
export function takeNameUsers(
  kernel: Kernel,
  memory: ProfileMemory,
  count: number,
  numbers: number,
): readonly TakenUsers[] {
  const groups = memory.get("groups") / 4;
  const target = memory.get("takenUsers");
  const taken: TakenUsers[] = [];
  for (let name = 1; name <= memory.get("groupsMax"); name++) {
    const group = groups + (name * groupLayout.bytes) / 4;
    const bits = kernel.u32[group + groupLayout.words.users]!;
    kernel.u32[group + groupLayout.words.users] = 0;
    if (bits === 0) continue;
    const users = kernel.run.takeNumbers(bits, count, numbers, target);
    if (users === 0) continue;
    taken.push({ name: name - 1, indexes: kernel.bytes.slice(target, target + users * 2) });
  }
  return taken;
}

/** Ids as they were taken out, and their numbers over all splits (u32) while none is dropped: addresses. */
export interface NumberedIds {
  readonly taken: number;
  readonly numbers: number | undefined;
}

/** Bytes that all names may still use to count their users exactly. */
export interface UsersBudget {
  left: number;
}

const BYTES_MIN = 128;

/**
 * Distinct users of one event name, in kernel memory: exact while all users are numbered and the budget lasts,
 * then an estimate. `salt`, below 65,536, differs by name.
 */
export class NameUsers {
  readonly #users: KernelRecord<keyof typeof nameUsersLayout.words>;
  /** Bytes of the bits for the numbers of users; undefined if their number is an estimate. */
  #bytes: number | undefined = 0;

  constructor(
    private readonly kernel: Kernel,
    salt: number,
    private readonly budget: UsersBudget,
  ) {
    this.#users = new KernelRecord(kernel, nameUsersLayout);
    const registers = kernel.allocate(ID_REGISTER_BYTES);
    kernel.bytes.fill(0, registers, registers + ID_REGISTER_BYTES);
    this.#users.set("registers", registers);
    this.#users.set("salt", salt);
  }

  /** Adds the users at `count` indexes (u16) at an address. */
  addAll(indexes: number, count: number, { taken, numbers }: NumberedIds): void {
    const { run } = this.kernel;
    if (numbers === undefined) this.#estimateFromNow();
    else this.#reserve(run.largestNumber(indexes, count, numbers));
    run.addNameUsers(this.#users.address, indexes, count, numbers ?? 0, taken);
  }

  estimate(): Estimate {
    if (this.#bytes !== undefined) return { count: this.#users.get("count"), error: 0 };
    const base64 = readRegisters(this.kernel, this.#users.get("registers"), ID_REGISTER_BYTES);
    return new Registers(ID_REGISTER_BYTES, base64).estimate();
  }

  /** Makes room for the bit of a number, unless the budget is too small. */
  #reserve(number: number): void {
    const { kernel, budget } = this;
    const known = this.#bytes;
    if (known === undefined || number < known * 8) return;
    let bytes = Math.max(BYTES_MIN, known);
    while (bytes * 8 <= number) bytes *= 2;
    if (budget.left < bytes - known) {
      this.#estimateFromNow();
      return;
    }
    budget.left -= bytes - known;
    const [old, bits] = [this.#users.get("bits"), kernel.allocate(bytes)];
    kernel.bytes.copyWithin(bits, old, old + known);
    kernel.bytes.fill(0, bits + known, bits + bytes);
    if (known > 0) kernel.free(old);
    this.#users.set("bits", bits);
    this.#bytes = bytes;
  }

  #estimateFromNow(): void {
    const bytes = this.#bytes ?? 0;
    if (bytes > 0) this.kernel.free(this.#users.get("bits"));
    this.budget.left += bytes;
    this.#users.set("bits", 0);
    this.#bytes = undefined;
  }
}
