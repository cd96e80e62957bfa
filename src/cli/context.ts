import type { Clock } from "../base/clock.js";
import type { GivenFlags } from "../pipeline/configuration/configuration.js";
import type {
  Environment,
  JsonObject,
  JsonValue,
} from "../pipeline/configuration/configuration-types.js";
import type { ConfigurationProblem } from "../pipeline/configuration/configuration-validation.js";
import type { CountResult } from "../pipeline/count-result.js";
import type { ExportResult } from "../pipeline/export-result.js";
import type {
  CountRequest,
  ExportOptions,
  SendRequest,
  ValidateRequest,
} from "../pipeline/options.js";
import type { RunContext } from "../pipeline/progress.js";
import type { ValidateResult } from "../pipeline/report/validate-result.js";
import type { SendResult } from "../pipeline/send-result.js";
import type { VerifyResult } from "../pipeline/verify/verify.js";
import type { StoredResult, VerifyStoredTask } from "../pipeline/verify/verify-stored.js";
import type { ProgressStream } from "../report/progress.js";
import type { Survey } from "../survey/survey.js";
import type { SurveyRequest } from "./init/survey-inputs.js";

/** Everything that a command takes from outside. */
export interface CommandContext {
  readonly environment: Environment;
  readonly currentDirectory: string;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressStream;
  readonly clock: Clock;
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Called as soon as it is known that threads will be needed, before the engine is loaded. */
  startThread?(command: "export" | "validate", flags: GivenFlags): void;
  /** Loaded when a command first needs it: help and version need none of it. */
  loadEngine(): Promise<Engine>;
}

/** What commands set to work. */
export interface Engine {
  readonly mappingSchema: JsonObject;
  /** What is wrong with changes to a preset's mapping beyond that schema. */
  findMappingProblems(changes: JsonValue): readonly ConfigurationProblem[];
  /** Throws `UsageError` for an unknown preset or a mapping that makes no sense. */
  resolveMapping(preset: string, changes: JsonObject | undefined): unknown;
  runValidate(request: ValidateRequest, context: RunContext): Promise<ValidateResult>;
  runExport(options: ExportOptions, context: RunContext): Promise<ExportResult>;
  runSend(request: SendRequest, context: RunContext): Promise<SendResult>;
  runCount(request: CountRequest, context: RunContext): Promise<CountResult>;
  surveyInputs(request: SurveyRequest, signal: AbortSignal): Promise<Survey>;
  verifyExport(directory: string, context: RunContext): Promise<VerifyResult>;
  verifyStored(task: VerifyStoredTask, signal: AbortSignal): Promise<StoredResult>;
}
