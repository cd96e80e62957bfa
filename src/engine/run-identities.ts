import { mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasContent, isThere, moveDurably, notReadBack, syncFile } from "../base/durable-file.js";
import { exitCodes, SwitchyardError, throwIfInterrupted, UsageError } from "../base/errors.js";
import { makeDirectory } from "../base/make-directory.js";
import { option } from "../base/option-text.js";
import { asOutput } from "../base/output-error.js";
import { builtFile } from "../base/package-files.js";
import type { OutputFormat } from "../formats/output-formats.js";
import { LinkFile } from "../identity/link-file.js";
import { type LinkFiles, linkFilesOf } from "../identity/link-files.js";
import { LinkResolver } from "../identity/resolve-links.js";
import {
  IdentityTableFile,
  isOwnTable,
  tableEndings,
  tableFormatOf,
} from "../identity/table-file.js";
import type { RunAccounts } from "../ledger/manifest.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import { foldAccounts, inOrder } from "../ledger/run-accounts.js";
import type { RunContext } from "../ledger/run-observer.js";
import type { IdentitiesOptions, IdentitiesRequest } from "../options/options.js";
import { directoryFiles } from "../output/directory-files.js";
import { layoutOf } from "../output/layout.js";
import { type RunResult, run } from "../run/run.js";
import { discover, inputReading } from "../run/run-inputs.js";
import type { RunSpec } from "../run/run-spec.js";
import { hasMergedIDs, type OtherKind } from "../sources/other-files.js";
import type { StoreUsage } from "../store/store-usage.js";

/** Counts of a table of identities. */
interface IdentityCounts {
  /** Anonymous ids with a user. */
  readonly joined: number;
  /** The same by evidence. */
  readonly evidence: Readonly<Record<string, number>>;
  /** Anonymous ids of several people. */
  readonly shared: number;
  /** Ids of users that were also seen as the anonymous id of another user, and stay apart. */
  readonly apart: number;
  /** Placeholder ids that were found; they join nobody. */
  readonly placeholders: readonly string[];
}

export interface IdentitiesResult
  extends Pick<
    RunResult<RunAccounts>,
    "outcome" | "failures" | "tooManyRejects" | "rowsRead" | "bytesRead" | "durationMs"
  > {
  readonly accounts: RunAccounts;
  /** Absent if a source failed or the run was interrupted: there is no table then. */
  readonly table?: IdentityCounts & { readonly path: string; readonly bytes: number };
  /** Requests to object stores; absent if there were none. */
  readonly store?: StoreUsage;
}

/**
 * Makes a table anonymous id → user id from what inputs say of their ids. What it needs on disk is in a
 * hidden directory beside the table, which is removed. The table replaces an earlier one as a whole. Throws
 * like `run`, and `table_exists` for a file that is not such a table.
 */
