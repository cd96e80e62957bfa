import type { Manifest } from "../manifest.js";

/** What spreadsheets take for the beginning of a formula. */
const formulaStart = /^[=+\-@\t\r]/;

/** How an event's name stands in the parts of an export: `csvSafe` puts a ' before formulas. */
export function nameInPart(event: string, { format, configuration }: Manifest): string {
  const isQuoted = format === "csv" && configuration["csvSafe"] === true;
  return isQuoted && formulaStart.test(event) ? `'${event}` : event;
}
