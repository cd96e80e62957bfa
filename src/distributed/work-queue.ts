import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Job, Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { SwitchyardError, UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { parseJson } from "../base/parse-json.js";
import { checkValue } from "../base/schema.js";
import {
  type QueuedWork,
  queuedWorkSchema,
  type WorkerBeat,
  workerBeatSchema,
} from "./queue-records.js";

/** A claimed split goes to another worker after this time without a renewal. */
const CLAIM_MS = 30_000;
const RENEW_INTERVAL_MS = 10_000;
const STALLED_INTERVAL_MS = 5_000;
/** The number of workers that may die of a split before it is given up. */
const DEATHS_MAX = 20;
const BLOCK_SECONDS = 0.25;
const RECONNECT_MS_MAX = 5_000;
const ADDED_AT_ONCE = 1_000;
const STOPPING_NOTE =
  "this process ends when Redis answers; a second signal ends it at once, and recorded work is kept";

const PREFIX = "switchyard";
const NAME = "work";
const BEATS_KEY = `${PREFIX}:workers`;
/** How long the end of a run is remembered, for workers that are late. */
const ENDED_SECONDS = 3_600;

/** A split that this process has claimed from the queue. */
export interface QueueClaim {
  readonly work: QueuedWork;
  readonly claimedMs: number;
  /** Removes the split from the queue. */
  done(): Promise<void>;
  /** Returns the split to the queue for another worker. */
  release(): Promise<void>;
}

interface QueueOptions {
  /** `redis://` or `rediss://`; may hold a password. */
  readonly url: string;
  readonly signal: AbortSignal;
  note(text: string): void;
}

/**
 * The queue of splits in Redis, by BullMQ. It only assigns work: a split is done when its record is
 * in the output. So all of its content may be lost, and is then queued again.
 */
export class WorkQueue {
  readonly #queue: Queue;
  #worker: Worker | undefined;
  readonly #held = new Map<string, Job>();
  #renewal: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isGone = false;
  /** Name of this process, unique among the workers. */
  readonly workerName = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;

  private constructor(
    private readonly redis: Redis,
    private readonly options: QueueOptions,
  ) {
    redis.on("error", (error) => this.#lost(error));
    redis.on("ready", () => this.#found());
    options.signal.addEventListener("abort", () => {
      if (this.#isGone) options.note(STOPPING_NOTE);
    });
    this.#queue = new Queue(NAME, { connection: redis, prefix: PREFIX });
    this.#queue.on("error", (error) => this.#lost(error));
  }

  /**
   * Connects. Throws `queue_unreachable`, `queue_denied`, and `queue_unsuitable` for a Redis that is too old or
   * evicts keys.
   */
  static async open(options: QueueOptions): Promise<WorkQueue> {
    return new WorkQueue(await connect(options.url), options);
  }

  /** Connects, changes nothing, and throws like `open`. */
  static async check(url: string): Promise<void> {
    (await connect(url)).disconnect();
  }

  /** Returns the work that is not in the queue: done, lost, or never queued. */
  async missing(work: readonly QueuedWork[]): Promise<readonly QueuedWork[]> {
    const pipeline = this.redis.pipeline();
    for (const one of work) pipeline.exists(this.#queue.toKey(idOf(one)));
    const answers = (await pipeline.exec()) ?? [];
    return work.filter((_, index) => answers[index]?.[1] === 0);
  }

  /** Queues splits in their order, unless they are queued already. */
  async add(work: readonly QueuedWork[]): Promise<void> {
    const missing = await this.missing(work);
    for (let start = 0; start < missing.length; start += ADDED_AT_ONCE) {
      await this.#queue.addBulk(
        missing.slice(start, start + ADDED_AT_ONCE).map((data) => ({
          name: NAME,
          data,
          opts: { jobId: idOf(data), removeOnComplete: true },
        })),
      );
    }
  }

  /**
   * Returns the reasons why splits of a run were given up (too many workers died of them), and
   * removes those reasons.
   */
  async takeFailed(
    run: string,
  ): Promise<readonly (Pick<QueuedWork, "kind" | "id"> & { readonly reason: string })[]> {
    const failed = (await this.#queue.getFailed()).filter((job) => job.data?.run === run);
    for (const job of failed) await job.remove();
    return failed.map(({ data: { kind, id }, failedReason: reason }) => ({ kind, id, reason }));
  }

  /**
   * Claims the next split, and renews the claim until it ends. Returns undefined if there is none:
   * at once, or with `waits` after a short wait.
   */
  async claim(waits: boolean): Promise<QueueClaim | undefined> {
    const worker = await this.#startWorker();
    const token = randomUUID();
    const next = () => worker.getNextJob(token, { block: waits });
    // Parallel calls would not wait.
    const turn = waits ? this.#turn.then(next, next) : next();
    if (waits) this.#turn = turn.catch(() => undefined);
    const job = await turn;
    if (job?.id === undefined) return undefined;
    const { value } = checkValue(queuedWorkSchema, job.data);
    if (value === undefined) {
      this.options.note(`the queue held a job that is not a split: ${job.id} was removed`);
      await job.moveToCompleted(null, token, false);
      return undefined;
    }
    this.#held.set(token, job);
    const end = (how: () => Promise<unknown>) => async () => {
      this.#held.delete(token);
      // Another worker may have it now, or Redis has lost it: only the record in the output counts.
      await how().catch(() => undefined);
    };
    return {
      work: value,
      claimedMs: Date.now(),
      done: end(() => job.moveToCompleted(null, token, false)),
      release: end(() => job.moveToWait(token)),
    };
  }

  /** Marks all splits of a run as recorded: workers need not wait for more. */
  async markEnded(run: string): Promise<void> {
    await this.redis.set(`${PREFIX}:ended:${run}`, "1", "EX", ENDED_SECONDS);
  }

  async unmarkEnded(run: string): Promise<void> {
    await this.redis.del(`${PREFIX}:ended:${run}`);
  }

  async isEnded(run: string): Promise<boolean> {
    return (await this.redis.exists(`${PREFIX}:ended:${run}`)) === 1;
  }

  /** Reports the status of this worker to coordinators; undefined: it has ended. */
  async beat(beat: WorkerBeat | undefined): Promise<void> {
    if (beat === undefined) await this.redis.hdel(BEATS_KEY, this.workerName);
    else await this.redis.hset(BEATS_KEY, this.workerName, JSON.stringify(beat));
  }

  /** Returns the latest status of each worker, by name. */
  async beats(): Promise<ReadonlyMap<string, WorkerBeat>> {
    const all = await this.redis.hgetall(BEATS_KEY);
    const parsed = Object.entries(all).map(([name, text]): [string, WorkerBeat | undefined] => [
      name,
      checkValue(workerBeatSchema, parseJson(text)).value,
    ]);
    return new Map(parsed.filter((one): one is [string, WorkerBeat] => one[1] !== undefined));
  }

  /** Removes a worker that no longer reports. */
  async forget(workerName: string): Promise<void> {
    await this.redis.hdel(BEATS_KEY, workerName);
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal);
    // Wait for pending calls only if Redis answers.
    await this.#worker?.close(this.#isGone);
    await this.#queue.close();
    this.redis.disconnect();
  }

  async #startWorker(): Promise<Worker> {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(NAME, null, {
      connection: this.redis,
      prefix: PREFIX,
      autorun: false,
      drainDelay: BLOCK_SECONDS,
      lockDuration: CLAIM_MS,
      stalledInterval: STALLED_INTERVAL_MS,
      maxStalledCount: DEATHS_MAX,
      removeOnFail: { count: ADDED_AT_ONCE },
    });
    this.#worker = worker;
    worker.on("error", (error) => this.#lost(error));
    await worker.startStalledCheckTimer();
    this.#renewal = setInterval(() => void this.#renew(worker), RENEW_INTERVAL_MS);
    return worker;
  }

  async #renew(worker: Worker): Promise<void> {
    const held = [...this.#held].flatMap(([token, { id }]) =>
      id === undefined ? [] : { token, id },
    );
    if (held.length === 0) return;
    const [ids, tokens] = [held.map(({ id }) => id), held.map(({ token }) => token)];
    // A claim that cannot be renewed goes to another worker, which does the same work.
    await worker.extendJobLocks(ids, tokens, CLAIM_MS).catch(() => undefined);
  }

  #lost(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const { note, signal } = this.options;
    note(`Redis does not answer (${error.message}); waiting for it`);
    if (signal.aborted) note(STOPPING_NOTE);
  }

  #found(): void {
    if (!this.#isGone) return;
    this.#isGone = false;
    this.options.note("Redis answers again");
  }
}

