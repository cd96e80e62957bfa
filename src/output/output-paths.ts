import { basename } from "node:path";
import { epochOf } from "../base/epoch.js";
import {
  EVENTS_BY_DAY_NAME,
  INPUTS_NAME,
  LOCK_PATH,
  layoutOf,
  MANIFEST_NAME,
  RENAMES_NAME,
  SENT_RUN_NAME,
  splitIdPattern,
  WORKER_OPTIONS_NAME,
} from "./layout.js";

/** Paths are relative to the output, with `/`. */

const record = new RegExp(
  `^_switchyard/(?:(?:epochs/\\d+/)?(?:splits/${splitIdPattern}|merges/\\d+)|compacted/.+)\\.json$`,
);
/** Names the files that a compaction replaces: it is there before and after all of them. */
const change = /^_switchyard\/compacting\/[^/]+\/change\.json$/;
const compaction = /^_switchyard\/compact(?:ed|ing)\//;
const journal = /^_switchyard\/(?:epochs\/\d+\/)?acknowledged\//;
const plan = /^_switchyard\/(?:epochs\/\d+\/)?plan\.json$/;
const planLines = /^_switchyard\/(?:epochs\/\d+\/)?plan-\d+\.jsonl$/;
const waitingRows = new RegExp(`^_switchyard/(?:spill/${splitIdPattern}$|staged/)`);
const splitDetail = new RegExp(
  `^_switchyard/(?:epochs/\\d+/)?splits/${splitIdPattern}\\.[a-z]+\\.json$`,
);
const ofMerges = /^_switchyard\/(?:spill\/|staged\/|(?:epochs\/\d+\/)?merges\/)/;
const bulk = /^_switchyard\/(?:.+\/)?(?:spill|staged|keys)\//;

/**
 * Returns the stage in which a file is written: after all files that it lists. Files are removed in
 * the opposite order, so that no file ever lists one that does not exist.
 */
export function stageOf(path: string): number {
  if (path === MANIFEST_NAME) return 6;
  if (isAccount(path)) return 5;
  if (isOfTable(path)) return 7;
  if (record.test(path)) return 4;
  if (plan.test(path)) return 3;
  if (change.test(path)) return 0;
  return isOfLedger(path) && !bulk.test(path) ? 2 : 1;
}

export const STAGES = 8;

/** Files of this stage and later ones list the others. */
export const FIRST_ACCOUNT_STAGE = 5;

/** Returns true for the manifest and the files that it names beside the data. */
export function isAccount(path: string): boolean {
  return [MANIFEST_NAME, EVENTS_BY_DAY_NAME, INPUTS_NAME, RENAMES_NAME].includes(path);
}

/** Returns true for the files that a compaction needs, apart from the parts. */
export function isOfCompaction(path: string): boolean {
  return isAccount(path) || isOfTable(path) || isOfPlan(path) || compaction.test(path);
}

/** Returns true for the files that only Switchyard reads. */
function isOfLedger(path: string): boolean {
  return path.startsWith("_switchyard/");
}

/** Returns true for the files of plans, and the options of workers. */
export function isOfPlan(path: string): boolean {
  return plan.test(path) || isPlanLines(path) || path === `_switchyard/${WORKER_OPTIONS_NAME}`;
}

/** Returns true for the files that record what a run of `send` has sent. */
export function isOfSentRun(path: string): boolean {
  const isAccount = path === SENT_RUN_NAME || path === MANIFEST_NAME;
  return isAccount || isOfSplits(path) || isJournal(path);
}

/** Returns true for a journal of a split that is being sent, or a piece of one. */
export function isJournal(path: string): boolean {
  return journal.test(path);
}

/** Returns true for the files of plans and the records of splits. */
export function isOfSplits(path: string): boolean {
  return isOfPlan(path) || (record.test(path) && path.includes("/splits/"));
}

/** Returns true for the records that merges of days need, and the rows that they read. */
export function isOfMerges(path: string): boolean {
  return isOfSplits(path) || ofMerges.test(path);
}

/** Returns true for the lines of a plan, which `plan.json` names. */
function isPlanLines(path: string): boolean {
  return planLines.test(path);
}

/** Returns true for a file of a run in progress, which has no object. */
export function isLocalOnly(path: string): boolean {
  return (
    path === LOCK_PATH ||
    path.startsWith(`${LOCK_PATH}.`) ||
    path.startsWith(`${LOCK_PATH}-`) ||
    /^_switchyard\/(?:tmp|claims|compacting\/[^/]+\/(?:joined|day))(?:\/|$)/.test(path) ||
    basename(path).startsWith(".")
  );
}

/** Returns true for the counts of a split, which only the end of a run reads. */
export function isSplitDetail(path: string): boolean {
  return splitDetail.test(path);
}

/**
 * Returns true for a file whose content a run needs from the start. Not parts, lists of rows, files
 * of other programs, nor what merges and the end of a run fetch.
 */
export function isNeeded(path: string): boolean {
  if (waitingRows.test(path) || isSplitDetail(path)) return false;
  if (path === INPUTS_NAME) return false;
  return isAccount(path) || path === SENT_RUN_NAME || isOfLedger(path) || isOfTable(path);
}

/** Returns true for a key that is a valid file path on every system. */
export function isFileKey(path: string): boolean {
  return path
    .split("/")
    .every((name) => name !== "" && name !== "." && name !== ".." && !name.includes("\0"));
}

/** Returns true for a file of the log of a Delta table. */
function isOfTable(path: string): boolean {
  return path.includes("/_delta_log/");
}

/** Returns the path of the directory of a split's journals in its output. */
export function journalsPath(split: string): string {
  const { outputDirectory, acknowledgedDirectory } = layoutOf("/", "", epochOf(split));
  return acknowledgedDirectory.slice(outputDirectory.length).replaceAll("\\", "/");
}
