import { epochOf } from "../base/epoch.js";
import {
  EVENTS_BY_DAY_NAME,
  epochsDirectoryOf,
  INPUTS_NAME,
  type Layout,
  layoutOfEpoch,
  MANIFEST_NAME,
  pathIn,
} from "../output/layout.js";
import { stagedPathOf } from "../sinks/staged-parts.js";
import type { RunRecord } from "./ledger.js";
import type { SplitRecord } from "./ledger-records.js";
import { isDayMerged, type MergeState, nothingMerged } from "./merge-state.js";
import type { OutputListing } from "./output-listing.js";

/**
 * A step that changes an output. Paths are relative to the output, with `/`. After a kill between or within
 * any two steps of a list, the next start makes another list that leads to the same output.
 */
export type OutputAction =
  /** Removes a directory of the ledger at once. */
  | { readonly kind: "forget"; readonly directory: string }
  /** Removes files, in this order; those that do not exist are ignored. */
  | { readonly kind: "remove"; readonly paths: readonly string[] }
  | { readonly kind: "move"; readonly from: string; readonly to: string }
  /** Makes the directories of an epoch's ledger. */
  | { readonly kind: "prepare"; readonly epoch: number }
  /** Writes the plan of an epoch. */
  | { readonly kind: "plan"; readonly epoch: number; readonly record: RunRecord };

/** The files that stay in an output. */
export interface KeptFiles {
  /** Returns true for splits whose files stay. */
  isKept(splitId: string): boolean;
  /** Returns true for a day of an epoch whose merged parts stay. */
  isMerged(day: string, epoch: number): boolean;
  /** Paths of joined parts that stay. */
  readonly joined: ReadonlySet<string>;
}

/** An epoch as it will be in the ledger. */
export interface DecidedEpoch {
  readonly epoch: number;
  readonly record: RunRecord;
  /** Splits whose records stay. */
  readonly finished: ReadonlyMap<string, Pick<SplitRecord, "staged">>;
  readonly merges: MergeState;
  /** Splits whose records are removed. */
  readonly dropped: readonly string[];
  /** `intact`: nothing changes. `added`: the ledger does not have it yet. */
  readonly state: "intact" | "changed" | "added";
}

interface DecidedOutput {
  /** True if parts can be moved. Objects in a store cannot. */
  readonly canMove: boolean;
  readonly listing: OutputListing;
  readonly epochs: readonly DecidedEpoch[];
  /** Paths of the joined parts; undefined if they and their records are removed. */
  readonly joined: ReadonlySet<string> | undefined;
}

/**
 * Returns the steps that bring an output to the state of these epochs: the manifest goes first, records go
 * before the files that they list, and plans are written last. Pure.
 */
export function resumeActions(
  layout: Layout,
  { canMove, listing, epochs, joined }: DecidedOutput,
): readonly OutputAction[] {
  const forgotten = epochs.flatMap((epoch) => forgetRecords(layout, epoch));
  const moved = epochs.flatMap(({ finished, merges }) =>
    returnActions({ layout, listing, canMove }, [...finished.values()], (day) =>
      isDayMerged(merges, day),
    ),
  );
  const kept: KeptFiles = {
    isKept: (id) => epochs[epochOf(id)]?.finished.has(id) === true,
    isMerged: (day, epoch) => isDayMerged(epochs[epoch]?.merges ?? nothingMerged, day),
    joined: joined ?? new Set(),
  };
  return [
    removeAccounts,
    ...(joined === undefined ? [forget(layout, layout.compactedDirectory)] : []),
    ...forgotten,
    ...epochs.map(({ epoch }) => ({ kind: "prepare", epoch }) as const),
    ...moved,
    ...strayActions(afterMoves(listing, moved), kept),
    ...epochs.flatMap(({ epoch, record, state }) =>
      state === "intact" ? [] : [{ kind: "plan", epoch, record } as const],
    ),
  ];
}

/**
 * Returns the steps that empty an output, whose datasets have these files. The ledger goes first: a split
 * in it is assumed to be complete. The plan goes last: without it, parts belong to no run. Pure.
 */
