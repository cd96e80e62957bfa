import type { Logger } from "pino";
import { routes } from "../contract/routes.js";
import type { scheduledChangeRoutes } from "../contract/scheduled-change.js";
import { type App, type AppOptions, createApp, type Endpoints } from "../http/app.js";
import type { AnyHandlers, Handlers } from "../http/handler.js";
import type { ServiceMetrics } from "../http/metrics.js";
import type { EventStore } from "../storage/event-store.js";
import type { MigrationJournals } from "../storage/migration-journals.js";
import type { EntityStore, Store } from "../storage/store.js";
import type { Target } from "../target/target.js";
import { auditLogHandlers } from "./audit-logs.js";
import { dynamicConfigHandlers } from "./dynamic-configs.js";
import { EntityOperations } from "./entity-operations.js";
import { environmentHandlers } from "./environments.js";
import { evaluationHandlers } from "./evaluation.js";
import { eventHandlers } from "./events.js";
import { EverySecond } from "./every-second.js";
import { experimentOverrideHandlers } from "./experiment-overrides.js";
import { experimentResultHandlers } from "./experiment-results.js";
import { experimentHandlers } from "./experiments.js";
import { ExposureLog } from "./exposure-log.js";
import { gateOverrideHandlers } from "./gate-overrides.js";
import { gateHandlers } from "./gates.js";
import { holdoutHandlers } from "./holdouts.js";
import { IsolatedSchemaChecker } from "./isolated-schema-checker.js";
import { keyHandlers } from "./keys.js";
import { layerHandlers } from "./layers.js";
import { LiveCatalogue } from "./live-catalogue.js";
import { LiveStreams } from "./live-streams.js";
import { migrationHandlers, noJournals } from "./migrations.js";
import { type NewIdentifier, randomIdentifier } from "./new-entity.js";
import { ofrepHandlers } from "./ofrep.js";
import { OldEvents } from "./old-events.js";
import { projectHandlers } from "./project.js";
import { promptHandlers } from "./prompts.js";
import { qualifyingEventHandlers } from "./qualifying-events.js";
import { registryHandlers } from "./registries.js";
import { ScheduledChanges } from "./scheduled-changes.js";
import { experimentScheduleHandlers, ScheduledStarts } from "./scheduled-starts.js";
import type { SchemaChecker } from "./schema-checker.js";
import { segmentHandlers } from "./segments.js";
import { sessionHandlers } from "./sessions.js";
import { SignInTickets } from "./sign-in-tickets.js";
import { staleGateHandlers } from "./stale-gates.js";
import { Webhook } from "./webhook.js";
import { whatIfHandlers } from "./what-if.js";

interface EndpointOptions {
  readonly logger: Logger;
  /** ms since the epoch. */
  readonly now?: () => number;
  /** Returns ms since the epoch, at which sessions begin and end. */
  readonly currentTime?: () => number;
  readonly newIdentifier?: NewIdentifier;
  /** Closed with the service. */
  readonly schemaChecker?: SchemaChecker;
  /** The platform that is rehearsed: events that it would drop or change are answered with warnings. */
  readonly target?: Target | undefined;
  /** URLs that are told of every change. */
  readonly webhooks?: readonly string[];
  /** Signs what they are told; needed with `webhooks`. */
  readonly webhookSecret?: Uint8Array | undefined;
  /** Journals of the migrations of the data directory; default: none. */
  readonly journals?: MigrationJournals | undefined;
  /** Days after which events are removed; absent: they are kept. */
  readonly keptDays?: number | undefined;
}

export interface ServiceOptions extends AppOptions, EndpointOptions {
  /** Default: the endpoints of the service. Tests pass others. */
  readonly endpoints?: Endpoints;
}

/** The app of the service. */
export interface Service extends App {
  /**
   * Returns a secret that signs a person in once, within 15 minutes: with the key of this hash, or with a
   * new key for 12 hours.
   */
  newSignInTicket(keyHash?: string): string;
}

/** Creates the service without a socket. */
export function createService({ endpoints, ...options }: ServiceOptions): Service {
  const tickets = new SignInTickets(options.currentTime ?? Date.now);
  const app = createApp(endpoints ?? new ServiceEndpoints(options, tickets), options);
  return { ...app, newSignInTicket: (keyHash) => tickets.issue(keyHash) };
}

/** All routes of the contract, and what works beside requests. */
class ServiceEndpoints implements Endpoints {
  readonly routes = routes;
  readonly #closings: { close(): Promise<void> }[] = [];
  readonly #schemaChecker: SchemaChecker;

