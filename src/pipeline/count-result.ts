import type { RunOutcome } from "./export-result.js";
import type { ManifestEvent, ManifestEventCount, RunAccounts } from "./manifest.js";

/** What an export's manifest would say of rows and events. */
export interface CountManifest extends RunAccounts {
  /** Sorted by name. Where there are `otherEvents`, further rows of a name may be among them. */
  readonly events: readonly ManifestEvent[];
  /** Events of more names than are counted one by one; absent where there are none. */
  readonly otherEvents?: ManifestEventCount;
}

/** How counting ended. What makes it impossible is thrown instead. */
export interface CountResult {
  readonly outcome: RunOutcome;
  readonly manifest: CountManifest;
  /** More rows were rejected than `maxRejects` allows. */
  readonly tooManyRejects: boolean;
}
