import { SURVEY_ROW_BYTES_MAX } from "../base/limits.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import { Kernel } from "../batch/kernel.js";
import { rowFieldsOf } from "../mapper/field-plan.js";
import { type PresetName, presetRowFields } from "../mapper/presets.js";
import type { CountRequest } from "../options/options.js";
import type { FieldTally, LackedTarget } from "../profile/field-tally.js";
import type { Report } from "../profile/report.js";
import type { OpenReader } from "../readers/reader.js";
import { discover } from "../run/run-inputs.js";
import { resolveMaxTime } from "../run/run-setup.js";
import { openSources } from "../run/run-tools.js";
import type { Source } from "../sources/source.js";
import { summarizeFields } from "../survey/field-summary.js";
import { elementsOf } from "../survey/list-rows.js";
import { renamedFieldsOf, tallyRows } from "../survey/row-tally.js";
import type { SampleTools } from "../survey/sample-rows.js";
import type { Survey } from "../survey/survey.js";
import { surveySources, takeSamples } from "../survey/survey-sources.js";
import { unusedFields } from "../survey/unused-fields.js";

/** Inputs that `init` examines. */
interface SurveyRequest {
  readonly options: CountRequest;
  /** Directory that an export would write to: its files are not inputs. */
  readonly outputDirectory: string;
  /** The preset that the user chose, if any. */
  readonly preset: PresetName | undefined;
}

/** Finds and examines inputs. Throws `UsageError` like `surveySources`. */
export async function surveyInputs(
  { options, outputDirectory, preset }: SurveyRequest,
  signal: AbortSignal,
): Promise<Survey> {
  const rowFields = presetRowFields();
  const discovery = await discover({ ...options, outputDirectory }, signal, { rowFields });
  const maxTimeMs = resolveMaxTime(options.maxTimeMs, Date.now());
  return withTools(options, openSources(options, rowFields), signal, (tools) =>
    surveySources({ discovery, preset, maxTimeMs }, tools),
  );
}

/** Counts of the rows that were read. */
export interface CountedFields {
  /** Counts of the fields of some rows. */
  readonly counts: FieldTally;
  /** All rows without a value for a target. */
  readonly lacking: ReadonlyMap<LackedTarget, number>;
}

/**
 * Samples sources for fields that the mapping does not use, the most filled first, and finds fields that
 * were renamed, also by the rows of Parquet in the sample. None if interrupted.
 */
export function sampleFields(
  options: Pick<CountRequest, "mapping" | "ratioMax" | "s3" | "csv" | "inputFormat">,
  sources: readonly Source[],
  { counts, lacking }: CountedFields,
  signal: AbortSignal,
): Promise<Pick<Report, "unusedFields" | "renamedFields">> {
  const { mapping } = options;
  const open = openSources(options, rowFieldsOf(mapping));
  return withTools(options, open, signal, async (tools) => {
    const found = await takeSamples({ sources, failures: [] }, tools);
    const samples = found.samples.map((one) => elementsOf(one, mapping.rows ?? []));
    const rows = samples.flatMap((one) => one.rows);
    // Their columns that the mapping does not use were not read.
    const columnar = samples.filter(({ source }) => source.format.kind === "parquet");
    const counted = tallyRows(columnar, mapping).counts();
    if (counted !== undefined) counts.merge(counted, { isSample: true });
    return {
      unusedFields: unusedFields(summarizeFields(rows), mapping).map(({ field, filled }) => ({
        field,
        share: filled / rows.length,
      })),
      renamedFields: renamedFieldsOf(counts, mapping, lacking),
    };
  }).catch((error: unknown) => {
    if (signal.aborted) return { unusedFields: [], renamedFields: [] };
    throw error;
  });
}

function withTools<Result>(
  { ratioMax, s3 }: Pick<CountRequest, "ratioMax" | "s3">,
  open: OpenReader,
  signal: AbortSignal,
  use: (tools: SampleTools) => Promise<Result>,
): Promise<Result> {
  return inTemporaryDirectory("switchyard-survey", (temporaryDirectory) => {
    const rowBytesMax = SURVEY_ROW_BYTES_MAX;
    const readerOptions = { rowBytesMax, ratioMax, s3, temporaryDirectory, signal };
    return use({ kernel: new Kernel(), open, readerOptions });
  });
}
