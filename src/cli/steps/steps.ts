import type { StepName } from "../../pipeline/configuration/configuration-options.js";
import type { RunStep } from "./step.js";

/** Every step that `migrate` knows. Each is loaded when it is its turn. */
export const steps: Readonly<Record<StepName, RunStep>> = {
  validate: async (...step) => (await import("./validate-step.js")).runValidateStep(...step),
  export: async (...step) => (await import("./export-step.js")).runExportStep(...step),
  send: async (...step) => (await import("./send-step.js")).runSendStep(...step),
  qualify: async (...step) => (await import("./qualify-step.js")).runQualifyStep(...step),
  verify: async (...step) => (await import("./verify-step.js")).runVerifyStep(...step),
};
