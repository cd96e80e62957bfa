import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Loads Luxon at the first call. Most runs use UTC only and do not need it; loading takes 8 ms of
 * the start of each thread.
 */
export function loadLuxon(): typeof import("luxon") {
  return require("luxon") as typeof import("luxon");
}
