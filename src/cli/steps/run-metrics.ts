import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { version } from "../../base/package-files.js";
import type { StepName } from "../../pipeline/configuration/configuration-schema.js";
import type { RunObserver, RunProgress } from "../../pipeline/run-observer.js";
import { type Address, listenError } from "../listen-error.js";

/** Counters of a run, which only grow; a step omits those that it does not count. */
const counters = {
  rows_read: ["Rows read by the step in this run.", ({ rows }) => rows],
  rows_rejected: ["Rows rejected by the step in this run.", ({ rejects }) => rejects],
  events_delivered: [
    "Events that the service has accepted.",
    // Exports say 0.
    ({ delivered = 0 }) => (delivered === 0 ? undefined : delivered),
  ],
} as const satisfies Record<
  string,
  readonly [help: string, of: (progress: RunProgress) => unknown]
>;

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

/** Serves the progress of a run to Prometheus at `/metrics`. Phases and steps are labels. */
export class RunMetrics {
  readonly #registry = new Registry();
  readonly #server: Server;
  #step: StepName | undefined;
  #progress: (() => RunProgress) | undefined;

  /** Throws `port_in_use`, `port_forbidden` or `host_unknown`. */
  static async listen({ host, port }: Address): Promise<RunMetrics> {
    const metrics = new RunMetrics();
    try {
      metrics.#server.listen(port, host);
      await once(metrics.#server, "listening");
    } catch (error) {
      throw listenError(error, { host, port }, { host: "--metrics-host", port: "--metrics-port" });
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
    this.#step = step;
    this.#progress = undefined;
    return {
      ...observer,
      started: (progress) => {
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
    const labelNames = ["step", "phase"];
    for (const [name, [help, of]] of Object.entries(counters)) {
      const counter: Counter = new Counter({
        name: `switchyard_${name}_total`,
        help,
        labelNames,
        registers,
        collect: () => this.#take(counter, of, (labels, value) => counter.inc(labels, value)),
      });
    }
    for (const [name, [help, of]] of Object.entries(gauges)) {
      const gauge: Gauge = new Gauge({
        name: `switchyard_${name}`,
        help,
        labelNames,
        registers,
        collect: () => this.#take(gauge, of, (labels, value) => gauge.set(labels, value)),
      });
    }
  }

  #take(
    metric: { reset(): void },
    of: (progress: RunProgress) => number | undefined,
    set: (labels: { step: string; phase: string }, value: number) => void,
  ): void {
    metric.reset();
    const progress = this.#progress?.();
    const value = progress && of(progress);
    if (progress === undefined || value === undefined || this.#step === undefined) return;
    set({ step: this.#step, phase: progress.phase ?? "reading" }, value);
  }

  async #answer(response: ServerResponse): Promise<void> {
    const text = await this.#registry.metrics();
    response.writeHead(200, { "Content-Type": this.#registry.contentType }).end(text);
  }
}
