import { formatCount } from "../base/format-count.js";
import type { IdentitiesResult } from "../engine/run-identities.js";
import { runs } from "../engine/runs.js";
import { resolveIdentitiesRequest } from "../options/run-options.js";
import { formatBytes, formatDuration, formatNumberOf } from "../report/quantities.js";
import {
  describeFailed,
  describeLimit,
  describeReasons,
  line,
  rowRate,
  rowsLine,
} from "../report/summary-parts.js";
import { harmless } from "../report/terminal-text.js";
import type { CommandContext } from "./context.js";
import { displayOf, printResult } from "./print-result.js";
import { type CommandLine, runConfigured } from "./run-configured.js";
import { runExitCode } from "./run-exit-code.js";

/** Makes a table of identities, and returns the exit code; never throws. */
export function runIdentities(line: CommandLine, context: CommandContext): Promise<number> {
  return runConfigured("identities", line, context, async (configuration, output) => {
    const { signal, stdout } = context;
    const request = resolveIdentitiesRequest(configuration);
    const display = displayOf("identities", output, context);
    const { observer } = display;
    const result = await runs
      .identities(request, { signal, observer })
      .finally(() => display.stop());
    const exitCode = runExitCode(result);
    const { accounts, ...facts } = result;
    const { rows, rejects, limit } = accounts;
    if (output.json) {
      const json = { command: "identities", exitCode, ...facts, rows, rejects, limit };
      stdout.write(`${JSON.stringify(json)}\n`);
    } else if (!output.quiet || exitCode !== 0) {
      printResult(summarizeIdentities(result), output, context);
    }
    return exitCode;
  });
}

function summarizeIdentities(result: IdentitiesResult): string {
  const { table, accounts, failures, outcome, durationMs } = result;
  const { rows, rejects, limit } = accounts;
  const end = outcome === "failed" ? "Failed" : "Interrupted";
  return [
    table === undefined
      ? `${end}: no table was written`
      : `Joined ${formatNumberOf(table.joined, "anonymous id")} in ${harmless(table.path)}`,
    rowsLine(rows, [
      `${formatCount(rows.delivered)} link ids`,
      [rows.filtered, "do not"],
      [rows.rejected, "rejected"],
    ]),
    ...describeLimit(limit),
    ...(table === undefined ? [] : describeTable(table)),
    line("time", `${formatDuration(durationMs)}, ${rowRate(rows.read, durationMs)}`),
    ...(rows.rejected === 0
      ? []
      : [
          "",
          `Rejected: ${formatNumberOf(rows.rejected, "row")}`,
          ...describeReasons(rejects, "see --json"),
        ]),
    ...(failures.length === 0 ? [] : ["", ...describeFailed(failures, "see --json")]),
  ].join("\n");
}

function describeTable(table: NonNullable<IdentitiesResult["table"]>): readonly string[] {
  const { evidence, shared, apart, placeholders, bytes } = table;
  const by = Object.entries(evidence).map(([name, ids]) => `${formatCount(ids)} by ${name}`);
  return [
    ...(by.length === 0 ? [] : [line("evidence", by.join(", "))]),
    ...(shared === 0
      ? []
      : [line("shared", `${formatNumberOf(shared, "id")} of several people, not joined`)]),
    ...(apart === 0
      ? []
      : [
          line(
            "apart",
            `${formatNumberOf(apart, "user")} seen as the device of another, not joined`,
          ),
        ]),
    ...(placeholders.length === 0
      ? []
      : [line("junk", `${placeholders.map(harmless).join(", ")}: not joined`)]),
    line("file", formatBytes(bytes)),
  ];
}
