export { SourceError, SwitchyardError, UsageError } from "./base/errors.js";
export { version } from "./base/package-files.js";
export type {
  ExportEventsOptions,
  FailedSource,
  KeyTarget,
  PresetName,
  Progress,
  ReadEventsOptions,
  ReadingOptions,
  RejectedRow,
  RejectLimit,
  RowCounts,
  RunControl,
  SendEventsOptions,
  Size,
  StoreOptions,
  Time,
  ValidateExportOptions,
  VerifyExportOptions,
} from "./library/library-options.js";
export { type EventBatches, readEvents } from "./library/read-events.js";
export type {
  ExportEventsResult,
  ExportManifest,
  ManifestEpoch,
  RejectSummary,
  ReportFinding,
  RunResult,
  SendEventsResult,
  ValidateExportResult,
  ValidationReport,
  VerifyExportResult,
} from "./library/results.js";
export { exportEvents, sendEvents, validateExport, verifyExport } from "./library/runs.js";
