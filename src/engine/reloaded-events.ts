import { ReadyRecord } from "../check/ready/ready-record.js";
import type { ManifestInput } from "../ledger/manifest.js";
import type { Configuration } from "../options/configuration.js";
import { STANDARD_OUTPUT } from "../options/options.js";
import { placeOf, valuesOf } from "../options/run-options.js";
import { INPUTS_NAME } from "../output/layout.js";
import { openOutput } from "../output/open-output.js";
import type { CountedReport } from "../run/report/fold-report.js";
import { loadTarget } from "../target/targets.js";

type CountReloaded = (report: Pick<CountedReport, "inputs" | "days" | "dayZone">) => number;

/**
 * Returns a function that counts the events of days which the target was told of, and which an export of a
 * report's inputs would change. Undefined if the output of the configuration has announced no day. Reads
 * before the run, so that a damaged record is told before it. Throws `ready_record_unreadable`, `StoreError`.
 */
export async function openReloads(
  configuration: Configuration,
  signal: AbortSignal,
): Promise<CountReloaded | undefined> {
  const { to, announce, ...values } = valuesOf(configuration);
  const target = loadTarget(values.target);
  if (to === undefined || to === STANDARD_OUTPUT || target.ready === undefined) return undefined;
  const output = await openOutput(placeOf(configuration, to));
  const announced = await new ReadyRecord(output, target.name, announce).read(signal);
  if (Object.keys(announced).length === 0) return undefined;
  const lines = (await output.get(INPUTS_NAME, signal))?.toString().trimEnd().split("\n") ?? [];
  const exported = new Set(lines.map((line) => (JSON.parse(line) as ManifestInput).name));
  return ({ inputs, days, dayZone }) => {
    if (target.days !== undefined && target.days.zone !== dayZone) return 0;
    const areNew = !inputs.sources.some(({ name }) => exported.has(name));
    let reloaded = 0;
    for (const { day, events } of days) {
      const { rows } = announced[day] ?? {};
      if (rows === undefined || events === 0) continue;
      if (areNew) reloaded += rows + events;
      else if (rows !== events) reloaded += events;
    }
    return reloaded;
  };
}
