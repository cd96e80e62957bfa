// The entry of the WebAssembly module: TypeScript can call the functions that are exported here. The
// build writes their signatures to src/batch/kernel-exports.ts.

export {
  addName, clearEventCounts, clearPairs, countEvents, countPending, numberNames,
} from "./profile/event-counts";
export { addToChecksum, beginChecksum, endChecksum } from "./inflate/crc32";
export { digestKeys } from "./dedupe/digest-keys";
export { addKeys, sortKeys } from "./dedupe/key-entries";
export { findLineEnd, scanRecords } from "./csv/csv";
export { nullCells } from "./csv/csv-nulls";
export { joinCells, quoteCells, quotedCellBytes } from "./csv/csv-json";
export { skipValue } from "./json/json-nested";
export { escapeString } from "./json/json-value";
export { scanCells, setScratch } from "./json/json-fields";
export { scanLines, scanValues, skipLongRow } from "./json/json-rows";
export {
  cellBytes, checkEvents, checkIds, checkObjects, checkValues, clearCells, countOutcomes,
  fillObjects, quotedBytes, requireId, takeCells, totalBytes,
} from "./mapping/event-targets";
export {
  fillDays, fillOrder, findDayEnd, findDayRange, findTimeRange, sortByDay,
} from "./sink/days";
export { clearCounts } from "./profile/counts";
export { inflate } from "./inflate/inflate";
export { moveIds } from "./profile/distinct";
export { mergeObjects, noteLaterName } from "./mapping/merge";
export { filterEvents } from "./mapping/name-filter";
export { hashTexts, hashTokens, redactObjects, redactedBytes } from "./mapping/privacy";
export {
  dropFaulty, escapedSizes, keepFallback, maskCells, pointTexts, writeCells, writeRow,
} from "./nested/nested-cells";
export { buildObjectsOfPairs, longestCell } from "./mapping/pairs";
export { changeCells } from "./mapping/text-forms";
export { checkTimes, parseTimes } from "./mapping/time";
export { buildObjects, mergedBytes, mergeUsers } from "./mapping/user";
export { encodeArrowTexts, measureColumns } from "./sink/arrow-columns";
export { encodeRecords, measureRecord } from "./sink/csv-cells";
export { encodeLines, measureLine } from "./sink/jsonl";
export { copyTexts, gatherLines, measureTexts } from "./sink/line-rows";
export { buildDictionary } from "./sink/parquet-dictionary";
export {
  encodeHybrid, encodeLevels, encodePlain, encodeTimestamps, hybridBytesMax, measurePlain,
} from "./sink/parquet-pages";
export { deltaCount, listDeltaLengths, unpackDeltas } from "./parquet/parquet-delta";
export { countRowStarts, entriesOfRows, unfoldLists } from "./parquet/parquet-lists";
export { lz4Decompress } from "./parquet/lz4";
export { areFilled, listPlainBytes, moveValues, readPageRows, sumLengths } from "./parquet/parquet-rows";
export { joinPrefixed, joinStreams, measurePrefixed, unpackLevels } from "./parquet/parquet-values";
export {
  addFoldedIds, addFoldedPairs, countFoldedPairs, moveFoldedIds, moveFoldedPairs,
} from "./profile/folded-ids";
export { clearIds } from "./profile/ids";
export { addNameUsers, largestNumber } from "./profile/name-users";
export { findOddIds } from "./profile/odd-ids";
export { profileRows } from "./profile/profile-rows";
export { junkHash } from "./profile/row-ids";
export { markTexts, takeIds, takeNumbers, takePairs } from "./profile/taken-ids";
export { gatherCells, gatherTimestamps, measureRows } from "./sink/row-buffer";
export { snappyBytesMax, snappyCompress } from "./sink/snappy";
export { snappyDecompress } from "./parquet/snappy-inflate";
export { checksumPack } from "./sink/pack-checksum";
export { makePlatformUsers } from "./sink/platform-user";
export { makeTimeUuids } from "./sink/time-uuid";
export { describeRows, measurePack, packRows } from "./sink/spill";
export { choosePacks, measureStretch, unpackDays } from "./sink/spill-merge";
export { countMarks, takeNames, takeValues } from "./target/event-rules";
export { takeMetadata } from "./target/metadata-rules";
export { addRename } from "./target/renames";
export { takeUsers } from "./target/user-rules";
export { validateUtf8 } from "./utf8";

/** First address available to the host; the module's own constants are below it. */
export const heapBase: usize = __heap_base;
