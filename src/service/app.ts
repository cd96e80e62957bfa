import { randomUUID } from "node:crypto";
import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";
import type { Logger } from "pino";
import type { RouteTable } from "../contract/route.js";
import { routes } from "../contract/routes.js";
import type { Store } from "../storage/store.js";
import type { Target } from "../target/target.js";
import { KEY_HEADER } from "./authentication.js";
import type { Origins } from "./cors.js";
import { dynamicConfigHandlers } from "./dynamic-configs.js";
import { EntityOperations } from "./entity-operations.js";
import { environmentHandlers } from "./environments.js";
import { answerClientError, type ClientError, errorAnswer } from "./error-answer.js";
import { evaluationHandlers } from "./evaluation.js";
import { eventHandlers } from "./events.js";
import { experimentOverrideHandlers } from "./experiment-overrides.js";
import { experimentHandlers } from "./experiments.js";
import { ExposureLog } from "./exposure-log.js";
import { gateOverrideHandlers } from "./gate-overrides.js";
import { gateHandlers } from "./gates.js";
import type { AnyHandlers, Handlers } from "./handler.js";
import { holdoutHandlers } from "./holdouts.js";
import { IsolatedSchemaChecker } from "./isolated-schema-checker.js";
import { layerHandlers } from "./layers.js";
import { LiveCatalogue } from "./live-catalogue.js";
import { ServiceMetrics } from "./metrics.js";
import { type NewIdentifier, randomIdentifier } from "./new-entity.js";
import { ofrepHandlers } from "./ofrep.js";
import { projectHandlers } from "./project.js";
import { promptHandlers } from "./prompts.js";
import { registerPublicRoutes } from "./public-routes.js";
import { qualifyingEventHandlers } from "./qualifying-events.js";
import { registryHandlers } from "./registries.js";
import { readRequestBody } from "./request-body.js";
import { headersRefusal, requestIdOf } from "./request-headers.js";
import { RequestLog } from "./request-log.js";
import { registerRoutes } from "./route-registration.js";
import { experimentScheduleHandlers, ScheduledStarts } from "./scheduled-starts.js";
import type { SchemaChecker } from "./schema-checker.js";
import { segmentHandlers } from "./segments.js";
import { ServiceError } from "./service-error.js";
import { type ServiceLimits, serviceLimits } from "./service-limits.js";
import { ServiceState } from "./service-state.js";

/** Routes, and the handlers that answer them once the store is open. */
export interface Endpoints {
  readonly routes: RouteTable;
  createHandlers(store: Store): AnyHandlers;
}

export interface AppDependencies {
  readonly logger: Logger;
  /** ms since the epoch. */
  readonly now?: () => number;
  readonly newIdentifier?: NewIdentifier;
  /** Closed with the app. */
  readonly schemaChecker?: SchemaChecker;
  readonly newRequestId?: () => string;
  readonly keyHeader?: string;
  /** The platform that is rehearsed: events that it would drop or change are answered with warnings. */
  readonly target?: Target | undefined;
  readonly limits?: Partial<ServiceLimits>;
  /** Origins of pages that may call the routes of client keys; `*` for all. Default: none. */
  readonly origins?: Origins;
  /** Default: the endpoints of the service. Tests pass others. */
  readonly endpoints?: Endpoints;
}

export interface App {
  /** Answers requests that are injected, or that come over a socket. */
  readonly http: FastifyInstance;
  readonly limits: ServiceLimits;
  readonly metrics: ServiceMetrics;
  /** Starts to answer requests. Before, they get a 503. */
  open(store: Store): void;
  /** Refuses new requests with a 503. Accepted requests finish. */
  beginStop(): void;
}

/** Creates the service without a socket. */
export function createApp(dependencies: AppDependencies): App {
  const { logger, newRequestId = randomUUID, keyHeader = KEY_HEADER, target } = dependencies;
  const limits = { ...serviceLimits, ...dependencies.limits };
  const schemaChecker = dependencies.schemaChecker ?? new IsolatedSchemaChecker();
  const metrics = new ServiceMetrics();
  const closings = [() => schemaChecker.close()];
  const endpoints =
    dependencies.endpoints ??
    serviceEndpoints(dependencies, {
      schemaChecker,
      metrics,
      atClose: (close) => closings.push(close),
    });
  const state = new ServiceState(endpoints.createHandlers, limits);
  const log = new RequestLog(logger, metrics);
  const answerError = errorAnswer(log, keyHeader, limits, state);

  const http: FastifyInstance = fastify({
    ...connectionOptions(limits),
    logger: false,
    schemaController: noSchemas,
    genReqId: (request) => requestIdOf(request.headers, limits) ?? newRequestId(),
    // `ServiceState` refuses them, in the documented form.
    return503OnClosing: false,
    // For requests that reach no route and no hook.
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id);
      answerError(error, request, reply);
      log.answered(request, reply);
    },
    clientErrorHandler: (error: ClientError, socket) => {
      const status = answerClientError(error, socket);
      if (status !== undefined) log.unreadable(status, error.code);
    },
  });
  http.decorateRequest("caller", null);
  http.decorateRequest("bodyText", undefined);
  http.setErrorHandler(answerError);
  http.addHook("onClose", async () => {
    await Promise.all(closings.map((close) => close()));
  });
  acceptJson(http, limits);
  addHooks(http, state, log);
  registerPublicRoutes(http, { state, metrics, routes: endpoints.routes, keyHeader });
  // Clients that are made for the platform send the key in its header.
  const others = [target?.send?.authHeader, target?.console?.authHeader];
  const keyHeaders = [keyHeader, ...others.filter((name) => name !== undefined)];
  const { origins = [] } = dependencies;
  registerRoutes(http, endpoints.routes, { state, keyHeaders, limits, origins });
  return {
    http,
    limits,
    metrics,
    open: (store) => state.open(store),
    beginStop: () => state.stop(),
  };
}

