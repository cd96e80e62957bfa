import { Kernel } from "../batch/kernel.js";
import { EventFold } from "../ledger/event-fold.js";
import type { Ledger } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import { inOrder } from "../ledger/run-accounts.js";
import type { Plan } from "../plan/plan.js";
import { ProfileFold } from "../profile/profile-fold.js";
import type { QuickFold } from "./quick/quick-fold.js";

/** The profiles of all splits of a dry run. */
export interface FoldedProfiles {
  readonly events: EventFold;
  readonly profile: ProfileFold;
}

/**
 * Adds up the profiles of splits in the order of the plan, which decides what exceeds a limit. A split is
 * added as soon as it and all before it are committed, while the threads read others.
 */
export class ProfileFolding {
  #folded: FoldedProfiles | undefined;
  readonly #committed = new Map<string, SplitRecord>();
  readonly #splits: Plan["splits"];
  /** Number of splits that were added in order. */
  #next = 0;
  #folding: Promise<void> = Promise.resolve();

  constructor(
    private readonly ledger: Pick<Ledger, "readProfile">,
    { splits }: Pick<Plan, "splits">,
    private readonly quickFold: QuickFold | undefined,
  ) {
    this.#splits = inOrder(splits);
  }

  /** Call it once for each split that is in the ledger. `result` throws the errors. */
  add(record: SplitRecord): void {
    this.#committed.set(record.id, record);
    this.#folding = this.#folding.then(() => this.#foldReady());
    this.#folding.catch(() => undefined);
  }

  /** Adds those that wait for a split which was never committed. Call it after all others. */
  async result(): Promise<FoldedProfiles> {
    await this.#folding;
    for (const record of inOrder([...this.#committed.values()])) await this.#fold(record);
    return this.#folds;
  }

  /** Made when the threads have begun to read. */
  get #folds(): FoldedProfiles {
    this.#folded ??= { events: new EventFold(), profile: new ProfileFold(new Kernel()) };
    return this.#folded;
  }

  async #foldReady(): Promise<void> {
    for (;;) {
      const record = this.#committed.get(this.#splits[this.#next]?.id ?? "");
      if (record === undefined) return;
      this.#next++;
      await this.#fold(record);
    }
  }

  async #fold(record: SplitRecord): Promise<void> {
    this.#committed.delete(record.id);
    const { events, profile } = this.#folds;
    const split = await this.ledger.readProfile(record.id);
    const isNamed = events.add(split.events);
    profile.add(split, isNamed);
    this.quickFold?.add(record, split, isNamed);
  }
}
