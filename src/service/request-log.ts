import type { FastifyReply, FastifyRequest } from "fastify";
import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { LogLevel } from "../base/log-levels.js";
import type { ServiceMetrics } from "./metrics.js";

/** Writes one JSON object a line, to standard error where no stream is given. */
export function createLogger(
  level: LogLevel,
  stream: DestinationStream = destination({ dest: process.stderr.fd, sync: true }),
): Logger {
  return pino({ level, base: null, timestamp: pinoIsoTime }, stream);
}

const pinoIsoTime = () => `,"time":"${new Date().toISOString()}"`;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Asked for so often that answers without a fault are logged at `debug` alone. */
    readonly frequent?: boolean;
  }
}

const NO_ROUTE = "none";

/** Counts each answered request, and writes one line of it: never a key, never a body. */
export class RequestLog {
  readonly #logger: Logger;
  readonly #metrics: ServiceMetrics;

  constructor(logger: Logger, metrics: ServiceMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  /**
   * A line costs more than the rest of an event's way through the app together, and there are
   * thousands of events a second: the metrics count them, the log tells of those that failed.
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

  /** A defect, or a disk that fails: what the answer does not tell. */
  failed(request: FastifyRequest, error: unknown): void {
    this.#logger.error({ requestId: request.id, err: error }, "Request failed");
  }

  /** What came over a connection was no request. */
  unreadable(status: number, code: string | undefined): void {
    this.#metrics.observeRequest({ method: "NONE", route: NO_ROUTE, status, durationMs: 0 });
    this.#logger.info({ status, code }, "Request unreadable");
  }
}