interface EndpointParts {
  readonly schemaChecker: SchemaChecker;
  readonly metrics: ServiceMetrics;
  /** Calls a function after the last answer. */
  atClose(close: () => Promise<void>): void;
}

function serviceEndpoints(
  { logger, now = Date.now, newIdentifier = randomIdentifier, target }: AppDependencies,
  { schemaChecker, metrics, atClose }: EndpointParts,
): Endpoints {
  const onWarning = metrics.observeWarning;
  const createHandlers = ({ entities, events, keys }: Store): Handlers<typeof routes> => {
    const operations = new EntityOperations(entities, now);
    const catalogue = new LiveCatalogue(entities);
    const onLost = (err: unknown, exposures: number) =>
      logger.error({ err, exposures }, "Exposures lost");
    const exposures = new ExposureLog(events, { now, onLost });
    atClose(() => exposures.close());
    const onFailed = (err: unknown, experimentID: string | undefined) =>
      logger.error({ err, experimentID }, "Scheduled start failed");
    const starts = new ScheduledStarts({ entities, keys, operations, now, onFailed });
    atClose(() => starts.close());
    starts.begin();
    return {
      ...gateHandlers(operations, newIdentifier),
      ...gateOverrideHandlers(operations),
      ...dynamicConfigHandlers(operations, newIdentifier, schemaChecker),
      ...experimentHandlers(operations, newIdentifier),
      ...experimentOverrideHandlers(operations),
      ...experimentScheduleHandlers(operations, now),
      ...qualifyingEventHandlers(operations),
      ...segmentHandlers(operations, newIdentifier),
      ...promptHandlers(operations),
      ...registryHandlers(operations),
      ...layerHandlers(operations),
      ...holdoutHandlers(operations),
      ...projectHandlers(keys),
      ...environmentHandlers(operations, newIdentifier),
      ...eventHandlers(events, { now, onWarning, target }),
      ...evaluationHandlers({ catalogue, entities, exposures, now }),
      ...ofrepHandlers({ catalogue, exposures, now }),
    };
  };
  // Each handler gets what its own route defines: see `registerRoutes`.
  return { routes, createHandlers: (store) => createHandlers(store) as unknown as AnyHandlers };
}

/** The contract checks requests, so fastify does not load its own schema compilers. */
const noSchemas = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
};

function refuseSchema(): never {
  throw new Error("a route has a schema for fastify");
}

function connectionOptions(limits: ServiceLimits) {
  return {
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionTimeout: limits.idleTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
      maxHeaderSize: limits.headerBytesMax,
      // Checked in `headersRefusal`, which answers in the documented form.
      requireHostHeader: false,
    },
    // A path is part of the headers, so it cannot be longer.
    routerOptions: { maxParamLength: limits.headerBytesMax },
  };
}

/** Registers one parser for every content type, because an empty body may have any. */
function acceptJson(http: FastifyInstance, limits: ServiceLimits): void {
  const parse = async (request: FastifyRequest, bytes: Buffer) => {
    const { config } = request.routeOptions;
    const { text, value } = await readRequestBody(bytes, request, config, limits);
    request.bodyText = text;
    return value;
  };
  http.removeAllContentTypeParsers();
  http.addContentTypeParser("*", { parseAs: "buffer" }, parse);
}

function addHooks(http: FastifyInstance, state: ServiceState, log: RequestLog): void {
  // A client that sends `Expect: 100-continue` waits until its key is checked: see `registerRoute`.
  http.server.on("checkContinue", (request, response) => http.routing(request, response));
  http.server.on("checkExpectation", (request, response) => http.routing(request, response));
  http.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    // Caches do not know that our own header carries the key.
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    done(headersRefusal(request.raw) ?? (request.is404 ? noRoute(request) : undefined));
  });
  http.addHook("onSend", (_request, reply, _payload, done) => {
    if (state.stopping) reply.header("connection", "close");
    done();
  });
  http.addHook("onResponse", (request, reply, done) => {
    log.answered(request, reply);
    done();
  });
}

function noRoute({ method, url }: FastifyRequest): ServiceError {
  const path = url.split("?", 1)[0];
  return new ServiceError({ status: 404, message: `There is no route ${method} ${path}` });
}
