import { createHash } from "node:crypto";
import { ACKNOWLEDGE_SYNC_MS } from "../base/limits.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { Origin, SplitSink, WrittenEvents } from "../sinks/sink.js";
import { Acknowledgements } from "./acknowledgements.js";
import type { EventLines } from "./event-lines.js";
import type { RowFault } from "./judge-answer.js";
import { OpenRequestBatch } from "./request-batch.js";
import type { SendClock } from "./send-clock.js";
import type { DeliveryNotes, SendCounts, Sender } from "./sender.js";

/**
 * Share of the request batches in progress whose confirmations are written together. A smaller
 * share costs system calls. With a larger one the service waits for requests while responses are
 * processed.
 */
const WRITTEN_TOGETHER = 0.25;

interface WebhookSplitOptions {
  readonly sender: Sender;
  readonly lines: EventLines;
  /** As in `WebhookOptions`. */
  keysOf?(events: EventBatch): ReadonlyMap<number, string>;
  /** Path of the journal of this split. */
  readonly journalPath: string;
  /** Journals that other processes have left of this split. */
  readonly otherJournals: readonly string[];
  /** Stores the next piece of the journal; absent if its file is enough. */
  storePiece?(text: string): Promise<void>;
  /** Events of one request. */
  readonly batchRows: number;
  /** Requests in progress at the same time. */
  readonly concurrency: number;
  /** Everything except the content of a range that decides which events are the n-th of it. */
  readonly keySeed: string;
  readonly clock: SendClock;
  onConfirmed(delivered: number, refused: number): void;
}

/**
 * Confirmed request batches that may wait for the store; half of them are stored together. A kill sends them
 * again, so there are few at first, and twice as many whenever the store is too slow for them.
 */
const UNSTORED_MAX = 500;

/**
 * Sends the events of one split to a service. Events are cut into request batches by their index in
 * their range. A batch that the journal has as confirmed is not sent again. A batch counts as in
 * progress until its confirmation is written to the system: after a kill at most `concurrency`
 * batches are sent again, under the same keys, and up to `UNSTORED_MAX` more if the journal is in a store.
 * There, nothing is sent before its first piece is stored, which tells others that this process was here.
 */
export class WebhookSplit implements SplitSink {
  readonly #journal: Acknowledgements;
  readonly #inProgress = new Set<OpenRequestBatch>();
  /** Confirmed request batches that are not written to the journal file yet. */
  #unwritten = 0;
  #isWriteDue = false;
  /** Confirmed request batches that may wait for the store, by the last piece in it. */
  #unstoredMax = 0;
  /** False until the first piece is stored. */
  #isOpen: boolean;
  /** The piece that is being stored. */
  #storing: Promise<void> | undefined;
  #countsNoted: SendCounts;
  #cancelSync: () => void = () => undefined;
  #origin: Origin | undefined;
  #rangeKey = "";
  #nextNumber = 0;
  #batch: OpenRequestBatch | undefined;
  #delivered = 0;
  /** Request batches that may have been in progress when an earlier process was killed. */
  #possiblyPending: number;
  #failure: unknown;
  #wakeWriter: () => void = () => undefined;
  #state: "open" | "ended" = "open";

  constructor(private readonly options: WebhookSplitOptions) {
    const { journalPath, batchRows, concurrency, otherJournals, storePiece } = options;
    const hasPieces = storePiece !== undefined;
    const journal = new Acknowledgements(
      journalPath,
      batchRows,
      concurrency,
      otherJournals,
      hasPieces,
    );
    this.#journal = journal;
    this.#isOpen = !hasPieces;
    options.sender.limitBody(journal.tooLargeBytes);
    this.#possiblyPending = journal.pendingMax;
    this.#countsNoted = options.sender.counts;
    if (hasPieces) this.#storePiece(Math.min(concurrency, UNSTORED_MAX));
    this.#syncLater();
  }

