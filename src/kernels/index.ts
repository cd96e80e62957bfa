// The entry of the WebAssembly module: what stands here is what TypeScript can call, with its
// signature in src/batch/kernel-exports.ts.

export {
  dropFaulty, escapedSize, escapedSizes, maskCells, pointTexts, writeCells, writeRow,
} from "./arrow-cells";
export { addName, clearCensus, clearPairs, countEvents } from "./census";
export { addToChecksum, beginChecksum, endChecksum } from "./crc32";
export { findLineEnd, scanRecords } from "./csv";
export { joinCells, quoteCells, quotedCellBytes } from "./csv-json";
export { skipValue } from "./json-value";
export { scanCells, setScratch } from "./json-fields";
export { scanLines, scanValues, skipLongRow } from "./json-rows";
export {
  cellBytes,
  checkEvents,
  checkIds,
  checkObjects,
  checkValues,
  clearCells,
  fillObjects,
  quotedBytes,
  requireId,
  takeCells,
  totalBytes,
} from "./event";
export {
  fillDays,
  fillOrder,
  findDayEnd,
  findDayRange,
  findTimeRange,
  sortByDay,
} from "./days";
export { clearCounts } from "./counts";
export { inflate } from "./inflate";
export { moveIds } from "./distinct";
export { filterEvents } from "./name-filter";
export { hashTexts, hashTokens, redactObjects, redactedBytes } from "./privacy";
export { buildObjectsOfPairs, longestCell } from "./pairs";
export { checkTimes, parseTimes } from "./time";
export { buildObjects, mergedBytes, mergeUsers } from "./user";
export { encodeRecords, measureRecord } from "./csv-cells";
export { encodeLines, measureLine } from "./jsonl";
export { buildDictionary } from "./parquet-dictionary";
export {
  encodeHybrid,
  encodeLevels,
  encodePlain,
  encodeTimestamps,
  hybridBytesMax,
  measurePlain,
} from "./parquet-pages";
export { deltaCount, listDeltaLengths, unpackDeltas } from "./parquet-delta";
export { listPlainBytes, readPageRows, sumLengths } from "./parquet-rows";
export { junkHash, profileRows } from "./profile-rows";
export { gatherCells, gatherScalarText, gatherTimestamps, measureRows } from "./segment";
export { snappyBytesMax, snappyCompress } from "./snappy";
export { snappyDecompress } from "./snappy-inflate";
export { describeRows, measurePack, packRows, unpackRows } from "./spill";
export { validateUtf8 } from "./utf8";

/** First address that the host may hand out; below it lie the module's own constants. */
export const heapBase: usize = __heap_base;
