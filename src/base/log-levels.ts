/** Levels of the service's log, from the one that tells least. */
export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace"] as const;

export type LogLevel = (typeof logLevels)[number];
