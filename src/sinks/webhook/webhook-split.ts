import { createHash } from "node:crypto";
import { ACKNOWLEDGE_SYNC_MS } from "../../base/limits.js";
import type { EventBatch } from "../../batch/event-batch.js";
import type { Origin, SplitSink, WrittenEvents } from "../sink.js";
import { Acknowledgements } from "./acknowledgements.js";
import type { EventLines } from "./event-lines.js";
import type { RowFault } from "./judge-answer.js";
import { OpenParcel } from "./open-parcel.js";
import type { SendClock } from "./send-clock.js";
import type { SendCounts, Sender } from "./sender.js";

/**
 * Share of the parcels under way that are written down in one go. Less costs system calls; more, and the
 * service waits for work while answers are taken in.
 */
const WRITTEN_TOGETHER = 0.25;

export interface WebhookSplitOptions {
  readonly sender: Sender;
  readonly lines: EventLines;
  /** Journal of what is acknowledged of this split. */
  readonly journalPath: string;
  /** Events of one request. */
  readonly parcelRows: number;
  /** Requests under way at the same time. */
  readonly concurrency: number;
  /** Whatever decides, beside a range's content, which events are the n-th of it. */
  readonly keySeed: string;
  readonly clock: SendClock;
  onSettled(delivered: number, refused: number): void;
}

/**
 * The events of one split on their way to a service: cut into parcels by their place in their range,
 * each of which is sent unless the journal knows it as settled. A parcel that is acknowledged keeps its
 * place among those under way until that is handed to the system, so that a kill leaves at most
 * `concurrency` parcels to be sent again, under the same keys.
 */
export class WebhookSplit implements SplitSink {
  readonly #journal: Acknowledgements;
  readonly #underWay = new Set<OpenParcel>();
  /** Parcels that are settled, which only the memory of this process knows. */
  #unwritten = 0;
  #isWriteDue = false;
  #countsNoted: SendCounts;
  #cancelSync: () => void = () => undefined;
  #origin: Origin | undefined;
  #rangeKey = "";
  #nextNumber = 0;
  #parcel: OpenParcel | undefined;
  #delivered = 0;
  /** Parcels that may have been under way when an earlier process was killed. */
  #inDoubt: number;
  #failure: unknown;
  #wakeWriter: () => void = () => undefined;
  #state: "open" | "ended" = "open";

  constructor(private readonly options: WebhookSplitOptions) {
    this.#journal = new Acknowledgements(options.journalPath, options.parcelRows);
    this.#inDoubt = this.#journal.wasBroken ? options.concurrency : 0;
    this.#countsNoted = options.sender.counts;
    this.#syncLater();
  }

