import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Loads Luxon at the first call. Most runs use only UTC and do not need it, and loading delays the start of
 * each thread by 8 ms.
 */
export function loadLuxon(): typeof import("luxon") {
  return require("luxon") as typeof import("luxon");
}
