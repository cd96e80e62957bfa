import { randomUUID } from "node:crypto";
import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";
import type { Logger } from "pino";
import type { RouteTable } from "../contract/route.js";
import type { Store } from "../storage/store.js";
import type { Target } from "../target/target.js";
import { KEY_HEADER } from "./authentication.js";
import type { Origins } from "./cors.js";
import { answerClientError, type ClientError, errorAnswer } from "./error-answer.js";
import type { AnyHandlers } from "./handler.js";
import { ServiceMetrics } from "./metrics.js";
import { isPageURL, sendPage } from "./page-routes.js";
import { registerPublicRoutes } from "./public-routes.js";
import { RateLimiter } from "./rate-limiter.js";
import { readRequestBody } from "./request-body.js";
import { headersRefusal, requestIdOf } from "./request-headers.js";
import { RequestLog } from "./request-log.js";
import { registerRoutes } from "./route-registration.js";
import { ServiceError } from "./service-error.js";
import { type ServiceLimits, serviceLimits } from "./service-limits.js";
import { ServiceState } from "./service-state.js";

/** Routes, and the handlers that answer them once the store is open. */
export interface Endpoints {
  readonly routes: RouteTable;
  createHandlers(store: Store, metrics: ServiceMetrics): AnyHandlers;
  /** Called after the last answer. */
  close?(): Promise<void>;
}

export interface AppOptions {
  readonly logger: Logger;
  readonly newRequestId?: () => string;
  /** Returns ms since the epoch, at which keys expire and are used. */
  readonly currentTime?: () => number;
  readonly keyHeader?: string;
  /** The platform that is rehearsed: its headers may carry the key, too. */
  readonly target?: Target | undefined;
  readonly limits?: Partial<ServiceLimits>;
  /** Origins of pages that may call the routes of client keys; `*` for all. Default: none. */
  readonly origins?: Origins;
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

/** Creates an HTTP service without a socket. */
export function createApp(
  endpoints: Endpoints,
  {
    logger,
    newRequestId = randomUUID,
    currentTime: now = Date.now,
    keyHeader = KEY_HEADER,
    target,
    limits: given,
    origins = [],
  }: AppOptions,
): App {
  const limits = { ...serviceLimits, ...given };
  const metrics = new ServiceMetrics();
  const state = new ServiceState((store) => endpoints.createHandlers(store, metrics), limits);
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
      // The page says that it is not found.
      if (error.statusCode === 400 && isPageURL(request.url)) {
        reply.statusCode = 404;
        sendPage(reply);
      } else answerError(error, request, reply);
      log.answered(request, reply);
    },
    clientErrorHandler: (error: ClientError, socket) => {
      const status = answerClientError(error, socket);
      if (status !== undefined) log.unreadable(status, error.code);
    },
  });
  http.decorateRequest("caller", null);
  http.decorateRequest("session", null);
  http.decorateRequest("bodyText", undefined);
  http.setErrorHandler(answerError);
  // Streams have no end of their own.
  http.addHook("preClose", async () => state.stop());
  http.addHook("onClose", async () => endpoints.close?.());
  acceptJson(http, limits);
  addHooks(http, state, log);
  registerPublicRoutes(http, { state, metrics, routes: endpoints.routes, keyHeader });
  // Clients that are made for the platform send the key in its header.
  const others = [target?.send?.authHeader, target?.console?.authHeader];
  const keyHeaders = [keyHeader, ...others.filter((name) => name !== undefined)];
  registerRoutes(http, endpoints.routes, {
    state,
    keyHeaders,
    limits,
    origins,
    rates: new RateLimiter(),
    now,
  });
  return {
    http,
    limits,
    metrics,
    open: (store) => state.open(store),
    beginStop: () => state.stop(),
  };
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
