export { SourceError, SwitchyardError, UsageError } from "./base/errors.js";
export { version } from "./base/package-files.js";
export type {
  ExportEventsOptions,
  IdentitiesOptions,
  KeyTarget,
  PresetName,
  ReadEventsOptions,
  ReadingOptions,
  RejectLimit,
  SendEventsOptions,
  Size,
  StoreOptions,
  Time,
  ValidateExportOptions,
  VerifyExportOptions,
} from "./library/library-options.js";
export { type EventBatches, readEvents } from "./library/read-events.js";
export type {
  QuickEstimates,
  ReportComparison,
  ReportFinding,
  ValidateExportResult,
  ValidationReport,
} from "./library/report-types.js";
export type {
  ExportEventsResult,
  ExportManifest,
  FailedSource,
  IdentitiesResult,
  ManifestEpoch,
  RejectedRow,
  RejectSummary,
  RowCounts,
  RunResult,
  SendEventsResult,
  VerifyExportResult,
} from "./library/results.js";
export type { Progress, RunControl } from "./library/run-control.js";
export {
  exportEvents,
  identities,
  sendEvents,
  validateExport,
  verifyExport,
} from "./library/runs.js";
