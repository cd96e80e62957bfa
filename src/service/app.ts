import { randomUUID } from "node:crypto";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Logger } from "pino";
import { routes } from "../contract/routes.js";
import type { Store } from "../storage/store.js";
import { KEY_HEADER } from "./authentication.js";
import { internalError, refusalOf } from "./failure.js";
import { createHandlers } from "./handlers.js";
import { type NewIdentifier, randomIdentifier } from "./identifiers.js";
import { type ServiceLimits, serviceLimits } from "./limits.js";
import { readBody } from "./request-body.js";
import { requestIdOf } from "./request-headers.js";
import { type AnyHandlers, type RouteTable, registerRoutes } from "./route-registrar.js";
import { ServiceError } from "./service-error.js";
import { ServiceState } from "./service-state.js";

/** Routes, and what answers them once there is a store. */
export interface Endpoints {
  readonly routes: RouteTable;
  createHandlers(store: Store): AnyHandlers;
}

export interface AppDependencies {
  readonly logger: Logger;
  /** ms since the epoch. */
  readonly now?: () => number;
  readonly newIdentifier?: NewIdentifier;
  readonly newRequestId?: () => string;
  readonly keyHeader?: string;
  readonly limits?: Partial<ServiceLimits>;
  /** Those of the service, where tests bring no others. */
  readonly endpoints?: Endpoints;
}

export interface App {
  /** Answers requests, injected ones and those of a socket alike. */
  readonly http: FastifyInstance;
  readonly limits: ServiceLimits;
  /** From here on requests are answered; before, they are 503. */
  open(store: Store): void;
  /** From here on new requests are 503; those that were let in finish. */
  beginStop(): void;
}

/** The service without a socket. Nothing is read or answered before `open`. */
export function createApp(dependencies: AppDependencies): App {
  const { logger, newRequestId = randomUUID, keyHeader = KEY_HEADER } = dependencies;
  const limits = { ...serviceLimits, ...dependencies.limits };
  const endpoints = dependencies.endpoints ?? serviceEndpoints(dependencies);
  const state = new ServiceState<AnyHandlers>(endpoints.createHandlers, limits.retryAfterSeconds);

  const answerError = errorAnswer(logger, keyHeader);
  const http: FastifyInstance = fastify({
    logger: false,
    genReqId: (request) => requestIdOf(request.headers, limits) ?? newRequestId(),
    return503OnClosing: false,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionTimeout: limits.idleTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
      maxHeaderSize: limits.headerBytesMax,
    },
    routerOptions: { maxParamLength: limits.headerBytesMax },
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id);
      answerError(error, request, reply);
    },
  });
  http.decorateRequest("caller", null);
  http.decorateRequest("bodyText", undefined);
  acceptJson(http, limits);
  http.setErrorHandler(answerError);
  http.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    if (request.is404) throw noRoute(request.method, request.url);
  });
  registerRoutes(http, endpoints.routes, { state, keyHeader, limits });
  return {
    http,
    limits,
    open: (store) => state.open(store),
    beginStop: () => state.stop(),
  };
}

function serviceEndpoints({
  now = Date.now,
  newIdentifier = randomIdentifier,
}: AppDependencies): Endpoints {
  return {
    routes,
    // The table says what each handler gets, and the registrar gives each what its own route says.
    createHandlers: (store) =>
      createHandlers({ store, now, newIdentifier }) as unknown as AnyHandlers,
  };
}

/** One parser for every type, so that an empty body is none whatever its type. */
function acceptJson(http: FastifyInstance, limits: ServiceLimits): void {
  http.removeAllContentTypeParsers();
  http.addContentTypeParser(
    "*",
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      const type = request.headers["content-type"];
      const { text, value } = readBody(bytes, type, limits.bodyDepthMax);
      request.bodyText = text;
      return value;
    },
  );
}

function errorAnswer(logger: Logger, keyHeader: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error);
    if (refusal === undefined) {
      logger.error({ requestId: request.id, err: error }, "A request failed");
      reply.code(internalError.status).send(internalError);
      return;
    }
    if (refusal.status === 401) reply.header("www-authenticate", `ApiKey header="${keyHeader}"`);
    if (refusal.retryAfterSeconds !== undefined) {
      reply.header("retry-after", String(refusal.retryAfterSeconds));
    }
    reply.code(refusal.status).send(refusal.body);
  };
}

function noRoute(method: string, url: string): ServiceError {
  const path = url.split("?", 1)[0];
  return new ServiceError({ status: 404, message: `There is no route ${method} ${path}` });
}
