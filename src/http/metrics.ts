import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { WarningKind } from "../intake/event-warning.js";
import type { EventCommit } from "../storage/event-store.js";
import type { StoreSize } from "../storage/store.js";

/** One answered request. `route` is the pattern of the path: ids would create new series. */
interface RequestObservation {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Events of a service since its start. */
export interface EventTotals {
  readonly stored: number;
  /** Events that the rehearsed platform would drop. */
  readonly dropped: number;
  /** Others that it would change. */
  readonly changed: number;
}

const DURATION_BUCKETS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const COMMIT_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/** One number of the store for each value of a label, or without a label. */
interface SizeGauge {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  values(size: StoreSize): readonly (readonly [label: string, value: number])[];
}

const sizeGauges: readonly SizeGauge[] = [
  {
    name: "switchyard_database_bytes",
    help: "Bytes of a database file, without its log.",
    label: "database",
    values: ({ console, events }) => [
      ["console", console.bytes],
      ["events", events.bytes],
    ],
  },
  {
    name: "switchyard_database_free_bytes",
    help: "Bytes of a database file that hold nothing and are used again.",
    label: "database",
    values: ({ console, events }) => [
      ["console", console.freeBytes],
      ["events", events.freeBytes],
    ],
  },
  {
    name: "switchyard_events",
    help: "Events in the store.",
    values: ({ events }) => [["", events.count]],
  },
  {
    name: "switchyard_entities",
    help: "Entities in the store, archived ones too.",
    label: "kind",
    values: ({ entities }) => entities.map(({ kind, count }) => [kind, count]),
  },
  {
    name: "switchyard_keys",
    help: "Keys that are not revoked.",
    label: "kind",
    values: ({ keys }) => keys.map(({ kind, count }) => [kind, count]),
  },
];

function registerGauge(
  registry: Registry,
  { name, help, label, values }: SizeGauge,
  read: () => Promise<StoreSize | undefined>,
): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const size = await read();
      this.reset();
      for (const [labelValue, value] of size === undefined ? [] : values(size)) {
        if (label === undefined) this.set(value);
        else this.set({ [label]: labelValue }, value);
      }
    },
  });
}

/** Counts requests and events, and shows the size of the store, in a separate registry. */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: "switchyard_http_requests_total",
    help: "Answered requests.",
    labelNames: ["method", "route", "status"] as const,
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: "switchyard_http_request_duration_seconds",
    help: "Time from the headers of a request to the end of its answer.",
    labelNames: ["method", "route"] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #events = new Counter({
    name: "switchyard_events_stored_total",
    help: "Events stored on disk.",
    registers: [this.registry],
  });
  readonly #warnings = new Counter({
    name: "switchyard_event_warnings_total",
    help: "Stored events that look wrong: with unknown fields, with times in seconds, or that the rehearsed platform would drop or change.",
    labelNames: ["kind"] as const,
    registers: [this.registry],
  });
  readonly #deliveries = new Counter({
    name: "switchyard_webhook_deliveries_total",
    help: "Attempts to tell a webhook of a change.",
    labelNames: ["outcome"] as const,
    registers: [this.registry],
  });
  readonly #commitEvents = new Histogram({
    name: "switchyard_event_commit_events",
    help: "Events of one transaction.",
    buckets: COMMIT_BUCKETS,
    registers: [this.registry],
  });
  readonly #commitRequests = new Histogram({
    name: "switchyard_event_commit_requests",
    help: "Requests whose events share one transaction.",
    buckets: COMMIT_BUCKETS,
    registers: [this.registry],
  });

  #readSize: (() => Promise<StoreSize>) | undefined;
  #size: Promise<StoreSize | undefined> | undefined;

  constructor() {
    const read = () => this.#readOnce();
    for (const gauge of sizeGauges) registerGauge(this.registry, gauge, read);
  }

  /** Shows the size of a store, which is read when somebody asks for metrics. */
  watchSize(read: () => Promise<StoreSize>): void {
    this.#readSize = read;
  }

  /** All gauges of one answer share a reading. */
  #readOnce(): Promise<StoreSize | undefined> {
    // A store that cannot be read is what /readyz reports: the other metrics are shown.
    this.#size ??= (this.#readSize?.() ?? Promise.resolve(undefined))
      .catch(() => undefined)
      .finally(() => {
        this.#size = undefined;
      });
    return this.#size;
  }

  observeRequest({ method, route, status, durationMs }: RequestObservation): void {
    this.#requests.inc({ method, route, status });
    this.#durations.observe({ method, route }, durationMs / 1_000);
  }

  /** Counts stored events that look wrong. */
  readonly observeWarning = (kind: WarningKind, events: number): void => {
    this.#warnings.inc({ kind }, events);
  };

  /** Counts one attempt to tell a webhook of a change. */
  readonly observeDelivery = (outcome: "delivered" | "failed"): void => {
    this.#deliveries.inc({ outcome });
  };

  /** Shows the changes that webhooks were not told of yet. */
  watchWebhooks(waiting: () => number): void {
    new Gauge({
      name: "switchyard_webhook_changes_waiting",
      help: "Changes that webhooks were not told of yet.",
      registers: [this.registry],
      collect() {
        this.set(waiting());
      },
    });
  }

  /** Counts one transaction that stored events. */
  readonly observeCommit = ({ events, requests }: EventCommit): void => {
    this.#events.inc(events);
    this.#commitEvents.observe(events);
    this.#commitRequests.observe(requests);
  };

  async eventTotals(): Promise<EventTotals> {
    const stored = (await this.#events.get()).values;
    const warned = (await this.#warnings.get()).values;
    const ofKind = (kind: WarningKind) =>
      warned.find(({ labels }) => labels.kind === kind)?.value ?? 0;
    return {
      stored: stored[0]?.value ?? 0,
      dropped: ofKind("target_dropped"),
      changed: ofKind("target_changed"),
    };
  }
}
