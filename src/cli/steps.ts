import type { StepName } from "../pipeline/configuration/configuration-options.js";
import { runExportStep } from "./export-step.js";
import { runQualifyStep } from "./qualify-step.js";
import { runSendStep } from "./send-step.js";
import type { RunStep } from "./step.js";
import { runValidateStep } from "./validate-step.js";
import { runVerifyStep } from "./verify-step.js";

/** Every step that `migrate` knows. */
export const steps: Readonly<Record<StepName, RunStep>> = {
  validate: runValidateStep,
  export: runExportStep,
  send: runSendStep,
  qualify: runQualifyStep,
  verify: runVerifyStep,
};
