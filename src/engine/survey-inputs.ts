import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SURVEY_ROW_BYTES_MAX } from "../base/limits.js";
import { asOutput } from "../base/output-error.js";
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

/**
 * Examines inputs. `nowMs`: milliseconds since 1970 UTC. Throws `UsageError` like `surveySources`.
 */
export async function surveyInputs(
  { options, preset }: SurveyRequest,
  discovery: Discovery,
  signal: AbortSignal,
  nowMs: number,
): Promise<Survey> {
  const { maxTimeMs, ratioMax } = options;
  const root = tmpdir();
  const temporaryDirectory = await asOutput(root, () => mkdtemp(join(root, "switchyard-init-")));
  const readerOptions = {
    rowBytesMax: SURVEY_ROW_BYTES_MAX,
    ratioMax,
    temporaryDirectory,
    signal,
  };
  try {
    return await surveySources(
      {
        discovery,
        preset,
        maxTimeMs: resolveMaxTime(maxTimeMs, nowMs),
      },
      { kernel: new Kernel(), open: openRange, readerOptions },
    );
  } finally {
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}
