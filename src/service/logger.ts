import { type DestinationStream, destination, type Level, type Logger, pino } from "pino";

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace"] as const satisfies [
  ...Level[],
];

export type LogLevel = (typeof logLevels)[number];

/** Writes one JSON object a line, to standard error where no stream is given. */
export function createLogger(
  level: LogLevel,
  stream: DestinationStream = destination({ dest: process.stderr.fd, sync: true }),
): Logger {
  return pino({ level, base: null, timestamp: pinoIsoTime }, stream);
}

const pinoIsoTime = () => `,"time":"${new Date().toISOString()}"`;
