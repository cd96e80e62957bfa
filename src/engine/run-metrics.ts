import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { version } from "../base/package-files.js";
import type { RunObserver, RunProgress } from "../ledger/run-observer.js";
import type { StepName } from "../options/configuration-schema.js";
import { type Address, listenError } from "../options/listen-error.js";

/** Counters of a step, which only grow. A step omits those that it does not count. */
const counters = {
  rows_read: ["Rows of the inputs that the step has read in this run.", "rows"],
  rows_rejected: ["Rows that the step has rejected in this run.", "rejects"],
  events_delivered: ["Events that the service has accepted.", "delivered"],
} as const satisfies Record<string, readonly [help: string, of: keyof StepCounts]>;

type StepCounts = Required<Pick<RunProgress, "rows" | "rejects" | "delivered">>;

const gauges = {
  input_bytes: ["Bytes on disk of the phase.", ({ bytesTotal }) => bytesTotal],
  input_bytes_done: ["Bytes of them that are done.", ({ bytesDone }) => bytesDone],
  splits: ["Splits of the phase.", ({ splitsTotal }) => splitsTotal],
  splits_done: ["Splits of them that are done.", ({ splitsDone }) => splitsDone],
  threads_reading: [
    "Threads that read a source.",
    ({ threads }) => threads.filter(({ source }) => source !== undefined).length,
  ],
  waiting: ["1 while a service accepts nothing.", ({ waiting }) => (waiting === undefined ? 0 : 1)],
} as const satisfies Record<string, readonly [help: string, of: (progress: RunProgress) => number]>;

/**
 * Serves the progress of a run to Prometheus at `/metrics`. Steps are labels, phases those of gauges:
 * counters count the rows of the inputs once, while they are read, and not again in other phases.
 */
export class RunMetrics {
  readonly #registry = new Registry();
  readonly #server: Server;
  /** Counts of the parts of steps that have ended. */
  readonly #ended = new Map<StepName, StepCounts>();
  #step: StepName | undefined;
  #progress: (() => RunProgress) | undefined;

  /** Throws `port_in_use`, `port_forbidden` or `host_unknown`. */
  static async listen({ host, port }: Address): Promise<RunMetrics> {
    const metrics = new RunMetrics();
    try {
      metrics.#server.listen(port, host);
      await once(metrics.#server, "listening");
    } catch (error) {
      throw listenError(error, { host, port }, "metrics");
    }
    return metrics;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      if (request.url === "/metrics") void this.#answer(response);
      else response.writeHead(404).end("metrics are at /metrics\n");
    });
    collectDefaultMetrics({ register: this.#registry });
    this.#define();
  }

  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/metrics`;
  }

  /** Returns an observer for a step, which updates the metrics. */
  observe(step: StepName, observer: RunObserver): RunObserver {
    return {
      ...observer,
      started: (progress) => {
        if (this.#step !== undefined) this.#ended.set(this.#step, this.#countsOf(this.#step));
        this.#step = step;
        this.#progress = progress;
        observer.started?.(progress);
      },
    };
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #define(): void {
    const registers = [this.#registry];
    const info = new Gauge({
      name: "switchyard_info",
      help: "The version that runs.",
      labelNames: ["version"],
      registers,
    });
    info.set({ version }, 1);
    for (const [name, [help, of]] of Object.entries(counters)) {
      const counter: Counter = new Counter({
        name: `switchyard_${name}_total`,
        help,
        labelNames: ["step"],
        registers,
        collect: () => this.#count(counter, of),
      });
    }
    const labelNames = ["step", "phase"];
    for (const [name, [help, of]] of Object.entries(gauges)) {
      const gauge: Gauge = new Gauge({
        name: `switchyard_${name}`,
        help,
        labelNames,
        registers,
        collect: () => this.#take(gauge, of),
      });
    }
  }

  #take(gauge: Gauge, of: (progress: RunProgress) => number): void {
    gauge.reset();
    const progress = this.#progress?.();
    if (progress === undefined || this.#step === undefined) return;
    gauge.set({ step: this.#step, phase: progress.phase ?? "reading" }, of(progress));
  }

  #count(counter: Counter, of: keyof StepCounts): void {
    counter.reset();
    for (const step of new Set([...this.#ended.keys(), this.#step])) {
      if (step === undefined) continue;
      const count = this.#countsOf(step)[of];
      // Only steps that send deliver.
      if (count > 0 || of !== "delivered") counter.inc({ step }, count);
    }
  }

  /** Returns the counts of a step: those of its ended parts, and of the part that reads now. */
  #countsOf(step: StepName): StepCounts {
    const ended = this.#ended.get(step) ?? { rows: 0, rejects: 0, delivered: 0 };
    const progress = step === this.#step ? this.#progress?.() : undefined;
    if (progress === undefined || progress.phase !== undefined) return ended;
    const { rows, rejects, delivered = 0 } = progress;
    return {
      rows: ended.rows + rows,
      rejects: ended.rejects + rejects,
      delivered: ended.delivered + delivered,
    };
  }

  async #answer(response: ServerResponse): Promise<void> {
    const text = await this.#registry.metrics();
    response.writeHead(200, { "Content-Type": this.#registry.contentType }).end(text);
  }
}
