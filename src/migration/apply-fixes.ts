import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { writeDurably } from "../base/durable-file.js";
import { codeOrMessage, UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import type { Configuration } from "../options/configuration.js";
import { CONFIGURATION_NAME } from "../options/configuration-file.js";
import type { Finding } from "../profile/report.js";
import { type AppliedFixes, describeChange } from "../report/validate-summary.js";

/**
 * Writes the safe fixes of a report into the configuration file, or into a new one, after passing
 * each change to `show`. The rest of the file stays unchanged. Throws `UsageError` if the file
 * cannot be edited or written; it is then unchanged.
 */
export async function applyFixes(
  findings: readonly Finding[],
  { values, directory, fileName }: Pick<Configuration, "values" | "directory" | "fileName">,
  show: (line: string) => void,
): Promise<AppliedFixes> {
  const file = fileName ?? CONFIGURATION_NAME;
  const wanted = findings.flatMap(({ fix }) => (fix?.isSafe === true ? [fix] : []));
  if (wanted.length === 0) return { file, changes: [] };
  // Loaded only here: few runs change a configuration.
  const { editConfiguration } = await import("../options/configuration-edit.js");
  const target = path.join(directory, path.basename(file));
  // A fix depends on the preset of the run, which may come from a flag.
  const before = fileName === undefined ? newText(values.preset) : await readText(target, file);
  const { text, changes } = editConfiguration(before, wanted, file);
  if (changes.length === 0) return { file, changes };
  for (const line of [`Changes of ${file}:`, ...changes.flatMap(describeChange)]) show(line);
  await replace(target, text, file);
  return { file, changes };
}

/** Returns the text of a new configuration. */
function newText(preset: string | undefined): string {
  return `${JSON.stringify(omitUndefined({ preset }), null, 2)}\n`;
}

async function readText(target: string, file: string): Promise<string> {
  try {
    return await readFile(target, "utf8");
  } catch (error) {
    throw notWritable(file, error);
  }
}

/** Replaces the target of a link, and keeps the permissions. */
async function replace(target: string, text: string, file: string): Promise<void> {
  try {
    const real = await realpath(target).catch(() => target);
    const mode = await stat(real).then(
      (found) => found.mode,
      () => undefined,
    );
    await writeDurably(real, text, { mode });
  } catch (error) {
    throw notWritable(file, error);
  }
}

function notWritable(file: string, error: unknown): UsageError {
  return new UsageError(
    "configuration_unwritable",
    `${file} cannot be changed (${codeOrMessage(error)}). Grant write permission, or add the lines yourself.`,
    { cause: error },
  );
}
