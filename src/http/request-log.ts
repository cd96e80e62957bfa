import type { FastifyReply, FastifyRequest } from "fastify";
import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { LogLevel } from "../base/log-levels.js";
import type { Access } from "../contract/route.js";
import type { ServiceMetrics } from "./metrics.js";

/** Returns a logger that writes one JSON object per line, by default to standard error. */
export function createLogger(
  level: LogLevel,
  stream: DestinationStream = destination({ dest: process.stderr.fd, sync: true }),
): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** A frequent route: answers without a fault are logged at `debug` only. */
    readonly frequent?: boolean;
    /** The kind of key that the route requires; absent for routes outside of the contract. */
    readonly access?: Access;
    /** The member of the body that lists events. */
    readonly eventsMember?: string;
    /** True for a body that lists ids. */
    readonly listsIDs?: true;
    /** True for routes of SDKs. */
    readonly sdk?: true;
    /** True for routes of OpenFeature. */
    readonly ofrep?: true;
  }
}

const NO_ROUTE = "none";

/** Counts and logs each answered request. Never logs its key or its body. */
export class RequestLog {
  readonly #logger: Logger;
  readonly #metrics: ServiceMetrics;

  constructor(logger: Logger, metrics: ServiceMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  /**
   * Counts and logs an answered request. A log line costs more than all other work for an event, so only
   * failed event requests are logged. The metrics count all requests.
   */
  answered(request: FastifyRequest, reply: FastifyReply): void {
    const { method } = request;
    const { url: route = NO_ROUTE, config } = request.routeOptions;
    const status = reply.statusCode;
    const durationMs = reply.elapsedTime;
    this.#metrics.observeRequest({ method, route, status, durationMs });
    const level = config?.frequent === true && status < 400 ? "debug" : "info";
    if (!this.#logger.isLevelEnabled(level)) return;
    const facts = {
      requestId: request.id,
      method,
      route,
      status,
      durationMs: Math.round(durationMs * 1_000) / 1_000,
    };
    const keyId = request.caller?.id;
    this.#logger[level](keyId === undefined ? facts : { ...facts, keyId }, "Request answered");
  }

  /** Logs a defect or a failing disk, which the answer does not describe. */
  failed(request: FastifyRequest, error: unknown): void {
    this.#logger.error({ requestId: request.id, err: error }, "Request failed");
  }

  /** Counts and logs a connection that sent no valid request. */
  unreadable(status: number, code: string | undefined): void {
    this.#metrics.observeRequest({ method: "NONE", route: NO_ROUTE, status, durationMs: 0 });
    this.#logger.info({ status, code }, "Request unreadable");
  }
}
