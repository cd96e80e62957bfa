import { requireBuilt } from "./package-files.js";

/**
 * Loads Luxon at the first call. Most runs use only UTC and do not need it, and loading delays the start of
 * each thread by 8 ms.
 */
export function loadLuxon(): typeof import("luxon") {
  return requireBuilt("luxon.cjs");
}
