import { closestTo } from "./spelling.js";

/**
 * Common names of zones that are not IANA names: abbreviations, with and without daylight saving,
 * and Windows names. If an abbreviation is ambiguous, this is the zone that most data uses.
 */
const zoneNames: Readonly<Record<string, string>> = {
  pst: "America/Los_Angeles",
  pdt: "America/Los_Angeles",
  pt: "America/Los_Angeles",
  mdt: "America/Denver",
  mt: "America/Denver",
  akst: "America/Anchorage",
  akdt: "America/Anchorage",
  cst: "America/Chicago",
  cdt: "America/Chicago",
  ct: "America/Chicago",
  edt: "America/New_York",
  et: "America/New_York",
  est: "America/New_York",
  mst: "America/Denver",
  hst: "Pacific/Honolulu",
  ast: "America/Halifax",
  adt: "America/Halifax",
  nst: "America/St_Johns",
  brt: "America/Sao_Paulo",
  art: "America/Argentina/Buenos_Aires",
  bst: "Europe/London",
  cest: "Europe/Berlin",
  eest: "Europe/Helsinki",
  cet: "Europe/Berlin",
  eet: "Europe/Helsinki",
  wet: "Europe/Lisbon",
  west: "Europe/Lisbon",
  msk: "Europe/Moscow",
  trt: "Europe/Istanbul",
  ist: "Asia/Kolkata",
  pkt: "Asia/Karachi",
  gst: "Asia/Dubai",
  wib: "Asia/Jakarta",
  sgt: "Asia/Singapore",
  hkt: "Asia/Hong_Kong",
  pht: "Asia/Manila",
  kst: "Asia/Seoul",
  jst: "Asia/Tokyo",
  ctt: "Asia/Shanghai",
  aest: "Australia/Sydney",
  aedt: "Australia/Sydney",
  aet: "Australia/Sydney",
  acst: "Australia/Adelaide",
  acdt: "Australia/Adelaide",
  awst: "Australia/Perth",
  nzst: "Pacific/Auckland",
  nzdt: "Pacific/Auckland",
  sast: "Africa/Johannesburg",
  eat: "Africa/Nairobi",
  cat: "Africa/Maputo",
  wat: "Africa/Lagos",
  "pacific standard time": "America/Los_Angeles",
  "mountain standard time": "America/Denver",
  "central standard time": "America/Chicago",
  "eastern standard time": "America/New_York",
  "gmt standard time": "Europe/London",
  "w. europe standard time": "Europe/Berlin",
  "romance standard time": "Europe/Paris",
  "central european standard time": "Europe/Warsaw",
  "india standard time": "Asia/Kolkata",
  "china standard time": "Asia/Shanghai",
  "tokyo standard time": "Asia/Tokyo",
  "aus eastern standard time": "Australia/Sydney",
  utc0: "UTC",
  universal: "UTC",
  "coordinated universal time": "UTC",
};

/**
 * Suggests a zone for an unknown name: by abbreviation (`PST8`), by city (`New York`), or by
 * spelling (`Europe/Berln`). Returns undefined if nothing is close.
 */
export function suggestZone(text: string): string | undefined {
  const word = text.trim().toLowerCase();
  const named = zoneNames[word] ?? zoneNames[word.replace(/[+-]?\d{1,2}$/, "")];
  if (named !== undefined) return named;
  const known = Intl.supportedValuesOf("timeZone");
  const place = word.replaceAll(/[\s_-]+/g, "_");
  const city = known.find((zone) => zone.toLowerCase().split("/").at(-1) === place);
  if (city !== undefined) return city;
  // Compare whole names only: too many cities have similar names.
  return place.includes("/") ? closestTo(place, known) : undefined;
}
