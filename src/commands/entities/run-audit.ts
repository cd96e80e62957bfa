import { exitCodes } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { stopOf } from "../../console/qualify.js";
import { resolveConsole } from "../../options/console-options.js";
import type { CommandContext } from "../context.js";
import { csvCell } from "../csv-cell.js";
import { openConsole } from "../qualify/run-qualify.js";
import { type CommandLine, runConfigured } from "../run-configured.js";

/** Entries of one request. */
const PAGE_ENTRIES = 1_000;

interface AuditLine extends CommandLine {
  /** A day, a time, or ms since the epoch; inclusive. */
  readonly from?: string | undefined;
  /** The same, exclusive; the start of the command by default. */
  readonly to?: string | undefined;
  readonly csv: boolean;
}

/** Prints the audit log of a console, newest first, and returns the exit code; never throws. */
export function runAudit({ from, to, csv, ...line }: AuditLine, context: CommandContext) {
  return runConfigured("console audit", line, context, async (configuration) => {
    const { stdout, stderr, signal } = context;
    const access = resolveConsole(configuration);
    const { console } = await openConsole(access, (text) => stderr.write(`${text}\n`));
    // Entries that come meanwhile would move the pages.
    const endDate = to ?? String(Date.now());
    const query = omitUndefined({ startDate: from, endDate, limit: PAGE_ENTRIES });
    try {
      let isFirst = true;
      for await (const entry of console.all("listAuditLogs", { ...query, signal })) {
        if (csv && isFirst) stdout.write(csvLine(Object.keys(entry)));
        isFirst = false;
        stdout.write(csv ? csvLine(Object.values(entry)) : `${JSON.stringify(entry)}\n`);
      }
    } catch (error) {
      throw stopOf(error) ?? error;
    }
    return exitCodes.done;
  });
}

function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map((value) => csvCell(String(value ?? ""))).join(",")}\r\n`;
}
