export { type Place, SourceError, SwitchyardError, UsageError } from "./base/errors.js";
export { version } from "./base/package-files.js";
export { type RejectCodeName, rejectCodes } from "./base/reject-codes.js";
export type { Mapping } from "./mapper/mapping.js";
export {
  type Configuration,
  type ConfigurationSources,
  loadConfiguration,
} from "./pipeline/configuration/configuration.js";
export { resolveExportOptions } from "./pipeline/configuration/configuration-export.js";
export type { ExportResult } from "./pipeline/export-result.js";
export type {
  Manifest,
  ManifestDay,
  ManifestFile,
  RejectSummary,
  RowCounts,
  SourceFailure,
} from "./pipeline/manifest.js";
export type { ExportOptions } from "./pipeline/options.js";
export type { RunContext, RunObserver, RunProgress } from "./pipeline/progress.js";
export type { VerifyResult } from "./pipeline/verify/verify.js";
export type { Difference } from "./pipeline/verify/verify-difference.js";
