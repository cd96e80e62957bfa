import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { writeDurably } from "../base/durable-file.js";
import { hasCode, UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import { asOutput } from "../base/output-error.js";
import { version } from "../base/package-files.js";
import type { RunHead } from "../ledger/ledger.js";
import { optionDifferences } from "../ledger/recorded-options.js";
import { describeVersionChange } from "../ledger/resume.js";
import type { ExportOptions, OwnOptions, RunOptions, SendOptions } from "../options/options.js";
import { type Layout, layoutOf } from "../output/layout.js";
import type { RunSpec } from "../run/run-spec.js";

/** Options that are not shared: those of a machine, those of the coordinator alone, and secrets. */
const unshared: ReadonlySet<string> = new Set<keyof ExportOptions | keyof SendOptions>([
  "threads",
  "memoryBytes",
  "s3",
  "inputs",
  "cwd",
  "notInputs",
  "outputDirectory",
  "fresh",
  "finish",
  "shard",
  "queue",
  "serverSecret",
]);

/** Saves the options that workers share. */
export async function writeWorkerOptions(layout: Layout, options: RunOptions): Promise<void> {
  const { salt, ...privacy } = options.privacy;
  const shared = Object.entries(options).filter(([name]) => !unshared.has(name));
  const written = { ...Object.fromEntries(shared), privacy, version };
  const { workerOptionsFile: path, temporaryDirectory } = layout;
  const text = `${JSON.stringify(written)}\n`;
  await asOutput(path, () => writeDurably(path, text, { temporaryDirectory }));
}

/**
 * Returns the options of a run for this worker; undefined if the output has none. Throws
 * `worker_differs` if the coordinator has another version.
 */
export async function readWorkerOptions(
  directory: string,
  { salt, ...own }: OwnOptions,
): Promise<ExportOptions | SendOptions | undefined> {
  const { workerOptionsFile } = layoutOf(directory, "");
  let text: string;
  try {
    text = await readFile(workerOptionsFile, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  // The coordinator has checked the options, and `requireSameRun` compares those that decide the output.
  const { version: of, ...shared } = JSON.parse(text) as (ExportOptions | SendOptions) & {
    readonly version: string;
  };
  if (of !== version) throw differs(directory, [describeVersionChange(of, version)]);
  return {
    ...shared,
    ...own,
    privacy: { ...shared.privacy, ...omitUndefined({ salt }) },
    inputs: [],
    cwd: directory,
    notInputs: [],
    outputDirectory: directory,
    fresh: false,
    finish: false,
  };
}

/** Returns what distinguishes a run from every other one: a digest of its plans and options. */
export function runIdOf(heads: readonly RunHead[]): string {
  const hash = createHash("sha256");
  for (const { version: of, options, lines } of heads)
    hash.update(JSON.stringify([of, options, lines.sha256]));
  return hash.digest("hex").slice(0, 16);
}

/** Throws `worker_differs` if this worker would write something other than the coordinator expects. */
export function requireSameRun(
  output: string,
  head: RunHead,
  { recorded }: Pick<RunSpec, "recorded">,
): void {
  const changes = optionDifferences(head.options, recorded).map(describe);
  if (changes.length > 0) throw differs(output, changes);
}

function differs(output: string, changes: readonly string[]): UsageError {
  const lines = changes.map((change) => `\n  ${change}`).join("");
  return new UsageError(
    "worker_differs",
    `This worker cannot read splits of ${output}:${lines}\nStart it with the version, the salt, the transform module and the table of identities of the coordinator.`,
  );
}

function describe(difference: string): string {
  if (difference.startsWith("privacy.saltCheck:"))
    return difference.endsWith("is not set")
      ? `the salt is missing (SWITCHYARD_HASH_SALT or ${option("hashSaltFile")})`
      : "the salt is another one";
  if (difference.startsWith(`${option("transform")}:`))
    return "the transform module is another one";
  if (difference.startsWith(`${option("identity")}:`))
    return "the table of identities is another one";
  return difference;
}