export async function runIdentities(
  request: IdentitiesRequest,
  context: RunContext,
): Promise<IdentitiesResult> {
  const { tablePath } = request;
  formatOf(tablePath);
  refuseOther(tablePath);
  const startedMs = (context.now ?? Date.now)();
  const parent = dirname(tablePath);
  await asOutput(parent, () => makeDirectory(parent));
  const directory = join(parent, `.${basename(tablePath)}.switchyard`);
  try {
    const result = await makeTable(directory, request, context);
    await rm(directory, { recursive: true, force: true });
    return { ...result, durationMs: (context.now ?? Date.now)() - startedMs };
  } catch (error) {
    const isBusy = error instanceof SwitchyardError && error.exitCode === exitCodes.busy;
    if (!isBusy) await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

function formatOf(path: string): OutputFormat {
  const format = tableFormatOf(path);
  if (format !== undefined) return format;
  const endings = tableEndings.map((ending) => `.${ending}`).join(", ");
  throw new UsageError(
    "table_name_invalid",
    `${path} is not the name of a table of identities: pass a file that ends in ${endings} to ${option("to")}.`,
  );
}

/** Returns true for files that link ids and hold no events. */
function isData(kind: OtherKind): boolean {
  return kind === "merged ids" || kind === "persons";
}

/** Throws if the file of the table exists and is something else. */
function refuseOther(path: string): void {
  if (!isThere(path) || isOwnTable(path)) return;
  throw new UsageError(
    "table_exists",
    `${path} exists and is not a table of identities: pass another file to ${option("to")}, or remove it.`,
  );
}

async function makeTable(
  outputDirectory: string,
  request: IdentitiesRequest,
  context: RunContext,
): Promise<IdentitiesResult> {
  const { tablePath, ...options } = request;
  const { signal, observer } = context;
  const base = { ...options, outputDirectory, fresh: true };
  const found = await discover(base, signal, { isData });
  throwIfInterrupted(signal);
  const hasMerges = found.sources.some(({ name }) => hasMergedIDs(name));
  const linkFiles = linkFilesOf(outputDirectory);
  const splits: string[] = [];
  const runOptions: IdentitiesOptions = { ...base, hasMerges };
  const spec: RunSpec = {
    options: runOptions,
    recorded: await recordRunOptions(request),
    read: { ...inputReading, discover: async () => found },
    sink: {
      entry: builtFile("identities-worker.js"),
      async drain(records) {
        splits.push(...inOrder(records).map(({ id }) => id));
      },
    },
    output: {
      layout: layoutOf(outputDirectory, "events"),
      files: directoryFiles(outputDirectory),
      begin: async () => {
        await mkdir(linkFiles.directory, { recursive: true });
      },
    },
    fold: async (facts, records) => ({ manifest: foldAccounts(facts, records) }),
  };
  const ended = await run(spec, context);
  const { outcome, failures, tooManyRejects, rowsRead, bytesRead, durationMs, manifest } = ended;
  const facts = { outcome, failures, tooManyRejects, rowsRead, bytesRead, durationMs };
  if (outcome !== "done") return { ...facts, accounts: manifest };
  observer.note?.("joining ids");
  const written = await writeTable(request, { outputDirectory, linkFiles, splits, signal });
  return { ...facts, accounts: manifest, table: { path: tablePath, ...written } };
}

interface FoundLinks {
  readonly outputDirectory: string;
  readonly linkFiles: LinkFiles;
  /** Ids of all splits. */
  readonly splits: readonly string[];
  readonly signal: AbortSignal;
}

/** Resolves the links of all splits, and writes the table. */
async function writeTable(
  { tablePath, memoryBytes }: IdentitiesRequest,
  { outputDirectory, linkFiles, splits, signal }: FoundLinks,
): Promise<IdentityCounts & { readonly bytes: number }> {
  const found = splits.map((id) => ({ id, ...linkFiles.read(id) }));
  const resolver = new LinkResolver(
    found.map(({ id, runs }) => new LinkFile(linkFiles.links(id), runs)),
    {
      temporaryPath: join(outputDirectory, "moved"),
      memoryBytes,
      hasStatements: found.some(({ hasStatements }) => hasStatements),
      signal,
    },
  );
  const temporary = join(outputDirectory, "table");
  await rm(temporary, { force: true });
  const file = await IdentityTableFile.create(temporary, formatOf(tablePath));
  let shared = 0;
  const evidence: Record<string, number> = {};
  try {
    await resolver.resolve(async (rows) => {
      file.write(rows);
      for (const one of rows) {
        if (one.userID === undefined) shared++;
        else evidence[one.evidence] = (evidence[one.evidence] ?? 0) + 1;
      }
    });
  } catch (error) {
    file.discard();
    throw error;
  }
  const content = file.finish();
  await asOutput(tablePath, async () => {
    await syncFile(temporary);
    if (isThere(tablePath) && !hasContent(temporary, content)) throw notReadBack(tablePath);
    await moveDurably(temporary, tablePath);
  });
  const counts = Object.entries(evidence).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    joined: counts.reduce((all, [, count]) => all + count, 0),
    evidence: Object.fromEntries(counts),
    shared,
    apart: resolver.apart,
    placeholders: [...new Set(found.flatMap(({ placeholders }) => placeholders))].sort(),
    bytes: content.bytes,
  };
}