export function emptyActions(
  layout: Layout,
  listings: readonly OutputListing[],
): readonly OutputAction[] {
  const first = layoutOfEpoch(layout, 0);
  return [
    removeAccounts,
    forget(layout, layout.compactedDirectory),
    forget(layout, epochsDirectoryOf(layout.ledgerDirectory)),
    ...forgetEpoch(layout, 0),
    ...listings.flatMap((listing) => strayActions(listing, nothingKept)),
    { kind: "remove", paths: [pathIn(layout, first.planFile)] },
  ];
}

/** Readers believe a manifest, so it goes before any file that it may list. */
const removeAccounts: OutputAction = {
  kind: "remove",
  paths: [MANIFEST_NAME, EVENTS_BY_DAY_NAME, INPUTS_NAME],
};

const nothingKept: KeptFiles = {
  isKept: () => false,
  isMerged: () => false,
  joined: new Set(),
};

/** Returns the steps that remove all files but those to keep. Pure. */
export function strayActions(listing: OutputListing, kept: KeptFiles): readonly OutputAction[] {
  const strays = [...listing].flatMap(([path, { kind, owner, day }]) => {
    if (kind === "joined") return kept.joined.has(path) ? [] : [path];
    const isKept = kind === "merged" ? kept.isMerged(day, epochOf(owner)) : kept.isKept(owner);
    return isKept ? [] : [path];
  });
  return strays.length === 0 ? [] : [{ kind: "remove", paths: strays }];
}

/**
 * Returns the steps that move staged parts back from their days, where a merge has put them unchanged, or a
 * finished export has them; removes those that cannot be moved. Leaves those of merged days. Pure.
 */
export function returnActions(
  {
    layout,
    listing,
    canMove,
  }: Pick<DecidedOutput, "listing" | "canMove"> & { readonly layout: Layout },
  records: readonly Pick<SplitRecord, "staged">[],
  isMerged: (day: string) => boolean,
): readonly OutputAction[] {
  return records
    .flatMap(({ staged = [] }) => staged)
    .flatMap(({ path, day }): readonly OutputAction[] => {
      if (isMerged(day) || !listing.has(path)) return [];
      const staged = pathIn(layout, stagedPathOf(layout.outputDirectory, { path }));
      if (listing.has(staged) || !canMove) return [{ kind: "remove", paths: [path] }];
      return [{ kind: "move", from: path, to: staged }];
    });
}

/** Returns the listing without the files that these steps move or remove; what they move waits, and is kept. */
function afterMoves(listing: OutputListing, actions: readonly OutputAction[]): OutputListing {
  if (actions.length === 0) return listing;
  const gone = new Set(
    actions.flatMap((action) =>
      action.kind === "move" ? action.from : action.kind === "remove" ? action.paths : [],
    ),
  );
  return new Map([...listing].filter(([path]) => !gone.has(path)));
}

function forgetRecords(
  layout: Layout,
  { epoch, state, merges, dropped }: DecidedEpoch,
): readonly OutputAction[] {
  if (state === "intact") return [];
  if (state === "added") return forgetEpoch(layout, epoch);
  const { mergesDirectory, splitsDirectory } = layoutOfEpoch(layout, epoch);
  // The record first: the other files are of it.
  const kinds = ["", ".events", ".profile", ".duplicates"];
  const paths = dropped.flatMap((id) =>
    kinds.map((kind) => `${pathIn(layout, splitsDirectory)}/${id}${kind}.json`),
  );
  return [
    ...(merges === nothingMerged ? [forget(layout, mergesDirectory)] : []),
    ...(paths.length === 0 ? [] : [{ kind: "remove", paths } as const]),
  ];
}

/** Merges go before the splits that they merge. */
function forgetEpoch(layout: Layout, epoch: number): readonly OutputAction[] {
  const { mergesDirectory, splitsDirectory, acknowledgedDirectory, keysDirectory } = layoutOfEpoch(
    layout,
    epoch,
  );
  const directories = [mergesDirectory, splitsDirectory, acknowledgedDirectory, keysDirectory];
  return directories.map((directory) => forget(layout, directory));
}

/** Returns the step that removes the records of all merges of an epoch. */
export function forgetMerges(layout: Layout): OutputAction {
  return forget(layout, layout.mergesDirectory);
}

function forget(layout: Layout, directory: string): OutputAction {
  return { kind: "forget", directory: pathIn(layout, directory) };
}