  async write(events: EventBatch, origin: Origin): Promise<void> {
    if (origin !== this.#origin) await this.#begin(origin);
    const keys = this.options.keysOf?.(events);
    for (const line of this.options.lines.of(events)) {
      this.#batch ??= new OpenRequestBatch(origin, this.#rangeKey, this.#nextNumber++);
      this.#batch.add(events, line);
      this.#batch.eventKey = keys?.get(line.row);
      if (this.#batch.texts.length < this.options.batchRows) continue;
      // A promise for each event would be slow: wait only without room.
      if (!this.#hasRoom()) await this.#room();
      this.#dispatch();
    }
    this.#throwFailure();
    this.#batch?.detach();
    for (const batch of this.#inProgress) batch.detach();
  }

  /** Waits until the service has decided about every event, so that nothing is left to commit. */
  async finish(): Promise<WrittenEvents> {
    await this.#dispatchLast();
    while (this.#inProgress.size > 0) await this.#nextWritten();
    this.#end(true);
    await this.#storing;
    const delivered = this.#delivered;
    const { possiblyDuplicated, retried, waitedMs } = this.#journal.trouble;
    const counts = { delivered, retried, possiblyDuplicated, waitedMs };
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
    await this.#storing;
    // Without it, others send again what was in flight.
    const piece = this.#journal.takePiece(this.#inProgress.size);
    await this.options.storePiece?.(piece).catch(() => undefined);
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

  /** Sends the open request batch, if there is one that is not confirmed yet. Needs room for it. */
  #dispatch(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    const { rangeKey, number } = batch;
    const rows = batch.texts.length;
    const known = this.#journal.find(rangeKey, number, rows);
    if (known === undefined) {
      this.#throwFailure();
      if (this.#possiblyPending > 0) {
        this.#possiblyPending--;
        this.#journal.notePending(rangeKey, number, rows);
      }
      this.#send(batch);
    } else {
      this.#account(batch, known.refused);
    }
    this.#batch = undefined;
  }

  #send(batch: OpenRequestBatch): void {
    const { rangeKey, number, texts } = batch;
    const rows = texts.length;
    const isShort = rows < this.options.batchRows;
    const key = batch.eventKey ?? `${rangeKey}-${number}${isShort ? `-${rows}` : ""}`;
    const journal = this.#journal;
    const notes: DeliveryNotes = {
      pending: () => journal.notePending(rangeKey, number, rows),
      tooLarge: (bytes) => journal.limitBody(bytes),
    };
    this.#inProgress.add(batch);
    this.options.sender.deliver({ key, texts }, notes).then(
      ({ refused }) => this.#guard(() => this.#confirm(batch, refused)),
      (error: unknown) => this.#fail(error),
    );
  }

  #confirm(batch: OpenRequestBatch, refused: readonly RowFault[]): void {
    const { rangeKey, number, texts } = batch;
    this.#inProgress.delete(batch);
    this.#journal.confirm(rangeKey, number, { rows: texts.length, refused });
    this.#account(batch, refused);
    this.#unwritten++;
    if (this.options.storePiece !== undefined) {
      if (this.#isMuchUnstored()) this.#storeJournal();
      this.#wakeWriter();
    } else if (this.#unwritten >= this.options.concurrency * WRITTEN_TOGETHER) this.#writeJournal();
    else this.#writeJournalSoon();
  }

  /** A request batch counts until a kill of the process cannot cause it to be sent again. */
  #hasRoom(): boolean {
    const unwritten = Math.max(0, this.#unwritten - this.#unstoredMax);
    return this.#isOpen && this.#inProgress.size + unwritten < this.options.concurrency;
  }

  #isMuchUnstored(): boolean {
    return this.#unwritten >= this.#unstoredMax / 2;
  }

  /** Stores what is confirmed; more of it if that has become much in the meantime. */
  #storeJournal(): void {
    if (this.#storing !== undefined || this.#state === "ended" || this.#unwritten === 0) return;
    const isSlow = this.#isMuchUnstored();
    this.#storePiece(isSlow ? Math.min(2 * this.#unstoredMax, UNSTORED_MAX) : this.#unstoredMax);
  }

  /** Stores the next piece of the journal; then `unstoredMax` confirmed request batches may wait. */
  #storePiece(unstoredMax: number): void {
    const { storePiece, concurrency } = this.options;
    if (storePiece === undefined) return;
    const stored = this.#unwritten;
    const storing = storePiece(this.#journal.takePiece(concurrency + unstoredMax));
    this.#storing = storing.then(
      () => {
        this.#storing = undefined;
        this.#unwritten -= stored;
        this.#unstoredMax = unstoredMax;
        this.#isOpen = true;
        this.#wakeWriter();
        if (this.#isMuchUnstored()) this.#storeJournal();
      },
      (error: unknown) => {
        this.#storing = undefined;
        this.#fail(error);
      },
    );
  }

  /** Writes the journal once the responses that have arrived are processed. */
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

  #account(batch: OpenRequestBatch, refused: readonly RowFault[]): void {
    const delivered = batch.texts.length - refused.length;
    this.#delivered += delivered;
    batch.refuse(refused);
    this.options.onConfirmed(delivered, refused.length);
  }

  async #room(): Promise<void> {
    while (!this.#hasRoom()) await this.#nextWritten();
  }

  /** Resolves when more confirmations are written; throws after a failure. */
  async #nextWritten(): Promise<void> {
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
        this.#storeJournal();
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
