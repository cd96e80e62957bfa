import { SURVEY_ROW_BYTES_MAX } from "../base/limits.js";
import { inTemporaryDirectory } from "../base/make-directory.js";
import { Kernel } from "../batch/kernel.js";
import type { PresetName } from "../mapper/presets.js";
import type { CountRequest } from "../pipeline/options.js";
import { resolveMaxTime } from "../pipeline/run-splits.js";
import { openRange } from "../readers/formats.js";
import type { Discovery } from "../readers/source-discovery.js";
import type { Survey } from "../survey/survey.js";
import { surveySources } from "../survey/survey-sources.js";

/** Inputs that `init` examines. */
export interface SurveyRequest {
  readonly options: CountRequest;
  /** Directory that an export would write to: its files are not inputs. */
  readonly outputDirectory: string;
  /** The preset that the user chose, if any. */
  readonly preset: PresetName | undefined;
}

/** Examines inputs. `nowMs`: milliseconds since 1970 UTC. Throws `UsageError` like `surveySources`. */
export function surveyInputs(
  { options, preset }: SurveyRequest,
  discovery: Discovery,
  signal: AbortSignal,
  nowMs: number,
): Promise<Survey> {
  const { ratioMax } = options;
  const maxTimeMs = resolveMaxTime(options.maxTimeMs, nowMs);
  return inTemporaryDirectory("switchyard-init-", (temporaryDirectory) => {
    const rowBytesMax = SURVEY_ROW_BYTES_MAX;
    const readerOptions = { rowBytesMax, ratioMax, temporaryDirectory, signal };
    const tools = { kernel: new Kernel(), open: openRange, readerOptions };
    return surveySources({ discovery, preset, maxTimeMs }, tools);
  });
}
