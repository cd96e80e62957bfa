import { readFile } from "node:fs/promises";
import { writeDurably } from "../../base/durable-file.js";
import { hasCode } from "../../base/error-code.js";
import { SwitchyardError } from "../../base/errors.js";
import { asOutput } from "../../base/output-error.js";
import type { Layout } from "./layout.js";

/** Writes a file of the ledger as JSON: after a crash there is the old one or the new one. */
export async function writeLedgerFile(
  { temporaryDirectory }: Pick<Layout, "temporaryDirectory">,
  path: string,
  value: unknown,
): Promise<void> {
  const text = `${JSON.stringify(value)}\n`;
  await asOutput(path, () => writeDurably(path, text, { temporaryDirectory }));
}

/** undefined where there is no such file. Throws where it cannot be understood. */
export async function readLedgerFile<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as T;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw brokenLedger(path, (error as Error).message, error);
  }
}

export function brokenLedger(path: string, reason: string, cause?: unknown): SwitchyardError {
  return new SwitchyardError(
    "ledger_unreadable",
    `${path} cannot be read (${reason}): start over with --fresh`,
    { cause },
  );
}
