import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { exitCodes, UsageError } from "../../base/errors.js";
import { dataFiles } from "../../storage/data-files.js";
import { databaseError } from "../../storage/database-error.js";
import { checkDatabase } from "../../storage/open-database.js";
import type { CommandContext } from "../context.js";
import { printResult } from "../print-result.js";
import { type CommandLine, runConfigured } from "../run-configured.js";
import { serviceOptionsOf } from "./service-options.js";

/** A database file with its faults. */
interface CheckedFile {
  readonly path: string;
  readonly bytes: number;
  readonly problems: readonly string[];
  /** The reason why it could not be checked. */
  readonly notChecked?: string;
}

/** Errors that say nothing about a file itself. */
const obstacles: ReadonlySet<string> = new Set([
  "database_unwritable",
  "database_busy",
  "database_newer",
  "disk_full",
]);

/** Checks the databases of a data directory and returns the exit code; never throws. */
export function runCheckData(line: CommandLine, context: CommandContext): Promise<number> {
  return runConfigured("check-data", line, context, async ({ values }, output) => {
    const databases = checkFiles(serviceOptionsOf(values, context.currentDirectory).dataDirectory);
    const isSound = databases.every(isSoundFile);
    const exitCode = isSound ? exitCodes.done : exitCodes.failed;
    if (output.json) {
      const result = { command: "check-data", exitCode, databases };
      context.stdout.write(`${JSON.stringify(result)}\n`);
    } else {
      printResult(databases.map(describe).join("\n"), output, context);
    }
    return exitCode;
  });
}

function checkFiles(directory: string): readonly CheckedFile[] {
  const paths = dataFiles.map(({ name }) => join(directory, name));
  if (!paths.some((path) => existsSync(path))) {
    throw new UsageError(
      "data_missing",
      `There is no service data in ${directory}: pass the directory of \`switchyard serve\` as --data.`,
    );
  }
  return dataFiles.map(({ schema }, index) => checkFile(paths[index] as string, schema));
}

function checkFile(path: string, schema: (typeof dataFiles)[number]["schema"]): CheckedFile {
  if (!existsSync(path)) return { path, bytes: 0, problems: ["the file is missing"] };
  const { size: bytes } = statSync(path);
  if (bytes === 0) return { path, bytes, problems: ["the file is empty"] };
  try {
    return { path, bytes, problems: checkDatabase(path, schema) };
  } catch (error) {
    const { code, message } = databaseError(path, error);
    if (obstacles.has(code)) return { path, bytes, problems: [], notChecked: message };
    return { path, bytes, problems: [message] };
  }
}

function isSoundFile({ problems, notChecked }: CheckedFile): boolean {
  return problems.length === 0 && notChecked === undefined;
}

function describe(file: CheckedFile): string {
  const { path, bytes, problems, notChecked } = file;
  if (isSoundFile(file)) return `${path}: sound, ${bytes} bytes`;
  if (notChecked !== undefined) return `${path}: not checked\n  ${notChecked}`;
  const lines = problems.map((problem) => `  ${problem}`);
  return [`${path}: damaged; restore a backup`, ...lines].join("\n");
}
