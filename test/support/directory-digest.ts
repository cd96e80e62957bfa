import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * Returns the SHA-256 of every file of an export by its path: parts, rejects, and the manifest without
 * the facts of its run. Leaves out `_switchyard`.
 */
export function digestExport(output: string): Record<string, string> {
  const digests: Record<string, string> = {};
  const files = readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) {
    const name = relative(output, file).split(sep).join("/");
    if (name.startsWith("_switchyard/")) continue;
    const bytes = name === "manifest.json" ? manifestResult(file) : readFileSync(file);
    digests[name] = createHash("sha256").update(bytes).digest("hex");
  }
  return digests;
}

function manifestResult(file: string): string {
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  if (manifest["run"] === undefined) throw new Error(`no run in ${file}`);
  delete manifest["run"];
  return JSON.stringify(manifest);
}