  async write(events: EventBatch, origin: Origin): Promise<void> {
    if (origin !== this.#origin) await this.#begin(origin);
    for (const line of this.options.lines.of(events)) {
      this.#parcel ??= new OpenParcel(origin, this.#rangeKey, this.#nextNumber++);
      this.#parcel.add(events, line);
      if (this.#parcel.texts.length < this.options.parcelRows) continue;
      // No promise where there is room, as this is done for each event.
      if (!this.#hasRoom()) await this.#room();
      this.#dispatch();
    }
    this.#throwFailure();
    this.#parcel?.detach();
    for (const parcel of this.#underWay) parcel.detach();
  }

  /** The service has decided about every event then, so that nothing is left to commit. */
  async finish(): Promise<WrittenEvents> {
    await this.#dispatchLast();
    while (this.#underWay.size > 0) await this.#settled();
    this.#end(true);
    const delivered = this.#delivered;
    const { unknown, retried, waitedMs } = this.#journal.trouble;
    const counts = { delivered, retried, possiblyTwice: unknown, waitedMs };
    return {
      rows: delivered,
      commit: async () => ({ parts: [], counts }),
      abort: async () => {},
    };
  }

  async abort(): Promise<void> {
    if (this.#state === "ended") return;
    const { sender } = this.options;
    sender.stop(this.#failure ?? new Error("the split was given up"));
    this.#end(await sender.drain());
  }

  async #begin(origin: Origin): Promise<void> {
    await this.#dispatchLast();
    this.#origin = origin;
    this.#rangeKey = createHash("sha256")
      .update(JSON.stringify([this.options.keySeed, origin.fingerprint]))
      .digest("hex")
      .slice(0, 32);
    this.#nextNumber = 0;
  }

  async #dispatchLast(): Promise<void> {
    if (!this.#hasRoom()) await this.#room();
    this.#dispatch();
  }

  /** Sends the parcel that is open, if there is one and it is not known as settled. Needs room for it. */
  #dispatch(): void {
    const parcel = this.#parcel;
    if (parcel === undefined) return;
    const { rangeKey, number } = parcel;
    const rows = parcel.texts.length;
    const known = this.#journal.find(rangeKey, number, rows);
    if (known === undefined) {
      this.#throwFailure();
      if (this.#inDoubt > 0) {
        this.#inDoubt--;
        this.#journal.doubt(rangeKey, number, rows);
      }
      this.#send(parcel);
    } else {
      this.#account(parcel, known.refused);
    }
    this.#parcel = undefined;
  }

  #send(parcel: OpenParcel): void {
    const { rangeKey, number, texts } = parcel;
    const rows = texts.length;
    const isShort = rows < this.options.parcelRows;
    const key = `${rangeKey}-${number}${isShort ? `-${rows}` : ""}`;
    const doubt = () => this.#journal.doubt(rangeKey, number, rows);
    this.#underWay.add(parcel);
    this.options.sender.deliver({ key, texts }, doubt).then(
      ({ refused }) => this.#guard(() => this.#settle(parcel, refused)),
      (error: unknown) => this.#fail(error),
    );
  }

  #settle(parcel: OpenParcel, refused: readonly RowFault[]): void {
    const { rangeKey, number, texts } = parcel;
    this.#underWay.delete(parcel);
    this.#journal.settle(rangeKey, number, { rows: texts.length, refused });
    this.#account(parcel, refused);
    this.#unwritten++;
    if (this.#unwritten >= this.options.concurrency * WRITTEN_TOGETHER) this.#writeJournal();
    else this.#writeJournalSoon();
  }

  /** A parcel keeps its place until a kill of the process cannot make it go out again. */
  #hasRoom(): boolean {
    return this.#underWay.size + this.#unwritten < this.options.concurrency;
  }

  /** Once the answers that have come by now are taken in. */
  #writeJournalSoon(): void {
    if (this.#isWriteDue) return;
    this.#isWriteDue = true;
    setImmediate(() => {
      this.#isWriteDue = false;
      if (this.#unwritten > 0) this.#guard(() => this.#writeJournal());
    });
  }

  #writeJournal(): void {
    if (this.#state === "ended") return;
    this.#journal.flush();
    this.#unwritten = 0;
    this.#wakeWriter();
  }

  #account(parcel: OpenParcel, refused: readonly RowFault[]): void {
    const delivered = parcel.texts.length - refused.length;
    this.#delivered += delivered;
    parcel.refuse(refused);
    this.options.onSettled(delivered, refused.length);
  }

  async #room(): Promise<void> {
    while (!this.#hasRoom()) await this.#settled();
  }

  /** Resolves once more parcels are settled and written down; throws after a failure. */
  async #settled(): Promise<void> {
    this.#throwFailure();
    await new Promise<void>((resolve) => {
      this.#wakeWriter = resolve;
    });
    this.#wakeWriter = () => undefined;
    this.#throwFailure();
  }

  #syncLater(): void {
    this.#cancelSync = this.options.clock.after(ACKNOWLEDGE_SYNC_MS, () => {
      this.#guard(() => {
        this.#noteTrouble();
        this.#journal.syncSoon((error) => this.#fail(error));
        this.#syncLater();
      });
    });
  }

  #noteTrouble(): void {
    const { retried, waitedMs } = this.options.sender.counts;
    this.#journal.addTrouble(
      retried - this.#countsNoted.retried,
      waitedMs - this.#countsNoted.waitedMs,
    );
    this.#countsNoted = { retried, waitedMs };
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.options.sender.stop(error);
    this.#wakeWriter();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #end(isClean: boolean): void {
    this.#state = "ended";
    this.#cancelSync();
    this.#noteTrouble();
    this.#journal.close(isClean);
  }
}
