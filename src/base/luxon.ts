import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Luxon, loaded when it is first asked for: most runs have times and days in UTC, and need none of it.
 * It takes 8 ms of the start of each thread.
 */
export function loadLuxon(): typeof import("luxon") {
  return require("luxon") as typeof import("luxon");
}