async function connect(url: string): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectionName: PREFIX,
    retryStrategy: (attempt) => Math.min(attempt * 200, RECONNECT_MS_MAX),
  });
  const failures: Error[] = [];
  const listen = (error: Error) => void failures.push(error);
  redis.on("error", listen);
  try {
    await redis.connect();
    checkServer(await redis.info());
  } catch (error) {
    redis.disconnect();
    throw asQueueError(url, failures[0] ?? error);
  }
  redis.off("error", listen);
  return redis;
}

/** Returns the address of a queue without its password. */
export function harmlessUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function idOf({ run, kind, epoch, id }: QueuedWork): string {
  return `${run}-${kind}-${epoch}-${id}`;
}

function checkServer(info: string): void {
  const facts = new Map(
    info.split("\r\n").map((line): [string, string] => {
      const [name = "", ...value] = line.split(":");
      return [name, value.join(":")];
    }),
  );
  const version = facts.get("redis_version") ?? "";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 6 || (major === 6 && minor < 2)) {
    throw new UsageError(
      "queue_unsuitable",
      `This Redis is version ${version}, and a queue needs 6.2 or later.`,
    );
  }
  const policy = facts.get("maxmemory_policy");
  if (policy === undefined || policy === "noeviction") return;
  throw new UsageError(
    "queue_unsuitable",
    `This Redis removes keys when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy to noeviction.`,
  );
}

function asQueueError(url: string, error: unknown): unknown {
  if (error instanceof SwitchyardError) return error;
  const { message } = error as Error;
  const isDenied = /NOAUTH|WRONGPASS|NOPERM|invalid password/i.test(message);
  return new SwitchyardError(
    isDenied ? "queue_denied" : "queue_unreachable",
    isDenied
      ? `${harmlessUrl(url)} refuses the user or the password (${message}); check the address of ${option("queue")}`
      : `${harmlessUrl(url)} cannot be reached (${message}); start Redis, or check the address of ${option("queue")}`,
    { cause: error },
  );
}
