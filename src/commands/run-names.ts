import { createHash } from "node:crypto";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { formatCount } from "../base/format-count.js";
import { readManifestOf } from "../ledger/manifest-file.js";
import { requireExport } from "../options/run-options.js";
import { openOutput } from "../output/open-output.js";
import { pathInOutput } from "../output/output-place.js";
import { harmless } from "../report/terminal-text.js";
import { tableLines } from "../report/text-table.js";
import type { Renames } from "../target/renames.js";
import type { CommandContext } from "./context.js";
import { csvCell } from "./csv-cell.js";
import { type CommandLine, runConfigured } from "./run-configured.js";

interface NamesInvocation extends CommandLine {
  /** Print CSV instead of a table. */
  readonly csv: boolean;
}

/** Prints the names that an export has repaired and returns the exit code; never throws. */
export function runNames(
  { csv, ...line }: NamesInvocation,
  context: CommandContext,
): Promise<number> {
  return runConfigured("names", line, context, async (configuration, output) => {
    const place = requireExport(configuration, "list");
    const { renames } = await readManifestOf(place, context.signal);
    const rows = renames === undefined ? [] : rowsOf(await readRenames(place, renames, context));
    if (output.json) {
      const result = { command: "names", exitCode: exitCodes.done, names: rows };
      context.stdout.write(`${JSON.stringify(result)}\n`);
    } else if (csv) {
      const cells = rows.map((row) => [row.kind, row.old, row.new, String(row.events)]);
      const records = [["kind", "old", "new", "events"], ...cells].map((record) =>
        record.map(csvCell).join(","),
      );
      context.stdout.write(records.map((record) => `${record}\r\n`).join(""));
    } else {
      context.stdout.write(`${tableOf(rows, renames?.target)}\n`);
    }
    return exitCodes.done;
  });
}

/** A line of the list. */
interface NameRow {
  readonly kind: "event" | "metadata" | "user";
  /** A path of metadata is joined by dots, as `drop` and `hash` take it. */
  readonly old: string;
  readonly new: string;
  readonly events: number;
}

/** Reads the file that the manifest names. Throws `renames_unreadable` if it is not that file. */
async function readRenames(
  place: Parameters<typeof readManifestOf>[0],
  { path, sha256 }: { readonly path: string; readonly sha256: string },
  { signal }: CommandContext,
): Promise<Renames> {
  const found = await (await openOutput(place)).get(path, signal);
  const digest = found && createHash("sha256").update(found).digest("hex");
  if (found !== undefined && digest === sha256) {
    return JSON.parse(found.toString()) as Renames;
  }
  const reason = found === undefined ? "does not exist" : "is not the one of the manifest";
  throw new SwitchyardError(
    "renames_unreadable",
    `${pathInOutput(place.directory, path)} ${reason}: run the export again, which writes it.`,
  );
}

function rowsOf({ names, metadata, users }: Renames): readonly NameRow[] {
  return [
    ...names.map((one) => ({ kind: "event" as const, ...one })),
    ...metadata.map((one) => ({ kind: "metadata" as const, ...one, old: one.old.join(".") })),
    ...users.map((one) => ({ kind: "user" as const, ...one })),
  ];
}

function tableOf(rows: readonly NameRow[], target: string | undefined): string {
  if (target === undefined) return "No names were repaired: the export was made without --repair.";
  if (rows.length === 0) return `All names were valid for ${target}.`;
  const column = (heading: string, cellOf: (row: NameRow) => string) => ({
    heading,
    cells: rows.map((row) => harmless(cellOf(row))),
  });
  const columns = [
    column("kind", (row) => row.kind),
    column("old", (row) => row.old),
    column("new", (row) => row.new),
    column("events", (row) => formatCount(row.events)),
  ];
  return tableLines(columns).join("\n");
}
