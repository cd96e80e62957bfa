import { createHash } from "node:crypto";
import { type BackOff, backOffMs } from "../base/back-off.js";
import type { AuditRecord, EntityStore } from "../storage/store.js";
import { entryOf } from "./audit-logs.js";
import { webhookHeaders } from "./webhook-signature.js";

/** Milliseconds for an answer. */
const TIMEOUT_MS = 15_000;

const backOff: BackOff = { firstMs: 1_000, maxMs: 300_000 };
const RETRY_AFTER_MAX_MS = 3_600_000;

/** Writes that are read at once. */
const READ_AT_ONCE = 100;

const pastTense = { create: "created", update: "updated", delete: "deleted" } as const;

/** Fate of one attempt. */
export type DeliveryOutcome = "delivered" | "failed";

interface WebhookOptions {
  readonly url: string;
  readonly secret: Uint8Array;
  readonly entities: Pick<
    EntityStore,
    "latestChange" | "changesAfter" | "auditRecord" | "followerPosition" | "moveFollower"
  >;
  /** Returns ms since the epoch. */
  now(): number;
  onAttempt(outcome: DeliveryOutcome): void;
  /** Gets the reason of the first attempt that failed after one that did not. */
  onFailed(error: unknown): void;
}

/**
 * Tells one URL of every accepted write, in their order and at least once: a write is told again until the
 * answer is 2xx, with growing pauses, also after a restart. A URL that is new is told from then on. Messages
 * and signatures are those of Standard Webhooks, https://www.standardwebhooks.com.
 */
export class Webhook {
  readonly #options: WebhookOptions;
  /** The URL may hold a secret, so the store gets its digest. */
  readonly #name: string;
  readonly #closing = new AbortController();
  /** The newest write when it was created: a URL that is new is told of later ones. */
  readonly #begin: number;
  #failures = 0;
  /** The pause after an attempt that failed, in ms since the epoch and ms. */
  #pause = { since: 0, lengthMs: 0 };

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#name = createHash("sha256").update(options.url).digest("hex");
    const { entities } = options;
    this.#begin = entities.latestChange().sequence;
    if (entities.followerPosition(this.#name) !== undefined) return;
    // Stored no later than the next write; `check` tries again.
    entities.moveFollower(this.#name, this.#begin).catch(() => undefined);
  }

  /** Writes that it was not told of yet. */
  get waiting(): number {
    const { entities } = this.#options;
    const { sequence } = entities.latestChange();
    return sequence - (entities.followerPosition(this.#name) ?? sequence);
  }

  /** Ends what is in progress: it is told again by the next service. */
  async close(): Promise<void> {
    this.#closing.abort();
  }

  /** Tells what has not been told, up to the first failure. */
  async check(): Promise<void> {
    const { entities, now } = this.#options;
    const pausedMs = now() - this.#pause.since;
    // A clock that was set back does not make it longer.
    if (pausedMs >= 0 && pausedMs < this.#pause.lengthMs) return;
    let told = entities.followerPosition(this.#name);
    if (told === undefined) await entities.moveFollower(this.#name, this.#begin);
    told ??= this.#begin;
    while (told < entities.latestChange().sequence) {
      const changes = await entities.changesAfter(told, READ_AT_ONCE);
      if (changes.length === 0) return;
      for (const change of changes) {
        const record = await entities.auditRecord(change.sequence);
        if (record === undefined || !(await this.#isTold(record))) return;
        await entities.moveFollower(this.#name, change.sequence);
        told = change.sequence;
      }
    }
  }

  async #isTold(record: AuditRecord): Promise<boolean> {
    const { now, onAttempt, onFailed } = this.#options;
    try {
      await this.#send(record);
    } catch (error) {
      if (this.#closing.signal.aborted) return false;
      onAttempt("failed");
      if (this.#failures === 0) onFailed(error);
      this.#failures += 1;
      const askedMs = error instanceof Refusal ? error.askedMs(now()) : 0;
      const lengthMs = Math.max(backOffMs(this.#failures, backOff), askedMs);
      this.#pause = { since: now(), lengthMs };
      return false;
    }
    onAttempt("delivered");
    this.#failures = 0;
    this.#pause = { since: 0, lengthMs: 0 };
    return true;
  }

  async #send(record: AuditRecord): Promise<void> {
    const { url, secret, now } = this.#options;
    const data = entryOf(record);
    const body = JSON.stringify({
      type: `${data.entityType}.${pastTense[data.actionType]}`,
      timestamp: new Date(record.time).toISOString(),
      data,
    });
    const timestamp = Math.floor(now() / 1_000);
    // Receivers know a message that is told again by its id. Sequences begin again in a new store.
    const id = `change_${record.time}_${record.sequence}`;
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...webhookHeaders({ id, timestamp, body }, secret),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Refusal(answer);
  }
}

/** An answer that is not a success. */
class Refusal extends Error {
  readonly #retryAfter: string;

  constructor({ status, headers }: Response) {
    super(`status ${status}`);
    this.#retryAfter = headers.get("retry-after") ?? "";
  }

  /** Returns the pause that the answer asks for: `Retry-After` has seconds or a time. */
  askedMs(now: number): number {
    const seconds = Number(this.#retryAfter);
    const ms = Number.isNaN(seconds) ? Date.parse(this.#retryAfter) - now : seconds * 1_000;
    return ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : 0;
  }
}
