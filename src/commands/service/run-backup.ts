import { statSync } from "node:fs";
import path from "node:path";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { formatCount } from "../../base/format-count.js";
import { sum } from "../../base/sum.js";
import { formatNumberOf } from "../../report/quantities.js";
import type { BackupManifest } from "../../storage/backup/backup-manifest.js";
import { restoreBackup } from "../../storage/backup/restore-backup.js";
import { writeBackup } from "../../storage/backup/write-backup.js";
import type { CommandContext, OutputForm } from "../context.js";
import { printResult } from "../print-result.js";
import { type CommandLine, runConfigured } from "../run-configured.js";
import { serviceOptionsOf } from "./service-options.js";

interface BackupLine extends CommandLine {
  readonly file: string;
  /** Replaces the file if it exists. */
  readonly force: boolean;
}

/** Writes a backup of a data directory and returns the exit code; never throws. */
export function runBackup({ file, force, ...line }: BackupLine, context: CommandContext) {
  return runConfigured("backup", line, context, async ({ values }, output) => {
    const { signal, currentDirectory } = context;
    const { dataDirectory } = serviceOptionsOf(values, currentDirectory);
    const target = path.resolve(currentDirectory, file);
    const options = { overwrite: force, signal, now: Date.now };
    const manifest = await untilStopped(signal, "no backup was written", () =>
      writeBackup(dataDirectory, target, options),
    );
    const { size: bytes } = statSync(target);
    const facts = { file: target, bytes, time: manifest.time, databases: manifest.databases };
    const head = `${target}: ${formatNumberOf(bytes, "byte")}, the data of ${manifest.time}; restored and compared`;
    print("backup", facts, [head, ...linesOf(manifest)], output, context);
    return exitCodes.done;
  });
}

interface RestoreLine extends CommandLine {
  readonly file: string;
}

/** Restores a backup into a data directory and returns the exit code; never throws. */
export function runRestore({ file, ...line }: RestoreLine, context: CommandContext) {
  return runConfigured("restore", line, context, async ({ values }, output) => {
    const { signal, currentDirectory } = context;
    const { dataDirectory } = serviceOptionsOf(values, currentDirectory);
    const source = path.resolve(currentDirectory, file);
    const manifest = await untilStopped(signal, "nothing was restored", () =>
      restoreBackup(source, dataDirectory, signal),
    );
    const { time, switchyard, databases } = manifest;
    const facts = { file: source, dataDirectory, time, switchyard, databases };
    const head = `${dataDirectory}: the data of ${time}, backed up by Switchyard ${switchyard}`;
    print("restore", facts, [head, ...linesOf(manifest)], output, context);
    return exitCodes.done;
  });
}

function print(
  command: string,
  facts: object,
  lines: readonly string[],
  output: OutputForm,
  context: CommandContext,
): void {
  const result = { command, exitCode: exitCodes.done, ...facts };
  if (output.json) context.stdout.write(`${JSON.stringify(result)}\n`);
  else printResult(lines.join("\n"), output, context);
}

function linesOf({ databases }: BackupManifest): readonly string[] {
  return databases.map(({ file, tables }) => {
    const rows = sum(tables, (table) => table.rows);
    return `  ${file}: ${formatCount(rows)} rows in ${formatNumberOf(tables.length, "table")}`;
  });
}

/** Runs `work`. If it ends because the signal was aborted, throws `interrupted` (exit code 130). */
async function untilStopped<Result>(
  signal: AbortSignal,
  state: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!signal.aborted || cause instanceof SwitchyardError) throw cause;
    throw new SwitchyardError("interrupted", `Interrupted: ${state}.`, {
      cause,
      exitCode: exitCodes.interrupted,
    });
  }
}
