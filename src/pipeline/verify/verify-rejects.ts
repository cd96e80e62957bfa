import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { hasCode } from "../../base/error-code.js";
import type { Manifest } from "../manifest.js";
import { compare, type Difference, difference } from "./verify-difference.js";

const REJECTS_DIRECTORY = "rejects";

/** Compares the rejected rows that were kept with the manifest, by reason. */
export async function verifyRejects(
  directory: string,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<readonly Difference[]> {
  const found = new Map<string, number>();
  const differences: Difference[] = [];
  for (const name of await rejectsFiles(directory)) {
    const file = path.posix.join(REJECTS_DIRECTORY, name);
    const malformed = await countCodes(path.join(directory, file), found, signal);
    if (malformed > 0) {
      const message = `line ${malformed} is not a rejected row with a code`;
      differences.push(difference("rejects_differ", file, message));
    }
  }
  const stated = new Map(manifest.rejects.map(({ code, rows }) => [code as string, rows]));
  for (const code of new Set([...stated.keys(), ...found.keys()])) {
    differences.push(
      ...compare(
        "rejects_differ",
        REJECTS_DIRECTORY,
        `rows rejected as ${code}`,
        found.get(code) ?? 0,
        stated.get(code) ?? 0,
      ),
    );
  }
  return differences;
}

async function rejectsFiles(directory: string): Promise<readonly string[]> {
  try {
    const names = await readdir(path.join(directory, REJECTS_DIRECTORY));
    return names.filter((name) => !/^[._]/.test(name)).sort();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** Adds to `found`; returns the 1-based number of the first line that is not a reject, or 0. */
async function countCodes(
  file: string,
  found: Map<string, number>,
  signal: AbortSignal,
): Promise<number> {
  const input = createReadStream(file, { signal });
  let line = 0;
  let malformed = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    const code = codeOf(text);
    if (code === undefined) malformed ||= line;
    else found.set(code, (found.get(code) ?? 0) + 1);
  }
  return malformed;
}

function codeOf(line: string): string | undefined {
  try {
    const code = (JSON.parse(line) as { code?: unknown } | null)?.code;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}
