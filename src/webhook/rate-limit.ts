import { setTimeout as sleep } from "node:timers/promises";
import Bottleneck from "bottleneck";
import type { Redis } from "ioredis";

/** The most that one job brings, in milliseconds of the rate. */
const JOB_MS = 50;
/** Jobs that a lone process schedules ahead. With a second of them, a busy thread loses nothing. */
const JOBS_AHEAD = 20;
const SHARED_JOB_MS = 100;
/** A shared rate grows at this interval, and processes that wait look at it at most this often. */
const GROWTH_MS = 10;
const LOOK_MS_MAX = 250;
/** Redis forgets an unused rate after this time, and the time in which its burst grows. */
const FORGET_MS = 60_000;
const RECONNECT_MS_MAX = 5_000;

export interface RateLimits {
  /** Events per second. */
  readonly rate: number;
  /** Events that may be sent at once after a pause. */
  readonly burst: number;
  /** Events of the largest request. It is sent even if they are more than the burst. */
  readonly batchRows: number;
}

/** A rate that several processes have together. */
interface SharedRate {
  /** Address of Redis; may hold a password. */
  readonly url: string;
  readonly name: string;
}

/** The jobs that bring events to a process. */
interface Jobs {
  readonly limiter: Bottleneck;
  /** Events of a job, at most. */
  readonly events: number;
  /** Set if jobs are to fill the stock. Without it, they bring only what requests wait for. */
  readonly fillsStock: boolean;
  /** Number of jobs at the same time. */
  readonly max: number;
  /** Events in stock, unless a request needs more. */
  readonly stockMax: number;
  close(): void;
}

/**
 * Decides when events may be sent: at most `rate` per second after a burst, in the order of the calls.
 * Jobs of bottleneck bring events into a stock. A job for each request would limit a process to about
 * 400 requests per second, because every job takes several turns of the event loop.
 */
export class RateLimit {
  readonly #waiting: { readonly events: number; proceed(): void }[] = [];
  #waitingEvents = 0;
  #stock: number;
  #jobs = 0;
  /** Events that the jobs in progress bring. */
  #coming = 0;
  #due: NodeJS.Immediate | undefined;

  private constructor(private readonly jobs: Jobs) {
    this.#stock = jobs.fillsStock ? jobs.stockMax : 0;
  }

  /** The limit of a process that sends alone. */
  static alone({ rate, burst, batchRows }: RateLimits): RateLimit {
    const most = Math.max(burst, batchRows);
    const events = jobEvents(most, rate);
    const limiter = new Bottleneck({ minTime: (1000 * events) / rate });
    return new RateLimit({
      limiter,
      events,
      fillsStock: true,
      max: JOBS_AHEAD,
      // After a pause, the first job begins at once.
      stockMax: most - events,
      close: () => void limiter.disconnect(),
    });
  }

  /**
   * The limit of a process that shares a rate. All of them together never exceed it, except for one more
   * burst if Redis loses its data: events that a process took and did not send are lost to the
   * rate, and sending pauses while Redis cannot be reached.
   */
  static async shared(limits: RateLimits, { url, name }: SharedRate): Promise<RateLimit> {
    const { rate, burst, batchRows } = limits;
    const most = Math.max(burst, batchRows);
    const growMs = (1000 * most) / rate;
    const connection = await connect(url);
    const limiter = new Bottleneck({
      connection,
      // With other limits it is another rate: Redis keeps those of the first process.
      id: `switchyard-${name}-${rate}-${most}`,
      reservoir: most,
      reservoirIncreaseInterval: GROWTH_MS,
      reservoirIncreaseAmount: (rate * GROWTH_MS) / 1000,
      reservoirIncreaseMaximum: most,
      heartbeatInterval: Math.max(GROWTH_MS, Math.min(LOOK_MS_MAX, growMs / 10)),
      timeout: FORGET_MS + growMs,
    });
    // The queue reports that Redis cannot be reached.
    limiter.on("error", () => undefined);
    return new RateLimit({
      limiter,
      // A job that needs the whole burst would wait until it has grown, and then lose what grows.
      events: Math.max(batchRows, Math.floor(Math.min(most / 4, (rate * SHARED_JOB_MS) / 1000))),
      fillsStock: false,
      max: 1,
      stockMax: most,
      close: () => void connection.disconnect(false),
    });
  }

  /** Resolves when this number of events may be sent. */
  take(events: number): Promise<void> {
    return new Promise((proceed) => {
      this.#waiting.push({ events, proceed });
      this.#waitingEvents += events;
      this.#serve();
    });
  }

  close(): void {
    this.jobs.close();
  }

  #serve(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || first.events > this.#stock) break;
      this.#waiting.shift();
      this.#waitingEvents -= first.events;
      this.#stock -= first.events;
      first.proceed();
    }
    while (this.#jobs < this.jobs.max) {
      const events = this.#missing;
      if (events <= 0) break;
      void this.#bring(events);
    }
  }

  /** The events that the next job is to bring. */
  get #missing(): number {
    const { events, fillsStock, stockMax } = this.jobs;
    if (!fillsStock) return Math.min(events, this.#waitingEvents - this.#stock - this.#coming);
    return this.#waiting.length > 0 || this.#stock < stockMax ? events : 0;
  }

  async #bring(events: number): Promise<void> {
    this.#jobs++;
    this.#coming += events;
    let isOver = false;
    const end = (brought: number) => {
      if (isOver) return;
      isOver = true;
      this.#jobs--;
      this.#coming -= events;
      // Also jobs that a busy thread has kept waiting bring no more than a burst.
      const stockMax = Math.max(this.jobs.stockMax, this.#waiting[0]?.events ?? 0);
      this.#stock = Math.min(this.#stock + brought, stockMax);
      this.#due ??= setImmediate(() => {
        this.#due = undefined;
        this.#serve();
      });
    };
    try {
      await this.jobs.limiter.schedule({ weight: events }, async () => end(events));
    } catch {
      // Do not send without an answer of Redis.
      await sleep(RECONNECT_MS_MAX);
      end(0);
    }
  }
}

/** Returns the events of a job of a lone process: those of 10 to 50 ms, at most half of the burst. */
function jobEvents(burst: number, rate: number): number {
  const shortest = Math.min(burst / 2, rate / 100);
  return Math.max(1, Math.floor(Math.min((rate * JOB_MS) / 1000, Math.max(burst / 4, shortest))));
}

/**
 * Changes to the Lua scripts of bottleneck. They take the time from each process: one whose clock is behind
 * would get nothing. And bottleneck knows its own errors by their text, to which Redis 7 adds a word:
 * it would never recover from the loss of its keys.
 */
function corrected(lua: string): string {
  const time =
    'local time = redis.call("time") local now = time[1] * 1000 + math.floor(time[2] / 1000)';
  return lua
    .replace("local now = tonumber(ARGV[1])", time)
    .replace(/redis\.error_reply\(('\w+')\)/g, "{ err = $1 }");
}

async function connect(url: string): Promise<Bottleneck.IORedisConnection> {
  const { Redis } = await import("ioredis");
  const client: Redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 200, RECONNECT_MS_MAX),
  });
  const define = client.defineCommand.bind(client);
  client.defineCommand = (name, { lua = "", ...definition }) =>
    define(name, { ...definition, lua: corrected(lua) });
  return new Bottleneck.IORedisConnection({ client, Redis });
}
