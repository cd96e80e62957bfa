// Made by scripts/kernel-exports.mjs from the functions that src/kernels/index.ts exports: change
// those, and build. Each function is described where it is written.

/** What the WebAssembly module exports. Objects, and numbers of type usize, are addresses. */
export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly heapBase: WebAssembly.Global;

  // profile/event-counts.ts
  addName(address: number, start: number, length: number): number;
  clearEventCounts(address: number): void;
  clearPairs(address: number): void;
  countEvents(
    address: number, outcomes: number, event: number, days: number, timestamps: number,
    rows: number,
  ): void;
  countPending(address: number): void;

  // inflate/crc32.ts
  addToChecksum(checksum: number, source: number, bytes: number): void;
  beginChecksum(checksum: number): void;
  endChecksum(checksum: number, target: number): void;

  // csv/csv.ts
  findLineEnd(p: number, end: number): number;
  scanRecords(address: number): number;

  // csv/csv-json.ts
  joinCells(
    members: number, count: number, faults: number, target: number, rows: number, t: number,
  ): number;
  quoteCells(source: number, target: number, rows: number, t: number): number;
  quotedCellBytes(source: number, rows: number): number;

  // json/json-nested.ts
  skipValue(start: number, end: number): number;

  // json/json-value.ts
  escapeString(source: number, length: number, target: number): number;

  // json/json-fields.ts
  scanCells(cells: number, rows: number, node: number): void;
  setScratch(scratchAddress: number, keptAddress: number): void;

  // json/json-rows.ts
  scanLines(address: number): void;
  scanValues(address: number): void;
  skipLongRow(address: number): number;

  // mapping/event.ts
  cellBytes(outcomes: number, column: number, rows: number): number;
  checkEvents(outcomes: number, event: number, rows: number): void;
  checkIds(outcomes: number, id: number, rows: number): void;
  checkObjects(outcomes: number, column: number, rows: number, code: number, scratch: number): void;
  checkValues(outcomes: number, value: number, rows: number): void;
  clearCells(target: number, rows: number): void;
  countOutcomes(outcomes: number, rows: number, outcome: number): number;
  fillObjects(column: number, rows: number, empty: number): void;
  quotedBytes(outcomes: number, column: number, rows: number): number;
  requireId(outcomes: number, first: number, second: number, rows: number): void;
  takeCells(
    target: number, candidate: number, rows: number, first: number, nulls: number, compared: number,
  ): void;
  totalBytes(column: number, rows: number): number;

  // sink/days.ts
  fillDays(times: number, outcomes: number, rows: number, offsetMs: number, days: number): void;
  fillOrder(order: number, rows: number): void;
  findDayEnd(order: number, days: number, place: number, rows: number): number;
  findDayRange(days: number, rows: number, result: number): void;
  findTimeRange(times: number, order: number, from: number, to: number, result: number): void;
  sortByDay(
    source: number, target: number, days: number, rows: number, first: number, shift: number,
  ): void;

  // profile/counts.ts
  clearCounts(counts: number): void;

  // inflate/inflate.ts
  inflate(stream: number): number;

  // profile/distinct.ts
  moveIds(set: number, slots: number, mask: number): void;

  // mapping/name-filter.ts
  filterEvents(filter: number, outcomes: number, name: number, rows: number): void;

  // mapping/privacy.ts
  hashTexts(rule: number, outcomes: number, texts: number, rows: number, output: number): void;
  hashTokens(rule: number, outcomes: number, tokens: number, rows: number, output: number): void;
  redactObjects(
    rule: number, outcomes: number, objects: number, rows: number, output: number,
  ): void;
  redactedBytes(rule: number, outcomes: number, objects: number, rows: number): number;

  // nested/nested-cells.ts
  dropFaulty(faults: number, rows: number, column: number): void;
  escapedSizes(node: number, rows: number): number;
  maskCells(node: number, rows: number, column: number): void;
  pointTexts(node: number, rows: number, column: number, faults: number): void;
  writeCells(
    node: number, rows: number, json: boolean, column: number, faults: number, target: number,
  ): number;
  writeRow(node: number, row: number, target: number, bytesMax: number): number;

  // mapping/pairs.ts
  buildObjectsOfPairs(
    pairs: number, outcomes: number, target: number, lists: number, rows: number, code: number,
    output: number,
  ): void;
  longestCell(outcomes: number, column: number, rows: number): number;

  // mapping/time.ts
  checkTimes(
    outcomes: number, states: number, times: number, rows: number, min: number, max: number,
    from: number, to: number,
  ): void;
  parseTimes(
    column: number, rows: number, outcomes: number, states: number, times: number, unit: number,
    local: number,
  ): number;

  // mapping/user.ts
  buildObjects(
    outcomes: number, target: number, members: number, count: number, rows: number, output: number,
  ): void;
  mergedBytes(
    outcomes: number, properties: number, userID: number, stableID: number, rows: number,
  ): number;
  mergeUsers(
    outcomes: number, target: number, properties: number, userID: number, stableID: number,
    rows: number, output: number, collisions: number,
  ): void;

  // sink/arrow-columns.ts
  encodeArrowTexts(
    column: number, order: number, from: number, to: number, offsets: number, data: number,
    validity: number,
  ): number;
  measureColumns(
    columns: number, columnCount: number, order: number, from: number, to: number, bytesMax: number,
    result: number,
  ): void;

  // sink/csv-cells.ts
  encodeRecords(address: number, from: number, to: number): void;
  measureRecord(columns: number, row: number): number;

  // sink/jsonl.ts
  encodeLines(address: number, from: number, to: number): void;
  measureLine(columns: number, row: number): number;

  // sink/line-rows.ts
  copyTexts(column: number, order: number, from: number, to: number, target: number): void;
  gatherLines(
    address: number, outcomes: number, columns: number, timestamps: number, from: number,
    to: number,
  ): void;
  measureTexts(
    column: number, order: number, from: number, to: number, bytesMax: number, result: number,
  ): void;

  // sink/parquet-dictionary.ts
  buildDictionary(address: number, column: number, order: number, from: number, to: number): void;

  // sink/parquet-pages.ts
  encodeHybrid(
    values: number, count: number, bitWidth: number, runs: number, target: number,
  ): number;
  encodeLevels(
    column: number, order: number, from: number, to: number, scratch: number, target: number,
  ): number;
  encodePlain(column: number, order: number, from: number, to: number, target: number): number;
  encodeTimestamps(
    timestamps: number, order: number, from: number, to: number, target: number,
  ): number;
  hybridBytesMax(count: number, bitWidth: number): number;
  measurePlain(
    column: number, order: number, from: number, to: number, bytesMax: number, result: number,
  ): void;

  // parquet/parquet-delta.ts
  deltaCount(): number;
  listDeltaLengths(list: number, count: number, p: number, end: number): number;
  unpackDeltas(
    p: number, end: number, countMax: number, width: number, stride: number, target: number,
  ): number;

  // parquet/parquet-lists.ts
  countRowStarts(repeats: number, entries: number): number;
  entriesOfRows(repeats: number, entries: number, rows: number): number;
  unfoldLists(depths: number, last: number, window: number, first: number, entries: number): number;

  // parquet/lz4.ts
  lz4Decompress(p: number, end: number, history: number, target: number, targetEnd: number): number;

  // parquet/parquet-rows.ts
  listPlainBytes(start: number, end: number, count: number, texts: boolean, target: number): number;
  moveValues(
    window: number, first: number, rows: number, levelMax: number, width: number, target: number,
  ): void;
  readPageRows(page: number, window: number, at: number, rows: number): number;
  sumLengths(lengths: number, rows: number): number;

  // parquet/parquet-values.ts
  joinPrefixed(list: number, count: number, p: number, width: number, target: number): number;
  joinStreams(start: number, count: number, width: number, target: number): void;
  measurePrefixed(list: number, count: number, p: number, end: number): number;
  unpackLevels(start: number, count: number, width: number, target: number): void;

  // profile/profile-rows.ts
  junkHash(start: number, length: number): number;
  profileRows(profile: number, rows: number, now: number): void;

  // sink/row-buffer.ts
  gatherCells(
    outcomes: number, source: number, from: number, to: number, target: number, targetRow: number,
    data: number,
  ): number;
  gatherScalarText(
    outcomes: number, source: number, from: number, to: number, target: number, targetRow: number,
    data: number,
  ): number;
  gatherTimestamps(
    outcomes: number, timestamps: number, from: number, to: number, target: number,
  ): void;
  measureRows(
    outcomes: number, columns: number, columnCount: number, from: number, to: number,
    bytesMax: number, rowsMax: number, result: number,
  ): void;

  // sink/snappy.ts
  snappyBytesMax(length: number): number;
  snappyCompress(source: number, length: number, target: number): number;

  // parquet/snappy-inflate.ts
  snappyDecompress(source: number, length: number, target: number, size: number): number;

  // sink/pack-checksum.ts
  checksumPack(start: number, length: number, day: number, rows: number): number;

  // sink/spill.ts
  describeRows(
    columns: number, columnCount: number, timestamps: number, count: number, target: number,
  ): number;
  measurePack(
    rows: number, columnCount: number, order: number, from: number, to: number, bytesMax: number,
    result: number,
  ): void;
  packRows(
    rows: number, columnCount: number, order: number, from: number, to: number, target: number,
  ): number;

  // sink/spill-merge.ts
  choosePacks(
    files: number, fileCount: number, groupBytes: number, bytesMax: number, rowsMax: number,
    result: number,
  ): void;
  measureStretch(files: number, index: number, place: number, result: number): void;
  unpackDays(
    files: number, fileCount: number, columns: number, columnCount: number, timestamps: number,
    days: number, result: number,
  ): number;

  // utf8.ts
  validateUtf8(start: number, end: number): number;
}