  constructor(
    private readonly options: EndpointOptions,
    private readonly tickets: SignInTickets,
  ) {
    this.#schemaChecker = options.schemaChecker ?? new IsolatedSchemaChecker();
    this.#closings.push(this.#schemaChecker);
  }

  createHandlers(store: Store, metrics: ServiceMetrics): AnyHandlers {
    const { entities, events, keys, sessions } = store;
    metrics.watchSize(() => store.size());
    this.#removeOldEvents(events);
    const { logger, now = Date.now, newIdentifier = randomIdentifier, target } = this.options;
    const { currentTime = Date.now } = this.options;
    const { tickets } = this;
    const operations = new EntityOperations(entities, now);
    const catalogue = new LiveCatalogue(entities);
    const exposures = new ExposureLog(events, {
      now,
      onLost: (err, exposures) => logger.error({ err, exposures }, "Exposures lost"),
    });
    const starts = new ScheduledStarts({
      entities,
      keys,
      operations,
      now,
      onFailed: (err, experimentID) =>
        logger.error({ err, experimentID }, "Scheduled start failed"),
    });
    const live = new LiveStreams({
      ...store,
      now: currentTime,
      onFailed: (err) => logger.error({ err }, "Live streams cannot be told"),
    });
    const handlers: Handlers<Omit<typeof routes, keyof typeof scheduledChangeRoutes>> = {
      ...gateHandlers(operations, newIdentifier),
      ...gateOverrideHandlers(operations),
      ...staleGateHandlers({ entities, events, now }),
      ...dynamicConfigHandlers(operations, newIdentifier, this.#schemaChecker),
      ...experimentHandlers(operations, newIdentifier),
      ...experimentOverrideHandlers(operations),
      ...experimentScheduleHandlers(operations, now),
      ...experimentResultHandlers(operations, events, now),
      ...qualifyingEventHandlers(operations),
      ...segmentHandlers(operations, newIdentifier),
      ...promptHandlers(operations),
      ...registryHandlers(operations),
      ...layerHandlers(operations),
      ...holdoutHandlers(operations),
      ...sessionHandlers({ keys, sessions, tickets, now: currentTime }),
      ...projectHandlers(),
      ...keyHandlers({ keys, logger, now: currentTime }),
      ...auditLogHandlers(store),
      ...live.handlers,
      ...whatIfHandlers({ live: catalogue, operations, events, newIdentifier, now }),
      ...migrationHandlers(this.options.journals ?? noJournals),
      ...environmentHandlers(operations, newIdentifier),
      ...eventHandlers(events, { now, onWarning: metrics.observeWarning, target }),
      ...evaluationHandlers({ catalogue, entities, exposures, now }),
      ...ofrepHandlers({ catalogue, exposures, now }),
    };
    // Each handler gets what its own route defines: see `registerRoutes`.
    const shared = handlers as unknown as AnyHandlers;
    const changes = new ScheduledChanges({
      entities,
      keys,
      operations,
      newIdentifier,
      handlers: shared,
      now,
      onFailed: (err, changeID) => logger.error({ err, changeID }, "Scheduled change failed"),
    });
    const onFailed = (err: unknown) => logger.error({ err }, "Schedules or changes cannot be read");
    const repeated = [starts, changes, ...this.#webhooks(entities, metrics)];
    this.#closings.push(
      exposures,
      ...repeated.map((one) => new EverySecond(() => one.check(), onFailed)),
    );
    return { ...shared, ...(changes.handlers as unknown as AnyHandlers) };
  }

  #webhooks(entities: EntityStore, metrics: ServiceMetrics): readonly Webhook[] {
    const { logger, now = Date.now, webhooks = [], webhookSecret: secret } = this.options;
    if (secret === undefined || webhooks.length === 0) return [];
    const created = webhooks.map((url) => {
      const { host } = new URL(url);
      const onFailed = (err: unknown) => logger.warn({ err, host }, "Webhook cannot be told");
      return new Webhook({
        url,
        secret,
        entities,
        now,
        onAttempt: metrics.observeDelivery,
        onFailed,
      });
    });
    metrics.watchWebhooks(() => created.reduce((sum, { waiting }) => sum + waiting, 0));
    this.#closings.push(...created);
    return created;
  }

  #removeOldEvents(events: EventStore): void {
    const { logger, now = Date.now, keptDays } = this.options;
    if (keptDays === undefined) return;
    const old = new OldEvents({
      events,
      keptDays,
      now,
      onRemoved: (events, before) => logger.info({ events, before }, "Old events removed"),
      onFailed: (err) => logger.error({ err }, "Old events could not be removed"),
    });
    this.#closings.push(old);
    old.begin();
  }

  async close(): Promise<void> {
    await Promise.all(this.#closings.map((one) => one.close()));
  }
}
