import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { LogLevel } from "../base/log-levels.js";

/** Writes one JSON object a line, to standard error where no stream is given. */
export function createLogger(
  level: LogLevel,
  stream: DestinationStream = destination({ dest: process.stderr.fd, sync: true }),
): Logger {
  return pino({ level, base: null, timestamp: pinoIsoTime }, stream);
}

const pinoIsoTime = () => `,"time":"${new Date().toISOString()}"`;
