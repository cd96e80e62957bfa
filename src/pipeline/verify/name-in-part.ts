import type { Manifest } from "../manifest.js";
import { type OutputFormat, outputFormat } from "../output-formats.js";

/** Returns the name of an event as the parts of an export store it. */
export function nameInPart(event: string, { format, configuration }: Manifest): string {
  const { storedName = (name: string) => name } = outputFormat(format as OutputFormat);
  return storedName(event, { csvSafe: configuration["csvSafe"] === true });
}
